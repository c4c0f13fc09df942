"""The tools of swimmy-mcp: Swimmy's status files, and backtests over its bus."""

import asyncio
import logging
import uuid
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from operator import is_not
from typing import TypeVar

from generated.gateway.errors import TradeDisabled
from generated.gateway.swimmy.models import (
    BacktestStatusRequest,
    BacktestStatusResult,
    BacktestSubmitRequest,
    BacktestSubmitResult,
    HealthPingRequest,
    HealthPingResult,
    Result,
    SystemMetricsRequest,
    SystemMetricsResult,
    SystemStatusRequest,
    SystemStatusResult,
    TradeSubmitRequest,
    TradeSubmitResult,
)
from generated.gateway.swimmy.server import (
    BacktestStatusCall,
    BacktestSubmitCall,
    HealthPingCall,
    SwimmyCall,
    SystemMetricsCall,
    SystemStatusCall,
    TradeSubmitCall,
)
from handlers.gateway.backtest_request import build_request
from handlers.gateway.metrics import parse_metrics
from handlers.gateway.results import find_result, read_figures
from handlers.gateway.status_files import parse_backtest_status, parse_status
from toolaccord.json_values import JsonObject
from toolaccord.s_expressions.reader import SExpressionError
from toolaccord.sources.files import Files, FilesError
from toolaccord.sources.zmq import ZmqSub

_LOG = logging.getLogger(__name__)
SPARE_S = 1.0
"""Seconds before its deadline at which a call no longer waits for a result."""
_Members = TypeVar("_Members", JsonObject, dict[str, str])


async def health_ping(_request: HealthPingRequest, _call: HealthPingCall) -> HealthPingResult:
    """Return ok."""
    return HealthPingResult(status="ok")


async def system_status(_request: SystemStatusRequest, call: SystemStatusCall) -> SystemStatusResult:
    """Return the values of both status files."""
    return SystemStatusResult(
        swimmy=await _read(call.files, "swimmy_status", parse_status),
        backtest=await _read(call.files, "backtest_status", parse_backtest_status),
    )


async def system_metrics(_request: SystemMetricsRequest, call: SystemMetricsCall) -> SystemMetricsResult:
    """Return the members of the metrics file."""
    return SystemMetricsResult.model_validate(await _read(call.files, "system_metrics", parse_metrics))


async def backtest_submit(request: BacktestSubmitRequest, call: BacktestSubmitCall) -> BacktestSubmitResult:
    """Send a backtest to the Guardian, and return its id; for a caller who waits, its result."""
    request_id = request.request_id or uuid.uuid4().hex
    message = build_request(request, request_id)
    newest = next(iter(call.results.messages()), None) if request.wait else None
    await call.backtest_request.publish(message, message_id=request_id)
    sent = BacktestSubmitResult(status=202, request_id=request_id)
    if not (request.wait and call.results.is_configured):
        return sent
    result = await _wait_for_result(call.results, request_id, newest)
    return sent.model_copy(update=_describe(result) if result else {"state": "pending"})


async def backtest_status(request: BacktestStatusRequest, call: BacktestStatusCall) -> BacktestStatusResult:
    """Return the result of a backtest, or the state of the backtest that ended last."""
    if request.request_id is None or not call.results.is_configured:
        latest = await _read(call.files, "backtest_status", parse_backtest_status)
        return BacktestStatusResult.model_validate(
            {name: value for name, value in latest.items() if name not in BacktestStatusResult.model_fields}
            | {"mode": "latest"}
        )
    result = await asyncio.to_thread(find_result, call.results.messages(), request.request_id)
    found = BacktestStatusResult(mode="request", request_id=request.request_id, state="unknown")
    if result is None:
        return found.model_copy(update={"state": "pending"}) if call.guardian.has_sent(request.request_id) else found
    return found.model_copy(update=_describe(result))


async def _wait_for_result(results: ZmqSub, request_id: str, newest: bytes | None) -> JsonObject | None:
    """Return the first result after the message *newest*; None if none comes in time."""
    while True:
        messages = results.messages()
        heard, newest = newest, next(iter(messages), None)
        if newest is not heard:
            fresh = tuple(takewhile(partial(is_not, heard), messages))
            result = await asyncio.to_thread(find_result, fresh, request_id)
            if result is not None:
                return result
        elif not await results.wait_for_more(SPARE_S):
            return None


def _describe(result: JsonObject) -> JsonObject:
    """Return the members of an answer that tell of the *result* of a backtest."""
    if error := result.get("error"):
        return {"state": "failed", "reason": str(error)}
    return {"state": "done", "result": Result.model_validate(read_figures(result))}


async def known_state_back(state: str, _call: SwimmyCall) -> str:
    """Return the state as version 1.0.1 of backtest.status has it, which knows no pending one."""
    return "unknown" if state == "pending" else state


async def trade_submit(_request: TradeSubmitRequest, _call: TradeSubmitCall) -> TradeSubmitResult:
    """Reject every order."""
    raise TradeDisabled("trade-capable disabled")


async def _read(files: Files, name: str, parse: Callable[[bytes], _Members]) -> _Members:
    """Return the parsed file *name*; empty if it is missing, unreadable or half written."""
    try:
        content = await files.read(name)
        return parse(content) if content is not None else {}
    except (FilesError, SExpressionError) as error:
        _LOG.warning("The file %s is answered as empty: %s", name, error)
        return {}
