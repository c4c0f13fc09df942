"""ledger-mcp: Ledger.

Generated from tests/toolpact/contracts/demo/ledger.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
