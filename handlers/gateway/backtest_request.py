"""The Guardian's backtest request, made of the arguments of backtest.submit.

The facts about the Guardian are those of its `main.rs` at f5d08487 (2026-08-18).
"""

from collections.abc import Iterator
from typing import Any

from generated.gateway.errors import InconsistentParams
from generated.gateway.swimmy.models import BacktestRequest, BacktestSubmitRequest
from toolaccord.schema.violations import Violation

MISROUTED = "CPCV_VALIDATE"
"""A message with this word anywhere is another command to the Guardian."""
_CANDLES = ("candles", "candles_file", "data_id")
_FILTER = ("filter_tf", "filter_period", "filter_logic")


def build_request(request: BacktestSubmitRequest, request_id: str) -> BacktestRequest:
    """Return the message to the Guardian. Raises InconsistentParams if it would be misread."""
    if violations := [*_check_candles(request), *_check_filter(request), *_check_texts(request)]:
        sentences = "; ".join(violation.sentence for violation in violations)
        raise InconsistentParams(f"{sentences}.", violations=[violation.as_json() for violation in violations])
    return BacktestRequest(
        action="BACKTEST",
        strategy=request.strategy,
        symbol=request.symbol,
        timeframe=_option(request.timeframe),
        start_time=_option(request.start_time),
        end_time=_option(request.end_time),
        data_id=_option(_name_candles(request)),
        candles_file=_option(request.candles_file),
        candles=request.candles,
        aux_candles=request.aux_candles,
        swap_history=request.swap_history,
        include_trades=request.include_trades,
        request_id=request_id,
    )


def _option(value: Any) -> Any:
    """Return an optional value as a list of one; None if it is absent."""
    return None if value is None else [value]


def _name_candles(request: BacktestSubmitRequest) -> str | None:
    """Return the name under which the Guardian keeps the candles.

    The Guardian reads a file only with a name. A colon keeps ours apart from those of callers.
    """
    return request.data_id if request.candles_file is None else f"mcp:{request.candles_file}"


def _check_candles(request: BacktestSubmitRequest) -> Iterator[Violation]:
    """Yield violations of the one origin of candles.

    Under the data_id of a caller, the Guardian would keep a caller's candles for everybody. Auxiliary candles of a
    named origin are those of its first request.
    """
    given = [name for name in _CANDLES if getattr(request, name) is not None]
    if not given:
        yield Violation("/candles", "required", "is missing; give candles, candles_file or data_id")
    for name in given[1:]:
        yield Violation(f"/{name}", "oneOf", f"cannot be combined with {given[0]}; give one of them")
    if request.aux_candles is not None and request.candles is None:
        yield Violation("/aux_candles", "dependentRequired", "is used with candles only; give candles, or leave it out")


def _check_filter(request: BacktestSubmitRequest) -> Iterator[Violation]:
    """Yield what an enabled filter lacks; the Guardian would trade without the filter."""
    strategy = request.strategy
    if not strategy.filter_enabled:
        return
    for name in _FILTER:
        if getattr(strategy, name) is None:
            yield Violation(f"/strategy/{name}", "dependentRequired", "is required if filter_enabled is true")
    timeframe = strategy.filter_tf
    if timeframe and request.data_id is None and getattr(request.aux_candles, timeframe, None) is None:
        message = "is required if filter_enabled is true: the filter needs candles of filter_tf"
        yield Violation(f"/aux_candles/{timeframe}", "dependentRequired", message)


def _check_texts(request: BacktestSubmitRequest) -> Iterator[Violation]:
    """Yield the texts that the Guardian would take for another command."""
    texts = {"/strategy/name": request.strategy.name} | {
        f"/{name}": getattr(request, name) for name in ("candles_file", "data_id", "request_id")
    }
    for at, text in texts.items():
        if text is not None and MISROUTED in text:
            yield Violation(at, "not", f"must not contain {MISROUTED}, which the Guardian takes for another command")
