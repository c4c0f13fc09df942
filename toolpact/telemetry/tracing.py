"""Spans: one for each call, in its caller's trace, sent by OTLP over HTTP where OpenTelemetry's variables say."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from toolpact.declarations.tool import Server
from toolpact.telemetry.call_status import CallStatus

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_LOG = logging.getLogger(__name__)
_FLUSH_S = 1.0
"""Seconds that the last spans have to leave the process."""


class CallSpan:
    """The span of one call. No argument, result or message enters it."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    @property
    def trace_id(self) -> str:
        """The id of its trace, 32 hexadecimal digits."""
        return trace.format_trace_id(self._span.get_span_context().trace_id)

    def current(self) -> AbstractContextManager[object]:
        """Have what is begun within make its spans below this one."""
        return trace.use_span(
            self._span, record_exception=False, set_status_on_exception=False
        )  # its text may hold anything

    def ended(self, status: CallStatus, code: str | None, older: str | None = None) -> None:
        """Say how the call ended; *code* is that of an error, *older* the version it was in, where that is not the newest."""
        if older is not None:
            self._span.set_attribute("toolpact.tool.version", older)
        if status == "error":
            self._span.set_status(trace.StatusCode.ERROR)
            self._span.set_attributes({"error.type": "tool_error", "toolpact.error.code": code or ""})
        elif status == "cancelled":
            self._span.set_attribute("error.type", "cancelled")
        self._span.end()


class Spans:
    """Makes the spans of calls, by OpenTelemetry's conventions for MCP."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer
        self._propagator = TraceContextTextMapPropagator()

    def call(self, tool: str, meta: Mapping[str, Any] | None) -> CallSpan:
        """Begin the span of a call of *tool*, in the trace that *meta* names, else in one of its own."""
        said = {name: (meta or {}).get(name) for name in ("traceparent", "tracestate")}
        parent = self._propagator.extract({name: text for name, text in said.items() if isinstance(text, str)})
        attributes = {
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
        }
        span = self._tracer.start_span(f"tools/call {tool}", parent, trace.SpanKind.SERVER, attributes)
        return CallSpan(span)


@contextmanager
def exported(server: Server[Any]) -> Iterator[Spans | None]:
    """Give what makes the spans of *server*, which go where OpenTelemetry's variables say; at the end, send the last ones.

    What it takes to send them may be missing. That is said in the log, and None given: a server serves without spans.
    """
    try:
        provider = _provider(server)
    except ImportError as error:
        _LOG.warning("spans are not sent: %s is not installed; toolpact[telemetry] brings it", error.name)
        yield None
        return
    except ValueError as error:
        _LOG.warning("spans are not sent: a variable of OpenTelemetry is wrong: %s", error)
        yield None
        return
    try:
        yield Spans(provider.get_tracer("toolpact"))
    finally:
        # Left to itself, the library waits half a minute for a receiver that is away.
        flushing = threading.Thread(target=provider.shutdown, daemon=True)
        flushing.start()
        flushing.join(_FLUSH_S)


def _provider(server: Server[Any]) -> TracerProvider:
    """Return what keeps spans until they are sent. Raises ImportError, and ValueError for a variable that is wrong."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    own = Resource.create({"service.name": server.name, "service.version": server.version})
    provider = TracerProvider(resource=own.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
