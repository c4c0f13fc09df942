"""mail-mcp: Mail.

Generated from tests/toolaccord/contracts/demo/mail.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
