"""Serve the resources of a pipeline by the MCP SDK and its models alone.

No code of toolaccord's transports takes part.
"""

import base64
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

import mcp_types as types
from mcp.server.apps import EXTENSION_ID, client_supports_apps
from mcp.server.lowlevel import Server as McpServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError

from tests.contracts.reading import ROOT
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.contract.policies import CacheHint
from toolaccord.declarations.operation import Operation
from toolaccord.declarations.resources import Resource
from toolaccord.declarations.views import ViewFile
from toolaccord.resources.operations import read_operation
from toolaccord.resources.view_pages import add_view_pages

LISTS = ("resources/list", "resources/templates/list")
STATELESS = "2026-07-28"


class ReferenceServer(McpServer[Any]):
    """The SDK's server.

    It says that its lists never change, and that it has views. The SDK cannot know either.
    """

    def __init__(self, *args: Any, has_views: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self._has_views = has_views

    def get_capabilities(self, *args: Any, **options: Any) -> types.ServerCapabilities:
        """Return the SDK's capabilities without changes of lists."""
        found = super().get_capabilities(*args, **options)
        if self._has_views and options.get("protocol_version") == STATELESS:
            found.extensions = {EXTENSION_ID: {}}
        for capability in (found.tools, found.resources, found.prompts):
            if capability:
                capability.list_changed = False
        return found


def add_resources(server: McpServer[Any], pipeline: Pipeline) -> None:
    """Add the resources of *pipeline*'s server."""
    resources = pipeline.server.resources
    if not resources and not any(tool.view for tool in pipeline.server.tools):
        return
    server.cache_hints = {**server.cache_hints, **dict.fromkeys(LISTS, server.cache_hints["tools/list"])}
    served = _Resources(pipeline)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, served.list)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, served.list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, served.read)
    if any(each.subscribe for each in resources):
        handler = ListenHandler(InMemorySubscriptionBus())
        server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, handler)
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, served.watch)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, served.watch)


class _Resources:
    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._resources = pipeline.server.resources
        self._pages = add_view_pages(pipeline.server).resources

    def _seen(self, context: Any) -> Sequence[Resource[Any]]:
        """Return the resources that a client sees: those of the contract first, then the views."""
        return self._pages if client_supports_apps(context) else self._resources

    async def list(self, context: Any, params: types.PaginatedRequestParams) -> types.ListResourcesResult:
        reject_cursor(params, "resources")
        with_uri = [each for each in self._seen(context) if each.uri]
        return types.ListResourcesResult(
            resources=[types.Resource(uri=str(each.uri), size=_size(each), **_texts(each)) for each in with_uri]
        )

    async def list_templates(
        self, _context: Any, params: types.PaginatedRequestParams
    ) -> types.ListResourceTemplatesResult:
        reject_cursor(params, "resource templates")
        templates = [
            types.ResourceTemplate(uri_template=each.uri_template, **_texts(each))
            for each in self._resources
            if each.uri_template
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read(self, context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        resource, arguments = _find(self._seen(context), params.uri, context)
        answer = await run_operation(self._pipeline, read_operation(resource), arguments, context)
        if answer.code == "RESOURCE_NOT_FOUND":
            raise _not_found(params.uri, context, answer.body["error"]["message"])
        if answer.is_error:
            raise to_failure(answer)
        about: dict[str, Any] = {"uri": params.uri, "mime_type": resource.mime_type}
        content = {"text": answer.text} if resource.kind == "json" else answer.body
        kind = types.TextResourceContents if "text" in content else types.BlobResourceContents
        hint = resource.cache or CacheHint(ttl_s=0, scope="private")
        return types.ReadResourceResult(
            contents=[kind(**content, **about)],
            ttl_ms=round(hint.ttl_s * 1000),
            cache_scope=hint.scope,
            _meta={"corr_id": answer.corr_id},
        )

    async def watch(self, context: Any, params: Any) -> types.EmptyResult:
        resource, _ = _find(self._resources, params.uri, context)
        if not resource.subscribe:
            raise MCPError(types.INVALID_PARAMS, "This resource reports no changes.", {"uri": params.uri})
        return types.EmptyResult()


async def run_operation(pipeline: Pipeline, operation: Any, arguments: dict[str, Any], context: Any) -> Answer:
    """Return the answer of an *operation* that is no tool."""
    meta = (context.params or {}).get("_meta")
    return await pipeline.call(pipeline.bind(operation), arguments, meta)


def reject_cursor(params: types.PaginatedRequestParams | None, noun: str) -> None:
    """Raise MCPError for a request of another page than the only one of *noun*."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, f"There is one page of {noun} and no cursor")


def _texts(resource: Resource[Any]) -> dict[str, Any]:
    about = {"name": resource.name, "title": resource.title, "description": resource.description}
    return about | {"mime_type": resource.mime_type}


def _size(resource: Resource[Any]) -> int | None:
    """Return the size of a static content in bytes."""
    if isinstance(resource.content, Operation | ViewFile):
        return None
    if isinstance(resource.content, str):
        return len(resource.content.encode())
    package = resource.content.package.replace(".", "/")
    text = (ROOT / package / "static" / resource.content.name).read_bytes()
    return len(base64.decodebytes(text)) if resource.kind == "binary" else len(text)


def _find(resources: Any, uri: str, context: Any) -> tuple[Resource[Any], dict[str, Any]]:
    """Return the resource at a URI and the values in the URI. Raises MCPError."""
    for each in resources:
        if each.uri == uri:
            return each, {}
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/?#]*)", re.escape(each.uri_template or ""))
        if each.uri_template and (match := re.fullmatch(pattern, uri)):
            texts = {name: unquote(text) for name, text in match.groupdict().items()}
            return each, parse_integers(each.content.parameters["properties"], texts)
    raise _not_found(uri, context, "This server has no such resource.")


def parse_integers(schemas: Any, texts: dict[str, str]) -> dict[str, Any]:
    """Return *texts* with the values of integers.

    Our contracts have neither other numbers nor booleans in texts.
    """
    whole = {name: int(text) for name, text in texts.items() if _is_integer(schemas.get(name, {}), text)}
    return {**texts, **whole}


def _is_integer(schema: Any, text: str) -> bool:
    return schema.get("type") == "integer" and re.fullmatch("-?(0|[1-9][0-9]{0,17})", text) is not None


def _not_found(uri: str, context: Any, message: str) -> MCPError:
    return MCPError(-32602 if context.protocol_version == STATELESS else -32002, message, {"uri": uri})


def to_failure(answer: Answer) -> MCPError:
    """Return the JSON-RPC error of an error."""
    is_callers = 400 <= answer.http < 500 and answer.http != 429
    return MCPError(-32602 if is_callers else -32603, answer.body["error"]["message"], answer.body)
