"""Why a backtest is refused."""


class BadCandlesError(Exception):
    """The candles are not in order, or hold numbers that no market has."""


class UnknownStrategyError(Exception):
    """There is no strategy of this name, or it needs what this backtester has not."""


class BadParametersError(Exception):
    """The strategy cannot be run with these parameters."""


class TooFewCandlesError(Exception):
    """An indicator has seen too little to say anything."""
