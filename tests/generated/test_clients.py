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
from toolaccord import Page
from toolaccord.client.base import ServerClient
from toolaccord.client.declarations import PagedTool, RemoteCompletion, RemotePrompt, RemoteResource, RemoteTool
from toolaccord.content import Message
from toolaccord.declarations.operation import Operation
from toolaccord.declarations.tool import Server
from toolaccord.errors import ToolError, UndeclaredError
from toolaccord.testing import Era, connection
from toolaccord_codegen.schema_sets.samples import minimal_value

ROOT = Path(__file__).parents[2]
SERVERS = sorted(contracts())
UNWANTED = (
    "asyncpg",
    "grpc",
    "httpx2",
    "jsonschema",
    "mcp",
    "toolaccord.call.pipeline",
    "toolaccord.declarations.tool",
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


def declared_server(name: str, handle: Callable[[], Any]) -> Server[Any]:
    """Return a server whose tools all call *handle*."""

    async def handler(_request: Any, _call: Any) -> Any:
        return handle()

    names = [name_handler(tool["name"]) for tool in contracts()[name]["tools"]]
    handlers = SimpleNamespace(**dict.fromkeys(names, handler) | find_lookups(name) | create_readers(name))
    return without_key_stores(generated(name, "server").server(handlers))


def client(name: str, handle: Callable[[], Any], era: Era = "stateless") -> ServerClient:
    """Return a client of a server whose tools all call *handle*."""
    [kind] = [
        each
        for each in vars(generated(name, "client")).values()
        if isinstance(each, type) and issubclass(each, ServerClient) and each is not ServerClient
    ]
    made: ServerClient = kind(connection(declared_server(name, handle), era=era))
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
        pytest.param(name, tool, declared.error, id=f"{name}.{tool.name}-{declared.error.__name__}")
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


@pytest.mark.parametrize("era", ["handshake", "stateless"])
@pytest.mark.parametrize("name", [name for name in SERVERS if "prompts" in contracts()[name]])
async def test_every_prompt_has_methods_for_its_messages_and_completions(name: str, era: Era) -> None:
    async with client(name, dict, era) as opened:
        for prompt in declared_server(name, dict).prompts:
            get = getattr(opened, name_handler(f"prompt_{prompt.name}"))
            request = prompt.request.model_validate(minimal_value(prompt.parameters))
            messages = await (get(request) if prompt.parameters["properties"] else get())
            assert messages
            assert {type(each) for each in messages} == {Message}
            await complete_all(opened, prompt)


@pytest.mark.parametrize("era", ["handshake", "stateless"])
@pytest.mark.parametrize("name", [name for name in SERVERS if "resources" in contracts()[name]])
async def test_every_resource_with_a_handler_has_methods_for_its_content_and_completions(name: str, era: Era) -> None:
    async with client(name, dict, era) as opened:
        for resource in declared_server(name, dict).resources:
            if not isinstance(resource.content, Operation):  # the contract of a tool
                continue
            read = getattr(opened, name_handler(f"read_{resource.name}"))
            request = resource.content.request.model_validate(minimal_value(resource.content.parameters))
            assert await (read(request) if resource.uri_template else read())
            await complete_all(opened, resource)


async def complete_all(opened: ServerClient, owner: Any) -> None:
    """Complete every value of a prompt or a resource that has completions."""
    for each in owner.completions:
        completed = await getattr(opened, name_handler(f"complete_{owner.name}_{each.member}"))("")
        assert completed.values


def test_importing_clients_loads_neither_servers_nor_sources_nor_the_sdk() -> None:
    code = f"import sys, {', '.join(f'generated.{name}.client' for name in SERVERS)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {*done.stdout.split()}
    servers = {f"generated.{name}.server" for name in SERVERS}
    assert loaded & {*UNWANTED, *servers, "jsonschema_rs", "toolaccord.schema.validator"} == set()
    assert [name for name in loaded if name.startswith(("toolaccord.sources", "toolaccord.transports"))] == []
