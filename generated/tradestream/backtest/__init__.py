"""backtest-mcp: Backtests.

Generated from contracts/tradestream/backtest.json; do not edit. Regenerate with `nox -s generate`.
"""
