"""Other MCP servers that handlers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Required
    from toolaccord.contract.texts import Bytes, Count, Duration, KeyName, SettingName


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSource:
    """Another MCP server, whose tools handlers call."""

    name: KeyName
    kind: Annotated[Literal["mcp"], Required()] = "mcp"
    server: SettingName
    """Setting with its URL, or with the command that starts it on stdio."""
    bearer: SettingName | None = None
    """Secret setting with a bearer token for a URL. An empty value is not sent."""
    max_in_flight: Count = 10
    """Maximum number of concurrent calls; further calls wait."""
    connection_timeout_s: Duration = 60
    """Seconds in which the server starts or is reached, and a call waits for its turn."""
    timeout_s: Duration = 20
    """Seconds within which a call must be answered."""
    max_response_bytes: Bytes = 2**24
    """Maximum size of a result in bytes. 16777216 (16 MiB) if absent."""
