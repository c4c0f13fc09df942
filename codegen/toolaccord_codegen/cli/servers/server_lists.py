"""The lists of a running MCP server: tools, resources and prompts."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp_types import CONNECTION_CLOSED, METHOD_NOT_FOUND, PaginatedRequestParams
from pydantic import ValidationError

from toolaccord.client.operations import describe_fault
from toolaccord.errors import BrokenAnswer
from toolaccord_codegen.cli.servers.connections import (
    MOST_PAGES,
    PATIENCE_S,
    Address,
    connected,
    parse_address,
    parse_command,
)
from toolaccord_codegen.cli.servers.terminal import StatusLine
from toolaccord_codegen.diagnostics import CommandError


class UnreadableListError(Exception):
    """A server does not send one of its lists. The text says why."""


async def list_server(origin: str, token_env: str | None, flag: str = "--servers") -> tuple[str, Any]:
    """Return the name of a running server and everything that it lists.

    *origin* is a URL or the command that starts it, and *flag* the option that has it. Raises CommandError.
    """
    target: StdioServerParameters | Address
    if origin.startswith(("http://", "https://")):
        target, name = parse_address(origin, token_env), origin
    else:
        target, name = parse_command(flag, origin), f'"{origin}"'
    status = StatusLine()
    async with connected(target, name, status) as connection:
        status.show(f"listing {name}")
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await _list_all(connection.client.session)
        except TimeoutError:
            raise BrokenAnswer(f"{name} did not list its tools within {PATIENCE_S:g} s") from None
        except MCPError as error:
            raise BrokenAnswer(f"{name} does not list what it has: {error}") from error


async def _list_all(session: ClientSession) -> tuple[str, Any]:
    """Return a server's name, and its identity and all its lists as JSON of MCP."""
    has, info = session.server_capabilities, session.server_info
    found: dict[str, Any] = {"serverInfo": _dump(info) if info else {}, "instructions": session.instructions}
    lists = [
        (has and has.tools, session.list_tools, "tools", "tools"),
        (has and has.resources, session.list_resources, "resources", "resources"),
        (has and has.resources, session.list_resource_templates, "resource_templates", "resourceTemplates"),
        (has and has.prompts, session.list_prompts, "prompts", "prompts"),
    ]
    for is_announced, request, member, key in lists:
        if is_announced:
            try:
                found[key] = await _list_pages(request, member)
            except UnreadableListError as error:
                if key == "tools":  # a contract has tools
                    raise BrokenAnswer(f"the server does not list its tools: {error}") from error
                found.setdefault("unreadable", {})[key] = str(error)
    name, version = found["serverInfo"].get("name", "the server"), found["serverInfo"].get("version", "")
    return f"{name} {version}".strip(), found


async def _list_pages(request: Any, member: str) -> list[Any]:
    """Return every item of a list in pages; none if the server does not know the method.

    Raises UnreadableListError, and MCPError if the connection ends.
    """
    try:
        return await _collect_pages(request, member)
    except ValidationError as error:
        raise UnreadableListError(f"it is not MCP: {describe_fault(error)}") from error
    except MCPError as error:
        if error.code == METHOD_NOT_FOUND and member != "tools":  # some announce resources and have no templates
            return []
        if error.code == CONNECTION_CLOSED:
            raise
        raise UnreadableListError(error.message) from error


async def _collect_pages(request: Any, member: str) -> list[Any]:
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
