"""strategy-mcp: Strategies and signals.

Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.
"""
