"""mail-mcp: Mail.

Generated from tests/toolpact/contracts/demo/mail.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
