"""Handlers of the Swimmy gateway: status files, the Guardian's bus, and results of backtests."""
