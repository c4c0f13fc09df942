"""Run generated servers in memory, with their own handlers or with handlers that record.

`python -m tests.servers.harness MODULE FILE` serves a recorder on standard input and output. Each request that reaches
a handler becomes a line of FILE: `[tool, arguments]`.
"""

import asyncio
import dataclasses
import importlib
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, RootModel

from tests.contracts.reading import contracts, mcp_tools, tool
from tests.servers.contracts import Observations
from toolaccord import Page, SourceError
from toolaccord.content import Message, Text
from toolaccord.declarations.tool import Server
from toolaccord.server.main import run
from toolaccord.testing import ManualClock, connect
from toolaccord.timing.clock import Clock
from toolaccord_codegen.schema_sets.samples import minimal_value

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
"""Time at which manual clocks start."""
_PATIENCE_S = 60
"""Seconds of real time after which a test has waited for a clock that nothing moves."""
_SOURCE_CALLS = {
    "call",
    "fetch",
    "fetch_one",
    "fetch_values",
    "transaction",
    "get_json",
    "query",
    "request",
    "run_script",
}


def parse_body(result: CallToolResult) -> dict[str, Any]:
    """Return the JSON of the result's single text part."""
    (part,) = result.content
    assert isinstance(part, TextContent)
    body: dict[str, Any] = json.loads(part.text)
    return body


def error_code(body: dict[str, Any]) -> str | None:
    """Return the error code of a body in any dialect; None for a success."""
    error = _named_error(body)
    code: str | None = error.get("code", error.get("error_type"))
    return code


def error_details(body: dict[str, Any]) -> Any:
    """Return the error details of a body in any dialect; None for a success."""
    return _named_error(body).get("details")


def _named_error(body: dict[str, Any]) -> dict[str, Any]:
    """Return the object with the code's name; JSON-RPC has it in the error's data."""
    error: dict[str, Any] = body.get("error") or {}
    named: dict[str, Any] = error.get("data", error)
    return named


class _CountingView:
    """A view of a source, whose requests count as those of the source."""

    def __init__(self, counting: Any, view: Any) -> None:
        self._counting = counting
        self._view = view

    def __getattr__(self, name: str) -> Any:
        self._counting.requests += name in _SOURCE_CALLS
        return getattr(self._view, name)


class _CountingSource:
    """A real source that counts the requests to it."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self.requests = 0

    def __getattr__(self, name: str) -> Any:
        self.requests += name in _SOURCE_CALLS
        found = getattr(self._source, name)
        return partial(self._read, found) if name == "reading" else found

    def _read(self, reading: Callable[[str], Any], rejection: str) -> _CountingView:
        """Return the source for operations that only read."""
        return _CountingView(self, reading(rejection))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a call."""

    body: dict[str, Any]
    """The envelope."""
    code: str | None
    """The error code; None for a success."""
    message: str
    """The error message; empty for a success."""
    details: Any
    """The error details; None for a success."""
    metadata: dict[str, Any]
    """`_metadata` of the TradeStream dialect."""


class ServerUnderTest:
    """A server with a client; it counts requests to sources and notes observations."""

    def __init__(
        self, module: str, client: Client, sources: Mapping[str, _CountingSource], observations: Observations
    ) -> None:
        self._module = module
        self._client = client
        self._sources = sources
        self._observations = observations

    @property
    def client(self) -> Client:
        """The client, for calls that `call` cannot make."""
        return self._client

    @property
    def source_requests(self) -> int:
        """The number of requests to the sources that tools read or write."""
        effects = [each["effects"] for each in contracts()[self._module]["tools"]]
        used = {name for each in effects for key in ("reads", "adds", "writes") for name in each.get(key, ())}
        return sum(source.requests for name, source in self._sources.items() if name in used)

    async def wait_for_source_requests(self, count: int) -> None:
        """Run other tasks until the sources received *count* requests.

        The timers of the calls are then set.
        """
        async with asyncio.timeout(_PATIENCE_S):
            while self.source_requests < count:  # noqa: ASYNC110 - no event exists: the source is the real one
                await asyncio.sleep(0)

    async def check(self) -> None:
        """Check each source, as `/ready` does."""
        for source in self._sources.values():
            await source.check()

    async def call(self, name: str, /, _key: str | None = None, **arguments: Any) -> Answer:
        """Call a tool, under the idempotency key *_key* if given."""
        before, meta = self.source_requests, cast("Any", None if _key is None else {"idempotency_key": _key})
        async with asyncio.timeout(_PATIENCE_S):
            result = await self._client.call_tool(name, arguments, meta=meta)
        body = parse_body(result)
        code, error = error_code(body), body.get("error") or {}
        assert result.is_error == (code is not None)
        if result.structured_content is not None:
            assert result.structured_content == body
        if result.is_error:
            self._observations.answers.add((name, str(code)))
        else:
            self._observe_result(name, body, is_hit=self.source_requests == before)
        return Answer(
            body=body,
            code=code,
            message=error.get("message", ""),
            details=error_details(body),
            metadata=body.get("_metadata", {}),
        )

    def _observe_result(self, name: str, body: dict[str, Any], *, is_hit: bool) -> None:
        data = body["data"] if "_metadata" in body else body
        Draft202012Validator(tool(self._module, name)["returns"]).validate(data)
        if is_hit:
            self._observations.cached.add((name,))
        if data.get("items") and data.get("pagination", {}).get("offset"):
            self._observations.paginated.add((name,))


@asynccontextmanager
async def open_server(
    module: str,
    settings: Mapping[str, Any],
    observations: Observations,
    clock: Clock | None = None,
    has_rate_limits: bool = False,  # noqa: FBT001, FBT002 - positional, because *limits* are keywords
    /,
    **limits: float,
) -> AsyncIterator[ServerUnderTest]:
    """Give the server of *module*, e.g. tradestream.strategy, with its handlers and sources.

    *limits* replace those of all sources. Without rate limits, rejected calls reach no source.
    """
    clock = clock or ManualClock(NOW)
    served = importlib.import_module(f"generated.{module}.server").server(importlib.import_module(f"handlers.{module}"))
    served = served if has_rate_limits else unlimited(served)
    values = {setting.name: setting.default for setting in served.settings} | dict(settings)
    async with AsyncExitStack() as stack:
        sources = {}
        for declared in served.sources:
            source = dataclasses.replace(cast("Any", declared), **limits).open(values, clock)
            stack.push_async_callback(source.close)
            sources[declared.name] = _CountingSource(source)
        opened: Any = sources
        client = await stack.enter_async_context(connect(served, sources=opened, settings=values, clock=clock))
        yield ServerUnderTest(module, client, sources, observations)


def unlimited(server: Server[Any]) -> Server[Any]:
    """Return *server* without rate limits, for tests that call a tool often."""
    tools = tuple(dataclasses.replace(tool, rate_limit=None) for tool in server.tools)
    return dataclasses.replace(server, tools=tools)


def without_key_stores(server: Server[Any]) -> Server[Any]:
    """Return *server* without stores of idempotency keys, so that every call runs its handler."""
    tools = [
        dataclasses.replace(tool, idempotency=tool.idempotency and dataclasses.replace(tool.idempotency, store=None))
        for tool in server.tools
    ]
    return dataclasses.replace(server, tools=tuple(tools))


def break_handler(patch: pytest.MonkeyPatch, module: str, tool: str) -> None:
    """Give *tool* of a server a handler with a bug, whose exception holds a secret."""

    async def fail(_request: Any, _call: Any) -> None:
        raise ZeroDivisionError("s3cr3t")

    patch.setattr(f"handlers.{module}.{name_handler(tool)}", fail)


def name_handler(tool: str) -> str:
    """Return the name of a tool's handler."""
    return re.sub(r"\W", "_", tool)


FAILING_PREFIX = "!"
"""A text that the recorder's handlers cannot complete, because their source fails."""
_CONTENTS: Mapping[str, str | bytes] = {"text": "text", "binary": b"bytes"}


class _Anything(RootModel[Any]):
    """A record that holds any JSON, and values that JSON has no form for."""

    model_config = ConfigDict(ser_json_inf_nan="constants")


def first_result_example(tool: dict[str, Any]) -> dict[str, Any]:
    """Return the first example of *tool* that has a result."""
    example: dict[str, Any] = next(each for each in tool["examples"] if "returns" in each)
    return example


def find_lookups(module: str) -> dict[str, Any]:
    """Return the lookups of a server's older versions, by name."""
    versions = [version for tool in contracts()[module]["tools"] for version in tool.get("versions", ())]
    steps = [(step, "") for version in versions for step in version["to_next"]["parameters"]]
    steps += [(step, "_back") for version in versions for step in version["to_next"]["returns"]]
    names = [step["lookup"] + suffix for step, suffix in steps if "lookup" in step]
    return {name: getattr(importlib.import_module(f"handlers.{module}"), name) for name in names}


def create_readers(module: str) -> dict[str, Any]:
    """Return handlers of a server's resources, prompts and completions, with the least content."""

    def reading(resource: dict[str, Any]) -> Callable[[Any, Any], Awaitable[Any]]:
        async def read(_request: Any, _call: Any) -> Any:
            return (
                _Anything(minimal_value(resource["returns"]))
                if resource["content"] == "json"
                else _CONTENTS[resource["content"]]
            )

        return read

    async def complete(prefix: str, _call: Any) -> list[str]:
        if prefix == FAILING_PREFIX:
            raise SourceError("s3cr3t")
        return [f"{prefix}{number}" for number in range(3)]

    async def list_all(_call: Any) -> dict[str, list[str]]:
        return {"S1": ["none"], "N2": []}

    async def write(request: BaseModel, _call: Any) -> list[Message]:
        return [Message("user", Text(request.model_dump_json()))]

    resources = [each for each in contracts()[module].get("resources", ()) if "static" not in each]
    asked = [*resources, *contracts()[module].get("prompts", ())]
    members = [
        (f"complete_{name_handler(each['name'])}_{name}", member.get("complete"))
        for each in asked
        for name, member in each.get("parameters", {}).get("properties", {}).items()
    ]
    completed = {name: list_all if isinstance(how, dict) else complete for name, how in members}
    written = {f"prompt_{name_handler(each['name'])}": write for each in contracts()[module].get("prompts", ())}
    return completed | written | {f"read_{each['name']}": reading(each) for each in resources}


class Recorder:
    """Handlers for every tool of a server, which record requests and return set results."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.tools = {tool["name"]: tool for tool in mcp_tools(module)}
        self.requests: list[tuple[str, dict[str, Any]]] = []
        """Tool and arguments of each valid request."""
        self.results: dict[str, Any] = {
            name: first_result_example(tool)["returns"] for name, tool in self.tools.items()
        }
        """The next result of each tool, as JSON; an exception is raised."""
        self.record: Callable[[str, dict[str, Any]], None] = lambda tool, sent: self.requests.append((tool, sent))

    def server(self) -> Server[Any]:
        """Return the generated server on MCP with these handlers, and without limits of its callers."""
        names = [tool["name"] for tool in contracts()[self.module]["tools"]]
        handlers = {name_handler(name): self._create_handler(name) for name in names}
        declared = importlib.import_module(f"generated.{self.module}.server")
        served = declared.server(
            SimpleNamespace(**handlers | find_lookups(self.module) | create_readers(self.module))
        ).on("stdio")
        return without_key_stores(unlimited(served))

    def uncached_server(self) -> Server[Any]:
        """Return the server without caches, so that every valid request reaches a handler."""
        served = self.server()
        return dataclasses.replace(served, tools=tuple(dataclasses.replace(tool, cache=None) for tool in served.tools))

    def _create_handler(self, name: str) -> Callable[[BaseModel, Any], Awaitable[Any]]:
        async def handle(request: BaseModel, _call: Any) -> Any:
            self.record(name, request.model_dump(mode="json", by_alias=True, exclude_unset=True))
            result = self.results[name]
            if isinstance(result, Exception):
                raise result
            if self.tools[name].get("pagination") is None:
                return _Anything(result)
            return Page([_Anything(item) for item in result["items"]], result["pagination"]["total"])

        return handle


def main() -> int:
    """Serve a recorder that writes requests to a file."""
    module, file = sys.argv[1:]
    recorder = Recorder(module)
    with Path(file).open("w", encoding="utf-8", buffering=1) as lines:
        recorder.record = lambda tool, arguments: print(json.dumps([tool, arguments]), file=lines)
        return run(recorder.uncached_server(), argv=[])


if __name__ == "__main__":
    raise SystemExit(main())
