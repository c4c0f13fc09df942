"""Servers of the system tradestream.

Generated from contracts/tradestream/backtest.json, tradestream/decisions.json, tradestream/market_data.json,
tradestream/portfolio.json, tradestream/strategy.json, tradestream/strategy_db.json; do not edit. Regenerate
with `nox -s generate`.
"""
