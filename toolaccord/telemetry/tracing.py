"""OpenTelemetry spans, one for each call, in the caller's trace; exported by OTLP over HTTP."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from toolaccord.declarations.tool import Server
from toolaccord.telemetry.call_status import CallStatus

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_LOG = logging.getLogger(__name__)
_FLUSH_S = 1.0
"""Seconds for exporting the last spans when the process ends."""


class CallSpan:
    """Span of one call. It holds no arguments, results or messages."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    @property
    def trace_id(self) -> str:
        """Id of its trace, 32 hexadecimal digits."""
        return trace.format_trace_id(self._span.get_span_context().trace_id)

    def activate(self) -> AbstractContextManager[object]:
        """Return a context manager under which new spans become children of this one."""
        # The text of an exception may hold anything, and stays out of the span.
        return trace.use_span(self._span, record_exception=False, set_status_on_exception=False)

    def end(self, status: CallStatus, code: str | None, older: str | None = None) -> None:
        """End the span.

        *code* is that of an error, *older* the called version if that is not the newest.
        """
        if older is not None:
            self._span.set_attribute("toolaccord.tool.version", older)
        if status == "error":
            self._span.set_status(trace.StatusCode.ERROR)
            self._span.set_attributes({"error.type": "tool_error", "toolaccord.error.code": code or ""})
        elif status == "cancelled":
            self._span.set_attribute("error.type", "cancelled")
        self._span.end()


class CallTracer:
    """Starts the spans of calls, by OpenTelemetry's semantic conventions for MCP."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer
        self._propagator = TraceContextTextMapPropagator()

    def start_span(self, tool: str, meta: Mapping[str, Any] | None) -> CallSpan:
        """Start the span of a call of *tool*, in the trace of *meta*, else in a new one.

        *tool* may be an operation, such as `resources/read boards`.
        """
        headers = {name: (meta or {}).get(name) for name in ("traceparent", "tracestate")}
        parent = self._propagator.extract({name: text for name, text in headers.items() if isinstance(text, str)})
        method, _, target = tool.partition(" ")
        if target:  # an operation, whose name begins with its method
            attributes = {"mcp.method.name": method}
        else:
            attributes = {
                "mcp.method.name": "tools/call",
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
            }
        name = tool if target else f"tools/call {tool}"
        span = self._tracer.start_span(name, parent, trace.SpanKind.SERVER, attributes)
        return CallSpan(span)


@contextmanager
def trace_calls(server: Server[Any]) -> Iterator[CallTracer | None]:
    """Provide the tracer of *server*, and export the last spans at the end.

    OpenTelemetry's environment variables set the receiver. If the exporter is not installed or a variable is invalid,
    a warning is logged and None provided: the server then works without spans.
    """
    try:
        provider = _create_provider(server)
    except ImportError as error:
        _LOG.warning("spans are not exported: %s is not installed; install toolaccord[telemetry]", error.name)
        yield None
        return
    except ValueError as error:
        _LOG.warning("spans are not exported: an OpenTelemetry variable is invalid: %s", error)
        yield None
        return
    try:
        yield CallTracer(provider.get_tracer("toolaccord"))
    finally:
        # The library would wait half a minute for an unavailable receiver.
        flushing = threading.Thread(target=provider.shutdown, daemon=True)
        flushing.start()
        flushing.join(_FLUSH_S)


def _create_provider(server: Server[Any]) -> TracerProvider:
    """Return a provider that exports spans in batches.

    Raises ImportError, and ValueError for an invalid variable.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    resource = Resource.create({"service.name": server.name, "service.version": server.version})
    provider = TracerProvider(resource=resource.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
