"""Connections of the MCP SDK's server, whose state lasts from one request to the next."""

from __future__ import annotations

from mcp.server.connection import Connection

from toolaccord.transports.mcp.sdk_calls import Context


def connection_of(context: Context) -> Connection:
    """Return the connection of a request, for which the SDK has no public way."""
    connection: Connection = context.session._connection  # noqa: SLF001 - see above
    return connection
