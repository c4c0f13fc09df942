"""market-data-mcp: Candles, prices and volatility.

Generated from contracts/tradestream/market_data.json; do not edit. Regenerate with `nox -s generate`.
"""
