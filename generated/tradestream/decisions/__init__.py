"""decisions-mcp: Decisions.

Generated from contracts/tradestream/decisions.json; do not edit. Regenerate with `nox -s generate`.
"""
