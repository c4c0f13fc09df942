"""An agent served over A2A in this process, and clients of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.types import AgentCard, Message, Part, Role, SendMessageRequest, StreamResponse, TaskState
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value

from toolaccord.agent.a2a.mode import A2aMode
from toolaccord.agent.cli import Options
from toolaccord.agent.declarations import Agent
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.mode import ConfiguredAgent
from toolaccord.agent.requests import Dependencies
from toolaccord.client.base import ServerClient
from toolaccord.config import process_settings
from toolaccord.declarations.settings import read_settings
from toolaccord.shutdown import StopSignal
from toolaccord.telemetry.redaction import Redactor
from toolaccord.timing.clock import Clock, SystemClock

PATIENCE_S = 60
"""Seconds after which a test gives up."""
BINDINGS = [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("JSONRPC", "0.3")]
"""Bindings of the protocol, with their versions."""


@dataclass(frozen=True)
class Served:
    """An agent, and those who speak with it."""

    url: str
    http: httpx.AsyncClient
    stop: StopSignal
    serving: asyncio.Task[None]
    metrics: AgentMetrics
    stack: AsyncExitStack

    async def card(self) -> AgentCard:
        """Return the agent card."""
        document = (await self.http.get("/.well-known/agent-card.json")).json()
        return ParseDict(document, AgentCard(), ignore_unknown_fields=True)

    async def client(self, binding: str = "JSONRPC", version: str = "1.0", token: str | None = None) -> Client:
        """Return a client of the SDK for one of the card's interfaces."""
        return await connect(self.stack, self.url, binding, version, token)

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        """Return the response to a body: JSON, or bytes as they are."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.http.post(
            path, content=content, headers={"Content-Type": "application/json", "A2A-Version": "1.0"} | headers
        )

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the response of JSON-RPC, in the protocol's version 1.0."""
        response = await self.post("/a2a/v1", {"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
        assert response.status_code == 200
        document: dict[str, Any] = response.json()
        return document

    async def begin(self, text: str, **members: Any) -> str:
        """Return the id of a new task, which runs on."""
        sent = await self.call("SendMessage", message=say(text, **members), configuration={"returnImmediately": True})
        task_id: str = sent["result"]["task"]["id"]
        return task_id


async def connect(
    stack: AsyncExitStack, url: str, binding: str = "JSONRPC", version: str = "1.0", token: str | None = None
) -> Client:
    """Return a client of the SDK for an interface of the agent at *url*."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    http = await stack.enter_async_context(httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False, headers=headers))
    document = (await http.get(f"{url}/.well-known/agent-card.json")).json()
    card = ParseDict(document, AgentCard(), ignore_unknown_fields=True)
    chosen = [
        each
        for each in card.supported_interfaces
        if (each.protocol_binding, each.protocol_version) == (binding, version)
    ]
    del card.supported_interfaces[:]
    card.supported_interfaces.extend(chosen)
    config = ClientConfig(streaming=True, supported_protocol_bindings=[binding], httpx_client=http)
    return ClientFactory(config).create(card)


@asynccontextmanager
async def serve(
    agent: Agent[Any, Any, Any],
    environ: Mapping[str, str],
    clients: Mapping[str, ServerClient] | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[Served]:
    """Yield *agent* behind a socket of its own."""
    settings = read_settings([*agent.settings, *process_settings.list_agent_settings()], environ, {})
    clock = clock or SystemClock()
    sources = {source.name: source.open(settings, clock) for source in agent.sources}
    redactor, metrics = Redactor([]), AgentMetrics(agent)
    options = Options(requests=(), metrics_port=None, log_level="info", log_file=None, sandbox=False, a2a=True, port=0)
    mode = A2aMode(ConfiguredAgent(agent=agent, settings=settings, environ={}, redactor=redactor, options=options))
    dependencies = Dependencies(
        clients=clients or {},
        sources=sources,
        events={},
        settings=settings,
        metrics=metrics,
        redactor=redactor,
        clock=clock,
    )
    stop = StopSignal(process_settings.read_stop_timeouts(settings))
    running = asyncio.create_task(mode.run(dependencies, stop))
    token = environ.get("MCP_AUTH_TOKEN", "").partition(",")[0]
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        AsyncExitStack() as stack,
        httpx.AsyncClient(base_url=mode.url, timeout=PATIENCE_S, trust_env=False, headers=headers) as http,
    ):
        try:
            yield Served(mode.url, http, stop, running, metrics, stack)
        finally:
            stop.requested.set()
            await asyncio.wait_for(running, PATIENCE_S)
            for source in sources.values():
                await source.close()


def say(text: str, **members: Any) -> dict[str, Any]:
    """Return a message, as JSON."""
    return {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}], **members}


def message(*parts: Part, **members: Any) -> SendMessageRequest:
    """Return a request of the SDK."""
    return SendMessageRequest(message=Message(message_id="m", role=Role.ROLE_USER, parts=parts, **members))


def data(document: Any) -> Part:
    """Return a data part."""
    return Part(data=ParseDict(document, Value()))


async def events(client: Client, request: SendMessageRequest) -> list[StreamResponse]:
    """Return all events of a stream."""
    return [event async for event in client.send_message(request)]


def describe(event: StreamResponse) -> str:
    """Return the state of an event, with the text of its message, or of its artifact."""
    if event.HasField("artifact_update"):
        return "artifact: " + event.artifact_update.artifact.parts[0].text
    status = event.task.status if event.HasField("task") else event.status_update.status
    state = TaskState.Name(status.state).removeprefix("TASK_STATE_").lower()
    return ": ".join([state, *(part.text for part in status.message.parts if part.text)])


def result_of(event: StreamResponse) -> Any:
    """Return the result in the artifact of an event."""
    (_, part) = event.artifact_update.artifact.parts
    return MessageToDict(part.data)
