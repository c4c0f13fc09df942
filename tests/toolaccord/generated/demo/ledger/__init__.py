"""ledger-mcp: Ledger.

Generated from tests/toolaccord/contracts/demo/ledger.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
