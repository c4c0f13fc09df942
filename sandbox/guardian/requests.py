"""A backtest as the Guardian reads it: its records, strict in names and types."""

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from sandbox.guardian.s_expressions import Datum, List, SExpressionError, Symbol, parse, to_mapping

MISSING = "MISSING"
"""The request_id in the answer to a request without one."""
_REQUEST_ID = re.compile(r'\(request_id +\. +"([^"\\]+)"\)')


class BadRequestError(Exception):
    """The Guardian cannot read the request."""


def _read_option(datum: Any) -> Datum | None:
    """Return the item of a list of one; None for the empty list."""
    if isinstance(datum, List) and datum.tail is None and len(datum.items) <= 1:
        return datum.items[0] if datum.items else None
    raise SExpressionError("an optional value is a list of at most one item")


def _read_items(datum: Any) -> tuple[Datum, ...]:
    if isinstance(datum, List) and datum.tail is None:
        return datum.items
    raise SExpressionError("not a list")


def _read_symbol(datum: Any) -> str:
    if isinstance(datum, Symbol):
        return datum.name
    raise SExpressionError("not a symbol")


_OPTIONAL, _ITEMS, _MAPPING = BeforeValidator(_read_option), BeforeValidator(_read_items), BeforeValidator(to_mapping)
Int64: TypeAlias = Annotated[int, Field(ge=-(1 << 63), lt=1 << 63)]
Count: TypeAlias = Annotated[int, Field(ge=0, lt=1 << 64)]
Amount: TypeAlias = Annotated[float, Field(ge=0)]
IndicatorType: TypeAlias = Literal[
    "sma", "ema", "rsi", "macd", "bb", "stoch", "vwap", "volsma", "vpoc", "vwapvr", "keltner"
]


class _Record(BaseModel):
    """An association list with known keys; the Guardian ignores others."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def read(cls, datum: Any) -> dict[str, Datum]:
        """Return the members of the list by name."""
        return to_mapping(datum)


class Candle(_Record):
    """A candle; `t` is its opening in seconds since 1970."""

    t: Int64
    o: Amount = 0.0
    h: Amount = 0.0
    l: Amount = 0.0  # noqa: E741 - the Guardian's name
    c: Annotated[float, Field(gt=0)]
    v: Amount = 0.0


class Swap(_Record):
    """The swaps of a long and of a short position from `t` on, in seconds since 1970."""

    t: Int64
    sl: float
    ss: float


class Strategy(_Record):
    """A strategy; `sl` and `tp` are distances in units of the price."""

    name: str
    sma_short: Count
    sma_long: Count
    sl: float
    tp: float
    volume: float
    indicator_type: Annotated[IndicatorType, BeforeValidator(_read_symbol)] = "sma"
    filter_enabled: bool = False
    filter_tf: str = ""
    filter_period: Count = 0
    filter_logic: str = ""
    band_mult: float = 2.0
    atr_period: Count = 14
    atr_barrier_sl: float = 0.0
    atr_barrier_tp: float = 0.0


class BacktestRequest(_Record):
    """A backtest; times are seconds since 1970, the timeframe is in minutes."""

    action: str
    strategy: Strategy
    request_id: str = MISSING
    symbol: str = ""
    data_id: Annotated[str | None, _OPTIONAL] = None
    timeframe: Annotated[Annotated[int, Field(ge=1, lt=1 << 63)] | None, _OPTIONAL] = None
    candles: Annotated[tuple[Candle, ...], _ITEMS] = ()
    aux_candles: Annotated[dict[str, Annotated[tuple[Candle, ...], _ITEMS]], _MAPPING] = {}
    start_time: Annotated[Int64 | None, _OPTIONAL] = None
    end_time: Annotated[Int64 | None, _OPTIONAL] = None
    candles_file: Annotated[str | None, _OPTIONAL] = None
    aux_candles_files: Annotated[Annotated[dict[str, str], _MAPPING] | None, _OPTIONAL] = None
    swap_history: Annotated[tuple[Swap, ...], _ITEMS] = ()
    include_trades: bool = False


def read_request(text: str) -> BacktestRequest:
    """Return the backtest in *text*. Raises BadRequestError with a sentence."""
    try:
        request = BacktestRequest.model_validate(parse(text))
    except SExpressionError as error:
        raise BadRequestError(f"The S-expression cannot be read: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise BadRequestError(f"{'.'.join(map(str, first['loc'])) or 'request'}: {first['msg']}.") from error
    if request.request_id == MISSING:
        raise BadRequestError("The request has no request_id.")
    return request


def find_request_id(text: str) -> str:
    """Return the request_id in the text of a request, readable or not; MISSING without one."""
    found = _REQUEST_ID.search(text)
    return found[1] if found else MISSING
