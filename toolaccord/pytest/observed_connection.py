"""Connection that notes the promises that answers of a server process show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.client.connection import Connection, ToolResponse
from toolaccord.client.envelopes import parse_envelope
from toolaccord.errors import BrokenAnswer
from toolaccord.json_values import JsonObject
from toolaccord.pytest.contract_coverage import CACHED, Observations, has_later_page

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


class ObservedConnection:
    """Connection to a server process, through which its typed client calls."""

    def __init__(self, connection: Connection, server: Server[Any], observations: Observations) -> None:
        self._connection = connection
        self._server = server
        self._observations = observations

    async def open(self) -> None:
        """Open the connection. Raises TransportError."""
        await self._connection.open()

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> ToolResponse:
        """Return the response of *tool*. Raises what the connection raises."""
        response = await self._connection.call(tool, arguments, meta, timeout_s)
        self._note(tool, arguments, response)
        return response

    def _note(self, tool: str, arguments: JsonObject, response: ToolResponse) -> None:
        try:
            values = parse_envelope(self._server.dialect, tool, response)
        except BrokenAnswer:  # a resource, a prompt, or content alone
            return
        cached = CACHED if values.get("cached") else None
        page = has_later_page(arguments, values.get("result"))
        self._observations.note(self._server.name, tool, values.get("code"), cached, page)
