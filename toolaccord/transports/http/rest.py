"""Tools over plain HTTP: arguments in, the dialect's envelope and content out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.callers.rules import TokenRules
from toolaccord.errors import UnknownTool
from toolaccord.telemetry import correlation
from toolaccord.transports.http.body import receive_json
from toolaccord.transports.http.challenges import require_scopes
from toolaccord.transports.http.disconnect import PendingAnswer
from toolaccord.transports.http.errors import TOOLS_PATH, Rejection, unknown_tool
from toolaccord.transports.http.header_fields import read_fields
from toolaccord.transports.mcp import deprecation, request_meta
from toolaccord.transports.mcp.tool_list import ToolList

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.transports.http.rest_tasks import RestTasks

_JSON = "application/json"
_CALL_KEYS = {"name", "version", "arguments", "_meta"}
_MAX_KEY_CHARACTERS = 100


class _ToolCall(NamedTuple):
    """A call of a tool, not validated yet."""

    name: str
    """The name of the tool."""
    arguments: Any
    """The arguments, of any type."""
    version: Any
    """The version of the arguments, of any type; None if the request names none."""
    meta: Mapping[str, Any]
    """The `_meta` of the request."""


class RestTools:
    """Answers the REST routes of a server's tools; each body arrives in one message."""

    def __init__(self, pipeline: Pipeline, rules: TokenRules, tasks: RestTasks | None = None) -> None:
        self._pipeline = pipeline
        self._tasks = tasks
        self._rules = rules
        self._demands = {tool.name: pipeline.server.demand(tool) for tool in pipeline.server.tools}
        """The scopes that a caller needs, by tool."""
        self._tool_list = ToolList(pipeline, lambda tools: orjson.dumps({"tools": tools}), for_rest=True)

    async def list(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer `tools/list` with the tools that the caller may use, whatever the body contains."""
        corr_id = correlation.resolve_corr_id(request_meta.complete_meta(read_fields(scope)))
        response = Response(
            self._tool_list.current(request_meta.proven_caller(scope)),
            media_type=_JSON,
            headers={"X-Correlation-ID": corr_id},
        )
        await response(scope, receive, send)

    async def call(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer `tools/call`, whose body names the tool and has its arguments. Raises Rejection."""
        call = _parse_call(await receive_json(receive))
        await self._answer(call, scope, receive, send)

    async def call_by_path(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call of the tool *name*. Raises Rejection.

        The body is the arguments; the query may contain `version`.
        """
        query = scope["query_string"]
        version = QueryParams(query).get("version") if query else None
        call = _ToolCall(name, await receive_json(receive), version, {})
        await self._answer(call, scope, receive, send)

    async def _answer(self, call: _ToolCall, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._run(call, scope, receive)
        headers = {"X-Correlation-ID": answer.corr_id}
        if answer.retry_after_s is not None:
            headers["Retry-After"] = str(answer.retry_after_s)
        if answer.is_replayed:
            headers["Idempotent-Replayed"] = "true"
        if answer.deprecation:
            headers |= deprecation.to_headers(answer.deprecation, f"{TOOLS_PATH}{call.name}")
        document = answer.document
        if answer.task and self._tasks:
            document = self._tasks.describe(answer.task)
            headers["Location"] = self._tasks.path_of(answer.task)
        await Response(document, answer.http, headers, _JSON)(scope, receive, send)

    async def _run(self, call: _ToolCall, scope: Scope, receive: Receive) -> Answer:
        """Return the answer to *call*. Raises Rejection; ClientDisconnected after abandoning it."""
        proven = request_meta.proven_caller(scope)
        require_scopes(self._rules, proven, self._demands.get(call.name, frozenset()))
        fields = read_fields(scope)
        meta, caller = request_meta.complete_meta(fields, call.meta), request_meta.client_product(fields)
        try:
            incoming = self._pipeline.receive(
                call.name,
                call.arguments,
                meta,
                version=call.version,
                caller=caller,
                identity=request_meta.caller_identity(scope),
            ).by(proven)
        except UnknownTool:
            raise unknown_tool() from None
        if self._tasks:
            incoming = self._tasks.defer(incoming, fields)
        pending = PendingAnswer[Answer]()
        started = self._pipeline.start(incoming, pending.deliver)
        if isinstance(started, Answer):
            return started
        try:
            return await pending.wait_while_connected(receive)
        finally:
            started.abandon()


def _parse_call(body: Any) -> _ToolCall:
    """Return the call in the *body* of `tools/call`. Raises Rejection."""
    if not isinstance(body, dict) or not isinstance(body.get("name"), str):
        raise Rejection(400, 'The body must be an object with "name" and "arguments".')
    if unknown := body.keys() - _CALL_KEYS:
        raise Rejection(400, f"The body has a key that it may not have: {_quote(min(unknown))}.")
    meta = body.get("_meta", {})
    if not isinstance(meta, dict):
        raise Rejection(400, "_meta must be an object.")
    if not isinstance(body.get("version", ""), str):
        raise Rejection(400, "version must be a string.")
    return _ToolCall(body["name"], body.get("arguments", {}), body.get("version"), meta)


def _quote(key: str) -> str:
    """Return *key* in ASCII: it may contain a lone surrogate, which UTF-8 cannot encode."""
    return json.dumps(key[:_MAX_KEY_CHARACTERS])
