"""The handlers of the trading platform: features, risk, execution and shared state."""
