"""A server under test, with its typed client and MCP's own, and its answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:  # pytest loads the plugin in every project of its environment
    from mcp import Client

    from toolaccord.client.base import ServerClient
    from toolaccord.client.connection import Connection
    from toolaccord.declarations.tool import Server
    from toolaccord.json_values import JsonObject

ClientT = TypeVar("ClientT", bound="ServerClient")

_PATIENCE_S = 60.0
"""Seconds after which `call` fails; a tool has its own deadline."""


class CallMeta(TypedDict, total=False):
    """Metadata of one call."""

    version: str
    """Version of the tool; the newest by default."""
    idempotency_key: str
    """Idempotency key: letters, digits and `_.:-`."""
    corr_id: str
    """Correlation id for logs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a call, whatever the contract's dialect."""

    tool: str
    """Name of the tool."""
    body: Any
    """The envelope as a JSON value; None for a tool that returns content alone."""
    values: JsonObject
    """The values in the envelope, by their names in dialects.json."""
    blocks: tuple[Any, ...]
    """Blocks of content as MCP's models, the text of the envelope included."""

    @property
    def result(self) -> Any:
        """The result as JSON. Raises AssertionError if the tool answered an error."""
        assert self.code is None, f"{self.tool} answered {self.code}: {self.message}"
        return self.values.get("result")

    @property
    def code(self) -> str | None:
        """The error code; None for a result."""
        return self.values.get("code")

    @property
    def message(self) -> str:
        """The error message; empty for a result."""
        return str(self.values.get("message", ""))

    @property
    def details(self) -> Any:
        """The details of an error; None without any."""
        return self.values.get("details")

    @property
    def cached(self) -> bool | None:
        """True if a cache supplied the result; None if the dialect does not send it."""
        return self.values.get("cached")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUnderTest(Generic[ClientT]):
    """A server that runs, with two clients that share one connection."""

    client: ClientT
    """The typed client."""
    mcp: Client
    """MCP's own client."""
    server: Server[Any]
    """The server's declaration."""
    connection: Connection
    """The connection of the typed client."""

    async def call(self, tool: str, arguments: JsonObject | None = None, **meta: Unpack[CallMeta]) -> Answer:
        """Return the answer of *tool* to *arguments*, valid or not, through the whole pipeline.

        Raises CallFailed if the server answers without calling a tool, or not at all.
        """
        from toolaccord.client.envelopes import parse_envelope  # noqa: PLC0415 - see above

        response = await self.connection.call(tool, arguments or {}, {**meta}, _PATIENCE_S)
        has_result = any(each.name == tool and each.has_result for each in self.server.tools)
        if not has_result and not response.is_error:
            return Answer(tool=tool, body=None, values={}, blocks=tuple(response.blocks))
        values = parse_envelope(self.server.dialect, f"{self.server.name} answered {tool}", response)
        return Answer(tool=tool, body=json.loads(response.text), values=values, blocks=tuple(response.blocks))
