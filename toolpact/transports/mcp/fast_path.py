"""What nearly every request is, answered without the SDK: the handshake, the list of tools, calls, and what hosts probe.

Whatever is not plainly one of these is left to the SDK, which stays the reference: it answers every request, and these no differently.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import orjson

from toolpact.call.pipeline import Pipeline
from toolpact.call.response import Answer
from toolpact.errors import UnknownTool
from toolpact.json_values import JsonObject
from toolpact.timing.deadline import DeadlineTask
from toolpact.transports.mcp import deprecation, jsonrpc, request_meta, request_shapes, tool_list
from toolpact.transports.mcp.jsonrpc import ProtocolError
from toolpact.transports.mcp.tool_list import Listing

Hear: TypeAlias = "Callable[[bytes | None], None]"
"""What is called with the result of a call as JSON, once and as soon as it is there; with None where the call was given up."""
Result: TypeAlias = "bytes | DeadlineTask[Any]"
"""The result of a request as JSON; of a call that takes its time, what may be given up, and else has it heard."""
Answering: TypeAlias = "Callable[[Request, Asker, Hear], Result]"
"""Answers the requests of one method."""

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_LONGEST_NAME = 128
_REQUEST = frozenset({"jsonrpc", "id", "method", "params"})
_CALL = frozenset({"name", "arguments", "version"})
_LISTS = ("prompts/list", "resources/list", "resources/templates/list")
_CAPABILITIES: JsonObject = {"tools": {"listChanged": False}}


class Uncommon(Exception):
    """A message that the SDK is to judge."""


class Request(NamedTuple):
    """A request that JSON-RPC has nothing against."""

    given: str | int
    """Its id."""
    method: str
    """What is asked."""
    params: JsonObject
    """The parameters, `_meta` aside."""
    meta: JsonObject | None
    """What it says about itself; None where it has no `_meta`."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks."""

    name: str = ""
    """The name that the client gave itself; empty where it gave none."""
    headers: Mapping[str, str] | None = None
    """The headers around the request; None where there are none."""

    def meta(self, said: JsonObject | None) -> JsonObject | None:
        """Return what is known about a request that says *said* about itself."""
        return said if self.headers is None else request_meta.meta(self.headers, said)

    def named(self, client: JsonObject | None) -> str:
        """Return the name of who asks, where the request names *client*."""
        if client:
            name: str = client["name"]
            return name
        return self.name if self.headers is None else request_meta.product(self.headers)


def read(message: Any) -> Request:
    """Return the request that *message* is. Raises Uncommon."""
    if type(message) is not dict or not _REQUEST.issuperset(message) or message.get("jsonrpc") != "2.0":
        raise Uncommon
    given: Any = message.get("id")
    method, params = message.get("method"), message.get("params", {})
    if type(given) not in {int, str} or type(method) is not str or type(params) is not dict:
        raise Uncommon
    if "_meta" not in params:
        return Request(given, method, params, None)
    meta = params.pop("_meta")
    if type(meta) is not dict:
        raise Uncommon
    return Request(given, method, params, meta)


class Front(ABC):
    """Answers the requests of one era. What is raised: Uncommon, and ProtocolError where the SDK answers with an error."""

    _type = b""
    """What the result of a call says of itself."""
    _stamp = b""
    """What it says of the server."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._server = pipeline.server
        self._errors_structured = self._server.dialect.errors_in_output_schema
        self._telling = {tool.name for tool in self._server.tools if tool.progress}
        self._listing = Listing(pipeline, self._listed)
        self._methods = self._served()

    def answer(self, request: Request, asker: Asker, hear: Hear) -> Result:
        """Return the result of *request*, or have *hear* called with it."""
        answer = self._methods.get(request.method)
        if answer is None or not self._is_usual(request.meta):
            raise Uncommon
        return answer(request, asker, hear)

    @abstractmethod
    def _is_usual(self, meta: JsonObject | None) -> bool:
        """Return whether a request may have *meta*."""

    @abstractmethod
    def _served(self) -> Mapping[str, Answering]:
        """Return what answers each method."""

    @abstractmethod
    def _listed(self, tools: list[JsonObject]) -> bytes:
        """Return the list of *tools* as the result of `tools/list`."""

    @abstractmethod
    def _client(self, meta: JsonObject | None) -> JsonObject | None:
        """Return who the client says it is, in *meta* of a request."""

    @cached_property
    def _about(self) -> JsonObject:
        """Who the server is."""
        server = self._server
        about = {
            "name": server.name,
            "title": server.title,
            "version": server.version,
            "description": server.description,
        }
        return {name: text for name, text in about.items() if text is not None}

    @cached_property
    def _advice(self) -> JsonObject:
        """How to use the server, where the contract says so."""
        advice = self._server.instructions
        return {} if advice is None else {"instructions": advice}

    def _call(self, request: Request, asker: Asker, hear: Hear) -> Result:
        params, meta = request.params, request.meta
        name, arguments = params.get("name"), params.get("arguments", {})
        if type(name) is not str or type(arguments) is not dict or not _CALL.issuperset(params):
            raise Uncommon
        if name in self._telling and meta and "progressToken" in meta:
            raise Uncommon
        caller = asker.named(self._client(meta))
        try:
            asked = self._pipeline.receive(
                name, arguments, asker.meta(meta), version=params.get("version"), caller=caller
            )
        except UnknownTool:
            raise ProtocolError(jsonrpc.INVALID_PARAMS, f"Unknown tool: {name[:_LONGEST_NAME]}") from None
        begun = self._pipeline.start(asked, lambda answer: hear(None if answer is None else self._told(answer)))
        return self._told(begun) if isinstance(begun, Answer) else begun

    def _told(self, answer: Answer) -> bytes:
        """Return *answer* as the result of a call: the envelope, encoded once, is both its structure and its text."""
        structured = not answer.is_error or self._errors_structured  # as in the SDK's answer, see mcp.py
        notice = b"," + orjson.dumps(deprecation.meta(answer.deprecation))[1:-1] if answer.deprecation else b""
        parts = (
            b'{"content":[{"type":"text","text":',
            orjson.dumps(answer.text),
            b'}],"isError":true' if answer.is_error else b'}],"isError":false',
            b',"structuredContent":' if structured else b"",
            answer.json if structured else b"",
            b',"_meta":{"corr_id":"',
            answer.corr_id.encode(),
            b'"',
            notice,
            self._stamp,
            b"}",
            self._type,
            b"}",
        )
        return b"".join(parts)


class HandshakeFront(Front):
    """Answers requests through 2025-11-25; a connection begins with `initialize`."""

    def initialized(self, request: Request) -> tuple[bytes, str]:
        """Return the result of `initialize`, and the name that the client gave itself."""
        params = request.params
        if params.keys() != {"protocolVersion", "capabilities", "clientInfo"} or not self._is_usual(request.meta):
            raise Uncommon
        asked, capabilities, client = params["protocolVersion"], params["capabilities"], params["clientInfo"]
        if (
            type(asked) is not str
            or not request_shapes.are_capabilities(capabilities)
            or not request_shapes.is_client(client)
        ):
            raise Uncommon
        version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        about = {"protocolVersion": version, "capabilities": _CAPABILITIES, "serverInfo": self._about}
        return orjson.dumps(about | self._advice), client["name"]

    def _is_usual(self, meta: JsonObject | None) -> bool:
        return meta is None or request_shapes.is_handshake_meta(meta)

    def _client(self, meta: JsonObject | None) -> JsonObject | None:  # noqa: ARG002 - it was said once, in the handshake
        return None

    def _served(self) -> Mapping[str, Answering]:
        return {
            "tools/call": self._call,
            "tools/list": lambda request, *_: _without_params(request, self._listing.today()),
            "ping": lambda request, *_: _without_params(request, b"{}"),
            "server/discover": lambda request, *_: _unheard_of(request),
            "logging/setLevel": lambda request, *_: _unheard_of(request, usual=request_shapes.is_level(request.params)),
            **_PROBES,
        }

    def _listed(self, tools: list[JsonObject]) -> bytes:
        return orjson.dumps({"tools": tools})


class StatelessFront(Front):
    """Answers requests of 2026-07-28, each of which says itself who asks, and how."""

    _type = b',"resultType":"complete"'

    def __init__(self, pipeline: Pipeline) -> None:
        super().__init__(pipeline)
        self._stamp = b',"io.modelcontextprotocol/serverInfo":' + orjson.dumps(self._about)

    def _is_usual(self, meta: JsonObject | None) -> bool:
        return meta is not None and request_shapes.is_envelope(meta)

    def _client(self, meta: JsonObject | None) -> JsonObject | None:
        return meta.get(request_shapes.CLIENT_INFO) if meta else None

    def _served(self) -> Mapping[str, Answering]:
        return {
            "tools/call": self._call,
            "tools/list": lambda request, *_: _without_params(request, self._listing.today()),
            "server/discover": lambda request, *_: _without_params(request, self._discovered),
            "ping": lambda request, *_: _unheard_of(request),
            "logging/setLevel": lambda request, *_: _unheard_of(request),
            **_PROBES,
        }

    def _listed(self, tools: list[JsonObject]) -> bytes:
        return self._cacheable({"tools": tools}, tool_list.KEPT_MS, "public")

    @cached_property
    def _discovered(self) -> bytes:
        found = {"supportedVersions": [request_shapes.STATELESS_VERSION], "capabilities": _CAPABILITIES}
        return self._cacheable(found | self._advice, 0, "private")

    def _cacheable(self, result: JsonObject, kept_ms: int, scope: str) -> bytes:
        meta = {"io.modelcontextprotocol/serverInfo": self._about}
        return orjson.dumps({"resultType": "complete", "ttlMs": kept_ms, "cacheScope": scope, **result, "_meta": meta})


def _without_params(request: Request, result: bytes) -> bytes:
    """Return *result*, which is that of a request without parameters."""
    if request.params:
        raise Uncommon
    return result


def _unheard_of(request: Request, *, usual: bool = True) -> bytes:
    """Raise what answers a method that this server does not have; *usual* is whether the parameters fit it."""
    if not usual:
        raise Uncommon
    raise ProtocolError(jsonrpc.METHOD_NOT_FOUND, "Method not found", request.method)


_PROBES: Mapping[str, Answering] = {
    **dict.fromkeys(_LISTS, lambda request, *_: _unheard_of(request, usual=not request.params)),
    "completion/complete": lambda request, *_: _unheard_of(request, usual=request_shapes.is_completion(request.params)),
}
"""What hosts ask every server, to hear that this one does not have it."""
