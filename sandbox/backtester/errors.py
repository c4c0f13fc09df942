"""The reasons to reject a backtest."""


class BadCandlesError(Exception):
    """The candles are not in order, or hold impossible numbers."""


class UnknownStrategyError(Exception):
    """No strategy has this name, or its spec needs an unsupported indicator or condition."""


class BadParametersError(Exception):
    """The strategy cannot be run with these parameters."""


class TooFewCandlesError(Exception):
    """An indicator needs more candles for its first value."""
