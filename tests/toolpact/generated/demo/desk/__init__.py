"""desk-mcp: Desk.

Generated from tests/toolpact/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
