"""Fast path for common requests, without the SDK: handshake, lists, calls, host probes.

The SDK is the reference. It answers every other request, and would answer these with the same messages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.declarations.tool import Server
from toolaccord.errors import UnknownTool
from toolaccord.json_values import JsonObject
from toolaccord.transports.mcp import jsonrpc, request_shapes, tool_list
from toolaccord.transports.mcp.apps import can_show_views
from toolaccord.transports.mcp.call_results import CallResults
from toolaccord.transports.mcp.capabilities import LISTS, server_capabilities, server_info, stateless_capabilities
from toolaccord.transports.mcp.jsonrpc import ProtocolError
from toolaccord.transports.mcp.requests import Client, NeedsSdk, OnResult, Request, ResultOrTask
from toolaccord.transports.mcp.scoped_lists import ScopedLists, cache_scope
from toolaccord.transports.mcp.tool_list import ToolList
from toolaccord.transports.mcp.unknown_tool import unknown_tool

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.deferral.calls import TaskCalls
    from toolaccord.transports.mcp.tasks import TaskMethods

MethodHandler: TypeAlias = "Callable[[Request, Client, OnResult], ResultOrTask]"
"""Answers the requests of one method."""

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_CALL_PARAMS = frozenset({"name", "arguments", "version"})


class FastPath(ABC):
    """Answers the requests of one era of the protocol."""

    def __init__(self, pipeline: Pipeline, tasks: TaskCalls | None = None) -> None:
        self._pipeline = pipeline
        self._server = pipeline.server
        self._tasks = None if tasks is None else _open_methods(tasks, self._server)
        self._encode_result = self._call_results().encode
        self._messaging_tools = {
            tool.name: tool for tool in self._server.tools if tool.progress or tool.logging or tool.asks
        }
        """Tools that may send messages of their own, by name."""
        self._tool_list = ToolList(pipeline, lambda tools: self._encode_list({"tools": tools}))
        self._capabilities = server_capabilities(self._server)
        self._handlers = self._method_handlers()

    def answer(self, request: Request, client: Client, on_result: OnResult) -> ResultOrTask:
        """Return the result of *request*, or a task that passes it to *on_result*.

        Raises NeedsSdk, and ProtocolError for a request whose response is an error.
        """
        handler = self._handlers.get(request.method)
        if handler is None or not self._is_common_meta(request.meta):
            raise NeedsSdk
        return handler(request, client, on_result)

    @abstractmethod
    def _is_common_meta(self, meta: JsonObject | None) -> bool:
        """Return whether the fast path understands *meta*."""

    @abstractmethod
    def _method_handlers(self) -> Mapping[str, MethodHandler]:
        """Return the handler of each method."""

    def _sends_messages(self, name: str, meta: JsonObject | None) -> bool:
        """Return whether a call of a messaging tool may send messages beside its result."""
        return bool(self._messaging_tools[name].asks) or (meta is not None and "progressToken" in meta)

    def _declares_tasks(self, meta: JsonObject | None) -> bool:  # noqa: ARG002 - no client of the handshake era can
        """Return whether the client handles tasks."""
        return False

    def _shows_views(self, request: Request, client: Client) -> bool:  # noqa: ARG002 - `initialize` has declared it
        """Return whether the host shows views."""
        return client.shows_views

    @abstractmethod
    def _call_results(self) -> CallResults:
        """Return the encoder of results of calls."""

    @abstractmethod
    def _encode_list(self, members: JsonObject) -> bytes:
        """Return the result of a list method with *members*, which is its only page."""

    @abstractmethod
    def _client_info(self, meta: JsonObject | None) -> JsonObject | None:
        """Return the `clientInfo` in the `_meta` of a request."""

    def _probes(self) -> Mapping[str, MethodHandler]:
        """Return the handlers of methods that hosts try at every server."""
        probes: dict[str, MethodHandler] = {
            method: self._answer_list
            if capability in self._capabilities
            else lambda request, *_: _reject_method(request, is_valid=not request.params)
            for method, capability in LISTS.items()
        }
        if "completions" not in self._capabilities:
            probes["completion/complete"] = lambda request, *_: _reject_method(
                request, is_valid=request_shapes.is_completion(request.params)
            )
        return probes

    def _answer_tools(self, request: Request, client: Client, *_: Any) -> bytes:
        shows_views = self._shows_views(request, client)
        return _answer_without_params(request, self._tool_list.current(client.proven, shows_views=shows_views))

    def _answer_list(self, request: Request, client: Client, *_: Any) -> bytes:
        listed = self._contract_lists[request.method]
        return _answer_without_params(
            request, listed.get(client.proven, shows_views=self._shows_views(request, client))
        )

    @cached_property
    def _contract_lists(self) -> Mapping[str, ScopedLists[bytes]]:
        """The result of each list of the server, as its callers see it."""
        from toolaccord.transports.mcp.contract_lists import contract_lists  # noqa: PLC0415 - few servers need it

        lists = contract_lists(self._server)
        return {method: self._encode_page(each.page) for method, each in lists.items()}

    def _encode_page(self, page: Callable[[Server[Any]], JsonObject]) -> ScopedLists[bytes]:
        return ScopedLists(self._server, lambda seen: self._encode_list(page(seen)))

    @cached_property
    def _instructions(self) -> JsonObject:
        """The member `instructions`, if the contract has some."""
        instructions = self._server.instructions
        return {} if instructions is None else {"instructions": instructions}

    def _call(self, request: Request, client: Client, on_result: OnResult) -> ResultOrTask:
        params, meta = request.params, request.meta
        name, arguments = params.get("name"), params.get("arguments", {})
        if type(name) is not str or arguments is None or not _CALL_PARAMS.issuperset(params):
            raise NeedsSdk
        if type(arguments) is not dict:
            raise ProtocolError(jsonrpc.INVALID_PARAMS, "Invalid request parameters", "")
        tasks = self._tasks if self._tasks and self._tasks.takes(name, is_declared=self._declares_tasks(meta)) else None
        if tasks and tasks.asks_first(name):
            raise NeedsSdk
        if tasks is None and name in self._messaging_tools and self._sends_messages(name, meta):
            raise NeedsSdk
        name_of_client, complete_meta = client.resolve_name(self._client_info(meta)), client.complete_meta(meta)
        version = params.get("version")
        try:
            call = self._pipeline.receive(
                name,
                arguments,
                complete_meta,
                version=version,
                caller=name_of_client,
                identity=client.identity,
            ).by(client.proven)
        except UnknownTool:
            raise unknown_tool(self._server.dialect, name, complete_meta) from None
        encode = self._encode_result
        if tasks and meta:
            call, encode = tasks.defer(call, meta[request_shapes.CLIENT_CAPABILITIES]), tasks.encode_answer

        def on_answer(answer: Answer | None) -> None:
            on_result(None if answer is None else encode(answer))

        started = self._pipeline.start(call, on_answer)
        return encode(started) if isinstance(started, Answer) else started


class HandshakeFastPath(FastPath):
    """Fast path of protocol versions up to 2025-11-25; a connection starts with `initialize`."""

    def initialize(self, request: Request) -> tuple[bytes, str]:
        """Return the result of `initialize`, and the name of the client. Raises NeedsSdk."""
        params = request.params
        if params.keys() != {"protocolVersion", "capabilities", "clientInfo"} or not self._is_common_meta(request.meta):
            raise NeedsSdk
        requested, capabilities, client = params["protocolVersion"], params["capabilities"], params["clientInfo"]
        if (
            type(requested) is not str
            or not request_shapes.are_capabilities(capabilities)
            or not request_shapes.is_client_info(client)
        ):
            raise NeedsSdk
        version = requested if requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        result = {
            "protocolVersion": version,
            "capabilities": self._capabilities,
            "serverInfo": server_info(self._server),
        }
        return orjson.dumps(result | self._instructions), client["name"]

    def _sends_messages(self, name: str, meta: JsonObject | None) -> bool:
        return self._messaging_tools[name].logging or super()._sends_messages(name, meta)

    def _is_common_meta(self, meta: JsonObject | None) -> bool:
        return meta is None or request_shapes.is_handshake_meta(meta)

    def _client_info(self, meta: JsonObject | None) -> JsonObject | None:  # noqa: ARG002 - `initialize` has it
        return None

    def _call_results(self) -> CallResults:
        return CallResults(self._server)

    def _method_handlers(self) -> Mapping[str, MethodHandler]:
        return {
            "tools/call": self._call,
            "tools/list": self._answer_tools,
            "ping": lambda request, *_: _answer_without_params(request, b"{}"),
            "server/discover": lambda request, *_: _reject_method(request),
            "logging/setLevel": lambda request, *_: _reject_method(
                request, is_valid="logging" not in self._capabilities and request_shapes.is_set_level(request.params)
            ),
            **self._probes(),
        }

    def _encode_list(self, members: JsonObject) -> bytes:
        return orjson.dumps(members)


class StatelessFastPath(FastPath):
    """Fast path of protocol version 2026-07-28; each request names its client and its version."""

    def _call_results(self) -> CallResults:
        return CallResults.stateless(self._server)

    def _is_common_meta(self, meta: JsonObject | None) -> bool:
        return meta is not None and request_shapes.is_stateless_meta(meta)

    def _client_info(self, meta: JsonObject | None) -> JsonObject | None:
        return meta.get(request_shapes.CLIENT_INFO) if meta else None

    def _method_handlers(self) -> Mapping[str, MethodHandler]:
        return {
            "tools/call": self._call,
            "tools/list": self._answer_tools,
            "server/discover": lambda request, *_: _answer_without_params(request, self._discover_result),
            "ping": lambda request, *_: _reject_method(request),
            "logging/setLevel": lambda request, *_: _reject_method(request),
            **self._probes(),
            **(self._tasks.handlers if self._tasks else {}),
        }

    def _declares_tasks(self, meta: JsonObject | None) -> bool:
        return self._tasks is not None and self._tasks.declares(meta)

    def _shows_views(self, request: Request, client: Client) -> bool:  # noqa: ARG002 - each request declares it
        return can_show_views((request.meta or {})[request_shapes.CLIENT_CAPABILITIES].get("extensions"))

    def _encode_list(self, members: JsonObject) -> bytes:
        return self._encode_cacheable(members, tool_list.CACHE_TTL_MS, cache_scope(self._server))

    @cached_property
    def _discover_result(self) -> bytes:
        capabilities = stateless_capabilities(self._server, has_tasks=self._tasks is not None)
        result = {"supportedVersions": [request_shapes.STATELESS_VERSION], "capabilities": capabilities}
        return self._encode_cacheable(result | self._instructions, 0, "private")

    def _encode_cacheable(self, result: JsonObject, ttl_ms: int, scope: str) -> bytes:
        meta = {"io.modelcontextprotocol/serverInfo": server_info(self._server)}
        return orjson.dumps({"resultType": "complete", "ttlMs": ttl_ms, "cacheScope": scope, **result, "_meta": meta})


def _answer_without_params(request: Request, result: bytes) -> bytes:
    """Return *result*. Raises NeedsSdk for a request with parameters."""
    if request.params:
        raise NeedsSdk
    return result


def _reject_method(request: Request, *, is_valid: bool = True) -> bytes:
    """Raise ProtocolError for an unsupported method, or NeedsSdk for invalid parameters."""
    if not is_valid:
        raise NeedsSdk
    raise ProtocolError(jsonrpc.METHOD_NOT_FOUND, "Method not found", request.method)


def _open_methods(tasks: TaskCalls, server: Server[Any]) -> TaskMethods:
    from toolaccord.transports.mcp.tasks import TaskMethods  # noqa: PLC0415 - only such a server needs it

    return TaskMethods(tasks, server)
