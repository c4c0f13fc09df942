"""The command `import`: a draft of a contract, of a running MCP server or of a document."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codegen.cli.options.drafts import ImportOptions
from codegen.diagnostics import CommandError

if TYPE_CHECKING:
    from mcp.client import Transport

    from codegen.drafts.contract import Draft, Identity

PATIENCE_S = 120.0
"""Seconds in which a server starts and lists everything; `npx` may install it first."""
MOST_PAGES = 1000
ORIGINS = ("from_server", "from_url", "from_openapi", "from_tools")


def run(options: ImportOptions) -> int:
    """Draft a contract, write it, and print its differences from the original.

    Raises CommandError for wrong options, for files that exist, and for an origin that cannot be read.
    """
    from codegen.cli.draft import require_absent, write_draft

    given = [name for name in ORIGINS if getattr(options, name) is not None]
    if len(given) != 1:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in ORIGINS)
        raise CommandError(f"give exactly one origin: {flags}")
    require_absent(options)
    return write_draft(options, *_read_origin(options))


def _read_origin(options: ImportOptions) -> tuple[str, Callable[[Identity], Draft]]:
    """Return the name of the original, and a function that drafts its contract."""
    from codegen.drafts.server_listing import draft_listing, read_listing

    if options.from_openapi is not None:
        return _read_openapi(options, options.from_openapi)
    if options.from_tools is not None:
        origin, document = str(options.from_tools), _load_json(options.from_tools)
    else:
        origin, document = asyncio.run(_list_server(options))
    try:
        listing = read_listing(document)
    except ValueError as error:
        raise CommandError(f"{origin}: {error}") from None
    return origin, lambda identity: draft_listing(listing, identity)


def _read_openapi(options: ImportOptions, path: Path) -> tuple[str, Callable[[Identity], Draft]]:
    """Return a function that drafts the operations of an OpenAPI document."""
    from codegen.drafts.openapi import Selection, draft_openapi

    document = _load_json(path) if path.suffix == ".json" else _load_yaml(path)
    selection = Selection(tags=frozenset(options.tag or ()), operations=frozenset(options.operation or ()))

    def make(identity: Identity) -> Draft:
        try:
            return draft_openapi(document, identity, selection)
        except ValueError as error:
            raise CommandError(f"{path}: {error}") from None

    return str(path), make


def _load_json(path: Path) -> Any:
    """Return the value of a JSON file. Raises CommandError."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not JSON: {error}") from None


def _load_yaml(path: Path) -> Any:
    """Return the value of a YAML file as JSON has it. Raises CommandError."""
    import yaml

    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
        return json.loads(json.dumps(loaded, default=str))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not YAML: {error}") from None


async def _list_server(options: ImportOptions) -> tuple[str, Any]:
    """Return the name of a running server and everything that it lists. Raises CommandError."""
    origin = options.from_server or options.from_url or ""
    if sys.stderr.isatty():
        print(f"waiting for {origin}", file=sys.stderr)
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await _list_all(_open_transport(options))
    except TimeoutError:
        raise CommandError(f"{origin} did not list its tools within {PATIENCE_S:g} s") from None
    except (Exception, BaseExceptionGroup) as error:
        if isinstance(error, CommandError):
            raise
        raise CommandError(f"{origin} is no MCP server that answers: {_innermost(error)}") from None


def _innermost(error: BaseException) -> BaseException:
    """Return the first exception of nested groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _open_transport(options: ImportOptions) -> Transport:
    """Return the transport to a started server, or to its URL. Raises CommandError."""
    if options.from_server is not None:
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client

        try:
            program, *arguments = shlex.split(options.from_server)
        except ValueError as error:
            raise CommandError(f"--from-server is no command: {error}") from None
        return stdio_client(StdioServerParameters(command=program, args=arguments, env=dict(os.environ)))
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    token = os.environ.get(options.token_env) if options.token_env else None
    if options.token_env and not token:
        raise CommandError(f"--token-env: the variable {options.token_env} is not set")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return streamable_http_client(str(options.from_url), http_client=httpx2.AsyncClient(headers=headers, timeout=30))


async def _list_all(transport: Transport) -> tuple[str, Any]:
    """Return a server's name, and its identity and all its lists as JSON of MCP."""
    from mcp import Client

    async with Client(transport, mode="auto", cache=None) as client:
        session = client.session
        has, info = session.server_capabilities, session.server_info
        found: dict[str, Any] = {"serverInfo": _dump(info) if info else {}, "instructions": session.instructions}
        if has and has.tools:
            found["tools"] = await _list_pages(session.list_tools, "tools")
        if has and has.resources:
            found["resources"] = await _list_pages(session.list_resources, "resources")
            found["resourceTemplates"] = await _list_pages(session.list_resource_templates, "resource_templates")
        if has and has.prompts:
            found["prompts"] = await _list_pages(session.list_prompts, "prompts")
    name, version = found["serverInfo"].get("name", "the server"), found["serverInfo"].get("version", "")
    return f"{name} {version}".strip(), found


async def _list_pages(request: Any, member: str) -> list[Any]:
    """Return every item of a list in pages; none if the server does not know the method."""
    from mcp import MCPError
    from mcp_types import METHOD_NOT_FOUND

    try:
        return await _collect_pages(request, member)
    except MCPError as error:  # some servers announce resources and have no templates
        if error.code == METHOD_NOT_FOUND and member != "tools":
            return []
        raise


async def _collect_pages(request: Any, member: str) -> list[Any]:
    from mcp_types import PaginatedRequestParams

    items: list[Any] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await request(params=PaginatedRequestParams(cursor=cursor) if cursor else None)
        items += [_dump(item) for item in getattr(page, member)]
        cursor = page.next_cursor
        if not cursor:
            return items
    raise CommandError(f"the server lists more than {MOST_PAGES} pages")


def _dump(record: Any) -> dict[str, Any]:
    """Return a record of the SDK as MCP sends it."""
    return dict(record.model_dump(mode="json", by_alias=True, exclude_unset=True))
