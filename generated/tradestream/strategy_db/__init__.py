"""strategy-db-mcp: Strategy specs.

Generated from contracts/tradestream/strategy_db.json; do not edit. Regenerate with `nox -s generate`.
"""
