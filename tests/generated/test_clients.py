"""Prove that every generated client reads each result and declared error of its server."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.contracts.reading import contracts, mcp_tools
from tests.servers.harness import create_readers, find_lookups, name_handler, without_key_stores
from toolpact import Page
from toolpact.client.base import ServerClient
from toolpact.client.declarations import PagedTool, RemoteCompletion, RemotePrompt, RemoteResource, RemoteTool
from toolpact.errors import ToolError, UndeclaredError
from toolpact.testing import Era, connection

ROOT = Path(__file__).parents[2]
SERVERS = sorted(contracts())
UNWANTED = (
    "asyncpg",
    "grpc",
    "httpx2",
    "jsonschema",
    "mcp",
    "toolpact.call.pipeline",
    "toolpact.declarations.tool",
    "starlette",
)
"""Modules that a client needs only once it is opened, or never."""

Tool = RemoteTool[Any, Any]


def generated(name: str, module: str) -> Any:
    """Import a module of a server."""
    return importlib.import_module(f"generated.{name}.{module}")


def tools(name: str) -> list[Tool]:
    """Return the tools of a client."""
    found = [each for each in vars(generated(name, "client")).values() if isinstance(each, RemoteTool)]
    return [each for each in found if not isinstance(each, RemoteCompletion | RemotePrompt | RemoteResource)]


def each_tool() -> list[Any]:
    """Return every tool of every client, with its server."""
    return [pytest.param(name, tool, id=f"{name}.{tool.name}") for name in SERVERS for tool in tools(name)]


def example(name: str, tool: Tool) -> dict[str, Any]:
    """Return the contract's example of a successful call."""
    found = next(each for each in contracts()[name]["tools"] if each["name"] == tool.name)
    return next(each for each in found["examples"] if "returns" in each)


def client(name: str, handle: Callable[[], Any], era: Era = "stateless") -> ServerClient:
    """Return a client of a server whose handlers all call *handle*."""

    async def handler(_request: Any, _call: Any) -> Any:
        return handle()

    names = [name_handler(tool["name"]) for tool in contracts()[name]["tools"]]
    handlers = SimpleNamespace(**dict.fromkeys(names, handler) | find_lookups(name) | create_readers(name))
    server = without_key_stores(generated(name, "server").server(handlers))
    [kind] = [
        each
        for each in vars(generated(name, "client")).values()
        if isinstance(each, type) and issubclass(each, ServerClient) and each is not ServerClient
    ]
    made: ServerClient = kind(connection(server, era=era))
    return made


async def called(client: ServerClient, name: str, tool: Tool) -> Any:
    """Return the result of the tool's method for the contract's example."""
    request = tool.request.model_validate(example(name, tool)["arguments"])
    return await getattr(client, name_handler(tool.name))(request)


@pytest.mark.parametrize("name", SERVERS)
def test_a_client_has_every_tool_of_the_contract(name: str) -> None:
    assert [tool.name for tool in tools(name)] == [tool["name"] for tool in mcp_tools(name)]


@pytest.mark.parametrize("era", ["handshake", "stateless"])
@pytest.mark.parametrize("name, tool", each_tool())
async def test_a_method_returns_the_result_as_its_record(name: str, tool: Tool, era: Era) -> None:
    result: Any = tool.result.model_validate(example(name, tool)["returns"])
    paged = isinstance(tool, PagedTool)
    given = Page(result.items, len(result.items)) if paged else result
    async with client(name, lambda: given, era) as opened:
        answer = await called(opened, name, tool)
        assert type(answer) is tool.result
        if paged:
            assert answer.items == result.items
        else:
            assert answer == result


@pytest.mark.parametrize(
    "name, tool, declared",
    [
        pytest.param(name, tool, declared, id=f"{name}.{tool.name}-{declared.__name__}")
        for name in SERVERS
        for tool in tools(name)
        for declared in tool.errors
    ],
)
async def test_every_declared_error_is_raised_as_the_class_that_handlers_raise(
    name: str, tool: Tool, declared: type[ToolError]
) -> None:
    raised = declared.received("so it is", {"symbol": "ETH/USD", "number": 1.5})

    def fail() -> None:
        raise raised

    async with client(name, fail) as opened:
        with pytest.raises(declared) as caught:
            await called(opened, name, tool)
    assert type(caught.value) is declared
    assert (caught.value.message, caught.value.details) == (raised.message, raised.details)


@pytest.mark.parametrize("name, tool", each_tool())
async def test_an_undeclared_code_is_raised_with_the_code(name: str, tool: Tool) -> None:
    def fail() -> None:
        raise RuntimeError("a secret")

    async with client(name, fail) as opened:
        with pytest.raises(UndeclaredError, match="The server failed to answer") as caught:
            await called(opened, name, tool)
        assert caught.value.code in {"INTERNAL", "INTERNAL_ERROR", "MCP-999"}


@pytest.mark.parametrize("name", SERVERS)
def test_importing_a_client_loads_neither_sources_nor_schemas_nor_the_sdk(name: str) -> None:
    code = f"import sys, generated.{name}.client; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    unwanted = {*UNWANTED, f"generated.{name}.server", f"generated.{name}.schemas"}
    assert unwanted.isdisjoint(loaded)
    assert [name for name in loaded if name.startswith(("toolpact.sources", "toolpact.transports"))] == []
