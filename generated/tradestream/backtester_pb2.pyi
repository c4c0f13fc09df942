# Generated from contracts/tradestream/backtester.proto; do not edit. Regenerate with `nox -s generate`.
# mypy: disable-error-code="no-untyped-def, type-arg"
import datetime
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar
from typing import Optional as _Optional
from typing import Union as _Union

from google.protobuf import any_pb2 as _any_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers

DESCRIPTOR: _descriptor.FileDescriptor

class Candle(_message.Message):
    __slots__ = ("timestamp", "currency_pair", "open", "high", "low", "close", "volume")
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_PAIR_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    VOLUME_FIELD_NUMBER: _ClassVar[int]
    timestamp: _timestamp_pb2.Timestamp
    currency_pair: str
    open: float
    high: float
    low: float
    close: float
    volume: float
    def __init__(
        self,
        timestamp: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...,
        currency_pair: _Optional[str] = ...,
        open: _Optional[float] = ...,
        high: _Optional[float] = ...,
        low: _Optional[float] = ...,
        close: _Optional[float] = ...,
        volume: _Optional[float] = ...,
    ) -> None: ...

class Strategy(_message.Message):
    __slots__ = ("parameters", "strategy_name")
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_NAME_FIELD_NUMBER: _ClassVar[int]
    parameters: _any_pb2.Any
    strategy_name: str
    def __init__(
        self, parameters: _Optional[_Union[_any_pb2.Any, _Mapping]] = ..., strategy_name: _Optional[str] = ...
    ) -> None: ...

class BacktestRequest(_message.Message):
    __slots__ = ("candles", "strategy")
    CANDLES_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    candles: _containers.RepeatedCompositeFieldContainer[Candle]
    strategy: Strategy
    def __init__(
        self,
        candles: _Optional[_Iterable[_Union[Candle, _Mapping]]] = ...,
        strategy: _Optional[_Union[Strategy, _Mapping]] = ...,
    ) -> None: ...

class BacktestResult(_message.Message):
    __slots__ = (
        "timeframe",
        "cumulative_return",
        "annualized_return",
        "sharpe_ratio",
        "sortino_ratio",
        "max_drawdown",
        "volatility",
        "win_rate",
        "profit_factor",
        "number_of_trades",
        "average_trade_duration",
        "alpha",
        "beta",
        "strategy_score",
    )
    TIMEFRAME_FIELD_NUMBER: _ClassVar[int]
    CUMULATIVE_RETURN_FIELD_NUMBER: _ClassVar[int]
    ANNUALIZED_RETURN_FIELD_NUMBER: _ClassVar[int]
    SHARPE_RATIO_FIELD_NUMBER: _ClassVar[int]
    SORTINO_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_DRAWDOWN_FIELD_NUMBER: _ClassVar[int]
    VOLATILITY_FIELD_NUMBER: _ClassVar[int]
    WIN_RATE_FIELD_NUMBER: _ClassVar[int]
    PROFIT_FACTOR_FIELD_NUMBER: _ClassVar[int]
    NUMBER_OF_TRADES_FIELD_NUMBER: _ClassVar[int]
    AVERAGE_TRADE_DURATION_FIELD_NUMBER: _ClassVar[int]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    BETA_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_SCORE_FIELD_NUMBER: _ClassVar[int]
    timeframe: str
    cumulative_return: float
    annualized_return: float
    sharpe_ratio: float
    sortino_ratio: float
    max_drawdown: float
    volatility: float
    win_rate: float
    profit_factor: float
    number_of_trades: int
    average_trade_duration: float
    alpha: float
    beta: float
    strategy_score: float
    def __init__(
        self,
        timeframe: _Optional[str] = ...,
        cumulative_return: _Optional[float] = ...,
        annualized_return: _Optional[float] = ...,
        sharpe_ratio: _Optional[float] = ...,
        sortino_ratio: _Optional[float] = ...,
        max_drawdown: _Optional[float] = ...,
        volatility: _Optional[float] = ...,
        win_rate: _Optional[float] = ...,
        profit_factor: _Optional[float] = ...,
        number_of_trades: _Optional[int] = ...,
        average_trade_duration: _Optional[float] = ...,
        alpha: _Optional[float] = ...,
        beta: _Optional[float] = ...,
        strategy_score: _Optional[float] = ...,
    ) -> None: ...
