"""desk-mcp: Desk.

Generated from tests/toolaccord/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
