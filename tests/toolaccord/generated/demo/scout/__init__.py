"""scout-agent: Scout.

Generated from tests/toolaccord/contracts/demo/scout.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
