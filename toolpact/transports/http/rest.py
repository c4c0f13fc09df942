"""Tools as plain HTTP: arguments in, the dialect's envelope out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolpact.call.pipeline import Pipeline
from toolpact.call.response import Answer
from toolpact.errors import UnknownTool
from toolpact.telemetry import correlation
from toolpact.timing.deadline import DeadlineTask
from toolpact.transports.http import headers
from toolpact.transports.http.body import ClientGone
from toolpact.transports.http.disconnect import Hearing
from toolpact.transports.http.errors import Refused
from toolpact.transports.mcp import deprecation, jsonrpc, request_meta, tool_list
from toolpact.transports.mcp.tool_list import ToolList

TOOLS_PATH = "/mcp/tools/"
_JSON = "application/json"
_CALL_KEYS = {"name", "version", "arguments", "_meta"}
_LONGEST_KEY = 100


class _Called(NamedTuple):
    """A call as its request has it."""

    name: str
    """The tool."""
    arguments: Any
    """The arguments, whatever they are."""
    version: Any
    """The version that they are in, whatever it says; None where nothing is said."""
    meta: Mapping[str, Any]
    """What the caller says about the call."""


class RestTools:
    """Answers the REST routes of a server's tools; each body comes whole, in one message."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._listing = ToolList(pipeline, lambda tools: orjson.dumps({"tools": tool_list.to_rest(tools)}))

    async def list(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer `tools/list`; whatever the body says, there is one page of tools."""
        corr_id = correlation.resolve_corr_id(request_meta.complete_meta(headers.of(scope)))
        response = Response(self._listing.current(), media_type=_JSON, headers={"X-Correlation-ID": corr_id})
        await response(scope, receive, send)

    async def call(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer `tools/call`: a body that names the tool beside its arguments."""
        body = await _json(receive)
        if not isinstance(body, dict) or not isinstance(body.get("name"), str):
            raise Refused(400, 'The body must be an object with "name" and "arguments".')
        if unknown := sorted(body.keys() - _CALL_KEYS):
            raise Refused(400, f"The body has a key that it may not have: {_quoted(unknown[0])}.")
        meta = body.get("_meta", {})
        if not isinstance(meta, dict):
            raise Refused(400, "_meta must be an object.")
        if not isinstance(body.get("version", ""), str):
            raise Refused(400, "version must be a text.")
        called = _Called(body["name"], body.get("arguments", {}), body.get("version"), meta)
        await self._answer(called, (scope, receive, send))

    async def tool(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call of the tool *name*: the body is its arguments, the query may say in which version they are."""
        query = scope["query_string"]
        version = QueryParams(query).get("version") if query else None
        called = _Called(name, await _json(receive), version, {})
        await self._answer(called, (scope, receive, send))

    async def _answer(self, called: _Called, exchange: tuple[Scope, Receive, Send]) -> None:
        scope, receive, send = exchange
        fields = headers.of(scope)
        meta, caller = request_meta.complete_meta(fields, called.meta), request_meta.client_product(fields)
        try:
            asked = self._pipeline.receive(called.name, called.arguments, meta, version=called.version, caller=caller)
        except UnknownTool:
            raise unknown_tool() from None
        hearing = Hearing[Answer]()
        begun = self._pipeline.start(asked, hearing.hear)
        answer = begun if isinstance(begun, Answer) else await _unless_gone(begun, hearing, receive)
        said = {"X-Correlation-ID": answer.corr_id}
        if answer.deprecation:
            said |= deprecation.to_headers(answer.deprecation, f"{TOOLS_PATH}{called.name}")
        response = Response(answer.json, answer.http, said, _JSON)
        await response(scope, receive, send)


def unknown_tool() -> Refused:
    """Return what is raised for a tool that the server does not have."""
    return Refused(404, "This server has no such tool.", occasion="unknown_tool")


def _quoted(key: str) -> str:
    """Return *key* as a message may show it: half of a surrogate pair, which JSON lets in, no answer can hold."""
    return json.dumps(key[:_LONGEST_KEY])


async def _json(receive: Receive) -> Any:
    """Return the JSON of the body. Raises Refused."""
    message = await receive()
    try:
        return jsonrpc.parse(message["body"])
    except ValueError:
        raise Refused(400, "The body is not JSON.") from None


async def _unless_gone(work: DeadlineTask[Any], hearing: Hearing[Answer], receive: Receive) -> Answer:
    """Return the answer that *work* makes, which is given up when the client leaves. Raises ClientGone."""
    try:
        if not await hearing.while_there(receive):
            raise ClientGone
        return hearing.answer.result()
    finally:
        work.abandon()
