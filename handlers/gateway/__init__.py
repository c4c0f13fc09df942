"""The handlers of the Swimmy gateway: status files, and backtests over a bus."""
