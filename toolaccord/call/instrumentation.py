"""Instrumentation of calls: a log line each, and metrics and spans if the server has them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import orjson

from toolaccord.call.context import IncomingCall, Span
from toolaccord.call.response import Answer
from toolaccord.json_values import JsonObject
from toolaccord.telemetry import correlation, json_logs
from toolaccord.telemetry.call_status import CallStatus
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:  # a server without metrics or tracing loads no library for them
    from toolaccord.telemetry.metrics import CacheLevel, Metrics
    from toolaccord.telemetry.tracing import CallTracer

_LOG = logging.getLogger(__name__)
_MAX_VERSION_CHARACTERS = 32
"""Characters of a version in the log; callers may send any text."""
_MAX_CALLER_CHARACTERS = 100
"""Characters of a proven caller's name in the log."""


class Instrumentation:
    """Records the calls of one server."""

    def __init__(self, clock: Clock, metrics: Metrics | None, tracer: CallTracer | None) -> None:
        self._clock = clock
        self._metrics = metrics
        self._tracer = tracer

    def start_span(self, call: IncomingCall) -> IncomingCall:
        """Return *call* with a span, if the server makes spans.

        The trace's id becomes the correlation id unless the caller gave one.
        """
        if self._tracer is None:
            return call
        span = self._tracer.start_span(call.bound.operation.name, call.meta)
        return call._replace(corr_id=correlation.resolve_corr_id(call.meta, span.trace_id), span=span)

    def scope(self, call: IncomingCall) -> AbstractContextManager[None]:
        """Return a context manager for the code of *call*.

        Under it, log lines have the call's correlation id, and new spans become children of the call's span.
        """
        correlated = correlation.CorrelationScope(call.corr_id)
        return correlated if call.span is None else _in_span(call.span, correlated)

    def cache_looked_up(self, tool: str, level: CacheLevel, *, is_hit: bool) -> None:
        """Count a lookup of a result of *tool* in one level of the cache."""
        if self._metrics:
            self._metrics.record_cache_lookup(tool, level, is_hit=is_hit)

    def nulls_dropped(self, tool: str) -> None:
        """Count a call of *tool* with null for an optional argument."""
        if self._metrics:
            self._metrics.record_null_arguments(tool)

    def overloaded(self, tool: str) -> None:
        """Count a call of *tool* that was rejected because of the calls ahead of it."""
        if self._metrics:
            self._metrics.record_overload(tool)

    def call_ended(self, call: IncomingCall, answer: Answer | None) -> None:
        """Record a call; one without an answer was abandoned by its caller.

        Raises nothing: the caller is answered even if this fails.
        """
        try:
            self._record(call, answer)
        except Exception:
            _LOG.exception("a call could not be recorded")

    def _record(self, call: IncomingCall, answer: Answer | None) -> None:
        duration_s = self._clock.monotonic() - call.received_at
        status: CallStatus = "cancelled" if answer is None else answer.status
        code = answer.code if answer else None
        json_logs.log_event(_LOG, "call", _log_fields(call, answer, status, duration_s))
        if self._metrics and call.task_key:  # the run of a task is no call, and has its own duration
            if code is not None:
                self._metrics.record_error(call.bound.operation.name, code)
        elif self._metrics:
            self._metrics.record_call(call.bound.operation.name, call.caller, status, duration_s, code)
            if answer and answer.is_replayed:
                self._metrics.record_replay(call.bound.operation.name)
            if call.deprecation and call.upgrade_path:
                self._metrics.record_deprecated_call(call.bound.operation.name, call.upgrade_path.version.version)
        if call.span:
            call.span.end(status, code, call.upgrade_path.version.version if call.upgrade_path else None)


@contextmanager
def _in_span(span: Span, correlated: AbstractContextManager[None]) -> Iterator[None]:
    with span.activate(), correlated:
        yield


def _log_fields(call: IncomingCall, answer: Answer | None, status: CallStatus, duration_s: float) -> JsonObject:
    """Return the fields of the call's log line."""
    log_fields: JsonObject = {
        "tool": call.bound.operation.name,
        "duration_ms": round(duration_s * 1_000_000) / 1000,
        "status": status,
        "input_size_bytes": _size_bytes(call.arguments),
        "output_size_bytes": len(answer.json) + len(answer.content or b"") if answer else 0,
    }
    if call.proven:
        log_fields["caller"] = call.proven.name[:_MAX_CALLER_CHARACTERS]
    if isinstance(call.version, str):
        log_fields["version"] = call.version[:_MAX_VERSION_CHARACTERS]
    if call.task_key:
        log_fields["task"] = True
    if answer and answer.is_replayed:
        log_fields["replayed"] = True
    if answer and answer.code:
        log_fields["error_code"] = answer.code
        if answer.cause:
            log_fields["cause"] = answer.cause
    return log_fields


def _size_bytes(value: Any) -> int | None:
    """Return the size of *value* as JSON.

    None if it is nested too deeply, is not Unicode, or holds an integer beyond 64 bits.
    """
    try:
        return len(orjson.dumps(value))
    except TypeError:
        return None
