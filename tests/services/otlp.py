"""A receiver of spans by OTLP over HTTP, which keeps them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Receiver:
    """The spans received so far."""

    environ: dict[str, str] = field(default_factory=dict)
    """The environment with which a process sends its spans here."""
    raw: bytes = b""
    requests: list[ExportTraceServiceRequest] = field(default_factory=list)
    received: asyncio.Event = field(default_factory=asyncio.Event)
    stuck: bool = False
    """True if the receiver answers nothing."""

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def resource(self) -> dict[str, Any]:
        """Return the resource attributes of the process that sent the spans."""
        return plain(self.requests[0].resource_spans[0].resource.attributes)

    async def take(self, request: web.Request) -> web.Response:
        """Answer one request."""
        body = await request.read()
        self.received.set()
        if self.stuck:
            await asyncio.Event().wait()
        self.raw += body
        self.requests.append(ExportTraceServiceRequest.FromString(body))
        return web.Response(content_type="application/x-protobuf")


@asynccontextmanager
async def receiving(*, stuck: bool = False) -> AsyncIterator[Receiver]:
    """Give a receiver on loopback."""
    receiver = Receiver(stuck=stuck)
    application = web.Application()
    application.router.add_post("/v1/traces", receiver.take)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    receiver.environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "no_proxy": "127.0.0.1"}
    try:
        yield receiver
    finally:
        await runner.cleanup()


def plain(attributes: Any) -> dict[str, Any]:
    """Return attributes by name."""
    given: list[KeyValue] = list(attributes)
    return {each.key: getattr(each.value, each.value.WhichOneof("value") or "string_value") for each in given}
