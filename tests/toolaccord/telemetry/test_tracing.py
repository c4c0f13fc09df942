import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, get_current_span

from tests.services.otlp import Receiver, plain, receiving
from tests.toolaccord.demo import library, library_versions
from tests.toolaccord.demo.library import Librarian, LibraryCall
from tests.toolaccord.listener import listening
from tests.toolaccord.process import Process, call, started, stateless_call
from toolaccord.call.pipeline import Pipeline
from toolaccord.declarations.tool import Server
from toolaccord.telemetry.tracing import CallTracer
from toolaccord.testing import ManualClock, capture_logs, pipeline

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


class Desk:
    """A library whose spans a test can read."""

    def __init__(
        self, handlers: library.Handlers | None = None, server: Server[library.LibraryCall] | None = None
    ) -> None:
        self.clock = ManualClock()
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.pipeline: Pipeline = pipeline(
            server or library.server(handlers or Librarian()),
            settings={"shelf_url": "s3cr3t"},
            clock=self.clock,
            tracer=CallTracer(provider.get_tracer("tests")),
        )

    def only(self) -> ReadableSpan:
        (span,) = self._exporter.get_finished_spans()
        return span


@pytest.fixture
def desk() -> Desk:
    return Desk()


# --- contents of spans ---------------------------------------------------------------------------------------------


async def test_the_span_of_a_call_names_its_tool_and_none_of_its_arguments(desk: Desk) -> None:
    await desk.pipeline.call("list_loans", {"since": "2026-01-01T00:00:00Z"})
    span = desk.only()
    assert (span.name, span.kind) == ("tools/call list_loans", SpanKind.SERVER)
    assert dict(span.attributes or {}) == {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "list_loans",
    }
    assert span.status.status_code is StatusCode.UNSET


async def test_a_span_names_the_older_version_and_never_an_unknown_one() -> None:
    desk = Desk(server=library_versions.server())
    await desk.pipeline.call("list_loans", {"from": "2026-01-01T00:00:00Z"}, version="0.9.0")
    assert (desk.only().attributes or {})["toolaccord.tool.version"] == "0.9.0"
    desk = Desk(server=library_versions.server())
    await desk.pipeline.call("list_loans", {}, version="s3cr3t")
    assert "s3cr3t" not in desk.only().to_json()


@pytest.mark.parametrize("how", ["crash", "source", "undeclared"])
async def test_the_span_of_an_error_has_its_code_and_no_text_of_an_exception(desk: Desk, how: str) -> None:
    answer = await desk.pipeline.call("misbehave", {"how": how})
    span = desk.only()
    assert span.status.status_code is StatusCode.ERROR
    assert dict(span.attributes or {}) | {"error.type": "tool_error", "toolaccord.error.code": answer.code} == dict(
        span.attributes or {}
    )
    assert not span.events
    assert not span.status.description
    assert "s3cr3t" not in span.to_json()


async def test_the_span_of_a_cancelled_call_is_marked_so(desk: Desk) -> None:
    task = asyncio.create_task(desk.pipeline.call("misbehave", {"how": "wait"}))
    await desk.clock.wait_for_timer()
    task.cancel()
    await asyncio.wait({task})
    assert (desk.only().attributes or {})["error.type"] == "cancelled"
    assert not desk.only().events


async def test_a_span_joins_the_trace_of_its_caller(desk: Desk) -> None:
    await desk.pipeline.call("list_loans", {}, {"traceparent": TRACEPARENT, "tracestate": "vendor=1"})
    span = desk.only()
    assert span.context
    assert span.parent
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:016x}") == (TRACE, PARENT)
    assert span.context.trace_state.get("vendor") == "1"


INVALID: list[Mapping[str, Any]] = [
    {"traceparent": 5},
    {"traceparent": [TRACEPARENT], "tracestate": {}},
    {"traceparent": "nonsense"},
    {"traceparent": f"00-{'0' * 32}-{PARENT}-01"},
    {"traceparent": None, "tracestate": "=,="},
]


@pytest.mark.parametrize("meta", INVALID, ids=json.dumps)
async def test_a_call_with_an_invalid_trace_context_works(desk: Desk, meta: Mapping[str, Any]) -> None:
    assert not (await desk.pipeline.call("list_loans", {}, meta)).is_error
    assert desk.only().parent is None


async def test_the_trace_id_is_the_correlation_id_of_a_call_without_one(desk: Desk) -> None:
    answer = await desk.pipeline.call("list_loans", {})
    span = desk.only()
    assert span.context
    assert answer.corr_id == f"{span.context.trace_id:032x}"


async def test_the_correlation_id_of_the_caller_takes_precedence_over_its_trace(desk: Desk) -> None:
    answer = await desk.pipeline.call("list_loans", {}, {"corr_id": "abc-1", "traceparent": TRACEPARENT})
    assert answer.corr_id == "abc-1"


async def test_a_handler_runs_within_the_span_of_its_call() -> None:
    class Reader(Librarian):
        seen = 0

        async def list_loans(self, request: library.ListLoansRequest, call: LibraryCall, /) -> library.ListLoansResult:
            Reader.seen = get_current_span().get_span_context().trace_id
            return await super().list_loans(request, call)

    desk = Desk(Reader())
    await desk.pipeline.call("list_loans", {})
    span = desk.only()
    assert span.context
    assert Reader.seen == span.context.trace_id


async def test_logs_of_a_call_carry_the_id_of_its_trace(desk: Desk) -> None:
    with capture_logs() as records:
        answer = await desk.pipeline.call("misbehave", {"how": "crash"})
    assert len(records) == 2
    assert len(answer.corr_id) == 32


# --- exported spans ------------------------------------------------------------------------------------------------


def only(receiver: Receiver) -> Span:
    (span,) = receiver.spans
    return span


async def stop(server: Process) -> None:
    server.close_input()
    assert await server.exit_code() == 0


async def test_a_stdio_server_exports_its_last_spans_before_it_ends() -> None:
    async with receiving() as receiver, started(environ=receiver.environ) as server:
        request = stateless_call(1, "get_book", id=7)
        request["params"]["_meta"]["traceparent"] = TRACEPARENT
        await server.send(request)
        answer = await server.receive()
        await stop(server)
        span = only(receiver)
    assert (span.name, span.kind) == ("tools/call get_book", Span.SPAN_KIND_SERVER)
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert answer["result"]["_meta"]["corr_id"] == TRACE
    assert receiver.resource["service.name"] == "library-mcp"
    assert receiver.resource["service.version"] == "1.2.3"


async def test_each_call_is_one_span_and_other_requests_make_none() -> None:
    async with receiving() as receiver, started(environ=receiver.environ) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7), {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        await server.receive_all(1, 2)
        await stop(server)
        assert [span.name for span in receiver.spans] == ["tools/call get_book"]


async def test_an_operator_may_name_the_service() -> None:
    named = {"OTEL_SERVICE_NAME": "books", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test"}
    async with receiving() as receiver, started(environ=receiver.environ | named) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        await server.receive()
        await stop(server)
    assert receiver.resource["service.name"] == "books"
    assert receiver.resource["deployment.environment.name"] == "test"


async def test_no_text_of_a_caller_or_a_handler_is_exported() -> None:
    async with receiving() as receiver, started(environ=receiver.environ) as server:
        await server.shake_hands()
        await server.send(
            call(1, "misbehave", how="crash"),
            call(2, "get_book", id=7, reason="a reason of mine"),
            call(3, "a tool of mine"),
        )
        await server.receive_all(1, 2, 3)
        await stop(server)
        failed = {plain(span.attributes)["gen_ai.tool.name"]: span for span in receiver.spans}
    assert set(failed) == {"misbehave", "get_book"}
    assert failed["misbehave"].status.code == Status.STATUS_CODE_ERROR
    assert plain(failed["misbehave"].attributes)["toolaccord.error.code"] == "INTERNAL_ERROR"
    for text in (b"s3cr3t", b"of mine", b"effect", b"Traceback"):
        assert text not in receiver.raw


@pytest.mark.parametrize("path", ["/mcp/tools/get_book", "/mcp"])
async def test_a_request_over_http_joins_the_trace_of_its_header(path: str) -> None:
    bodies = {"/mcp": stateless_call(1, "get_book", id=7), "/mcp/tools/get_book": {"id": 7}}
    headers = {
        "traceparent": TRACEPARENT,
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "get_book",
    }
    async with receiving() as receiver, listening(environ=receiver.environ) as server:
        answer = await server.client.post(path, json=bodies[path], headers=headers)
        assert answer.status_code == 200
        server.process.signal(15)
        assert await server.process.exit_code() == 0
        span = only(receiver)
    assert (span.name, span.trace_id.hex(), span.parent_span_id.hex()) == ("tools/call get_book", TRACE, PARENT)


async def test_a_server_ends_although_its_receiver_never_answers() -> None:
    async with receiving(stuck=True) as receiver, started(environ=receiver.environ) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        await server.receive()
        await stop(server)
        assert receiver.received.is_set()
    assert b"by force" not in server.logged
    assert b"Traceback" not in server.logged


async def test_a_server_works_and_ends_without_its_receiver() -> None:
    unreachable = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"}
    async with started(environ=unreachable) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        assert not (await server.receive())["result"]["isError"]
        await stop(server)
    assert b"Traceback" not in server.logged


async def test_a_server_without_the_extra_works_and_warns_that_it_exports_no_spans(tmp_path: Path) -> None:
    missing = "import sys\nsys.modules['opentelemetry.exporter.otlp.proto.http.trace_exporter'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(missing)
    async with receiving() as receiver, started(environ=receiver.environ | {"PYTHONPATH": str(tmp_path)}) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        assert not (await server.receive())["result"]["isError"]
        await stop(server)
        assert receiver.spans == []
    (warning,) = [line for line in map(json.loads, server.logged.splitlines()) if line["level"] == "WARNING"]
    assert "toolaccord[telemetry]" in warning["message"]


async def test_a_server_with_an_invalid_variable_works_and_warns() -> None:
    invalid = {"OTEL_BSP_MAX_QUEUE_SIZE": "1"}
    async with receiving() as receiver, started(environ=receiver.environ | invalid) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        assert not (await server.receive())["result"]["isError"]
        await stop(server)
    assert b"spans are not exported" in server.logged


async def test_a_server_without_metrics_and_spans_loads_neither_prometheus_nor_opentelemetrys_sdk() -> None:
    async with started(environ={"PYTHONPROFILEIMPORTTIME": "1"}) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        await server.receive()
        await stop(server)
    assert b"toolaccord.call.instrumentation" in server.logged
    for module in (
        b"prometheus_client",
        b"opentelemetry.sdk",
        b"opentelemetry.exporter",
        b"toolaccord.telemetry.tracing",
    ):
        assert module not in server.logged
