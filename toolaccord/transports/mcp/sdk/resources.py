"""Resources on the MCP SDK's server, in both eras of the protocol."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolaccord.call.pipeline import Pipeline
from toolaccord.declarations.resources import Resource
from toolaccord.declarations.views import ViewFile
from toolaccord.errors import ResourceNotFound
from toolaccord.json_values import JsonObject
from toolaccord.resources.lookup import ResourceLookup
from toolaccord.resources.operations import read_operation
from toolaccord.resources.view_pages import add_view_pages
from toolaccord.schema.validator import SchemaValidator
from toolaccord.schema.violations import describe
from toolaccord.semantics.uri_templates import expand
from toolaccord.transports.mcp.sdk.calls import (
    Context,
    error_message,
    run_operation,
    shows_views,
    to_exception,
    to_question,
)
from toolaccord.transports.mcp.sdk.subscriptions import RequireWatched, add_subscriptions

if TYPE_CHECKING:  # a server without asks does not load it
    from toolaccord.transports.mcp.sdk.asking import AskChannels

_NOT_FOUND = -32002
"""Code for an unknown resource up to protocol version 2025-11-25; later ones have -32602."""

_UNKNOWN = "This server has no such resource."


def add_resources(
    mcp_server: McpServer[Any], pipeline: Pipeline, channels: AskChannels | None
) -> RequireWatched | None:
    """Serve the resources of *pipeline*'s server by *mcp_server*.

    *channels* reach callers that can be asked. Returns the check of URIs to which clients subscribe, if there are some.
    """
    served = _Resources(pipeline, channels)
    mcp_server.add_request_handler("resources/read", types.ReadResourceRequestParams, served.read)
    if not any(resource.subscribe for resource in pipeline.server.resources):
        return None
    add_subscriptions(mcp_server, pipeline.changes, served.require_watched)
    return served.require_watched


class _Resources:
    """The resources of one server."""

    def __init__(self, pipeline: Pipeline, channels: AskChannels | None) -> None:
        self._pipeline, self._channels = pipeline, channels
        resources = add_view_pages(pipeline.server).resources
        self._reads = {resource.name: pipeline.bind(read_operation(resource)) for resource in resources}
        self._lookup = ResourceLookup(resources)
        self._watched = {
            each.name: SchemaValidator(each.read.parameters) for each in resources if each.subscribe and each.read
        }
        """Validators of the variables of resources to which clients can subscribe, by name."""

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> JsonObject:
        """Return the content at a URI, or the questions to its reader. Raises MCPError."""
        found = self._lookup.find(params.uri)
        if found is None or (isinstance(found[0].content, ViewFile) and not shows_views(context)):
            raise _not_found(context, params.uri, _UNKNOWN)
        resource, arguments = found
        connect = None if self._channels is None else partial(self._channels.connect, context, params)
        answer = await run_operation(self._pipeline, context, self._reads[resource.name], arguments, connect)
        if answer.is_question or answer.missing_capability:
            return to_question(answer)
        if answer.code == ResourceNotFound.code:
            raise _not_found(context, params.uri, error_message(self._pipeline.server.dialect, answer))
        if answer.is_error:
            raise to_exception(self._pipeline.server.dialect, answer)
        content = {"text": answer.text} if resource.kind == "json" else answer.body
        return {
            "resultType": "complete",
            "contents": [{"uri": params.uri, "mimeType": resource.mime_type, **content}],
            "_meta": {"corr_id": answer.corr_id},
            **_hint(resource),
        }

    def require_watched(self, context: Context, uri: str) -> None:
        """Raise MCPError unless a resource reports its changes under *uri*."""
        found = self._lookup.find(uri)
        if found is None:
            raise _not_found(context, uri, _UNKNOWN)
        resource, values = found
        if resource.name not in self._watched:
            raise MCPError(types.INVALID_PARAMS, "This resource reports no changes.", {"uri": uri})
        if violations := self._watched[resource.name].violations(values):
            raise MCPError(types.INVALID_PARAMS, describe(violations), {"uri": uri})
        reported = expand(resource.uri_template or uri, values)
        if uri != reported:
            message = f"This resource reports its changes as {reported}; subscribe to that."
            raise MCPError(types.INVALID_PARAMS, message, {"uri": reported})


def _hint(resource: Resource[Any]) -> JsonObject:
    """Return the advice on caching, which the SDK sends to clients of 2026-07-28."""
    if resource.cache is None:
        return {"ttlMs": 0, "cacheScope": "private"}
    return {"ttlMs": round(resource.cache.ttl_s * 1000), "cacheScope": resource.cache.scope}


def _not_found(context: Context, uri: str, message: str) -> MCPError:
    """Return the error for a URI that no resource has."""
    is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
    return MCPError(types.INVALID_PARAMS if is_modern else _NOT_FOUND, message, {"uri": uri})
