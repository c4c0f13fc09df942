"""portfolio-mcp: Portfolio.

Generated from contracts/tradestream/portfolio.json; do not edit. Regenerate with `nox -s generate`.
"""
