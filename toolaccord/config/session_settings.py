"""Settings of sessions over HTTP, which only servers with sessions have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.contract.settings import Setting
from toolaccord.declarations.tool import Server

STORE = "mcp_session_store_url"
"""Name of the setting with the URL of the Redis that keeps sessions."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """Limits of the sessions over HTTP."""

    max_sessions: int
    """Sessions that may be open at once."""
    idle_s: float
    """Seconds without a request after which a session ends."""
    max_stream_s: float = 0
    """Seconds after which the stream of a request ends, to be resumed; 0 for no limit."""
    store_url: str = ""
    """URL of the Redis that keeps the sessions; empty for the memory of this process."""


def list_session_settings(server: Server[Any]) -> tuple[Setting, ...]:
    """Return the settings of the sessions of *server*; none without sessions."""
    if not server.sessions:
        return ()
    return (
        Setting(
            name="mcp_max_sessions",
            env="MCP_MAX_SESSIONS",
            description="sessions over HTTP; beyond them initialize is answered with 503",
            schema={"type": "integer", "minimum": 1},
            default=1000,
            required=False,
            secret=False,
        ),
        Setting(
            name="mcp_session_idle_s",
            env="MCP_SESSION_IDLE_S",
            description="seconds without a request after which a session over HTTP ends",
            schema={"type": "number", "exclusiveMinimum": 0, "maximum": 86_400},
            default=1800,
            required=False,
            secret=False,
        ),
        Setting(
            name="mcp_session_stream_s",
            env="MCP_SESSION_STREAM_S",
            description="seconds after which a stream of a session ends and its client resumes it; 0 never",
            schema={"type": "number", "minimum": 0, "maximum": 86_400},
            default=0,
            required=False,
            secret=False,
        ),
        Setting(
            name=STORE,
            env=STORE.upper(),
            description="URL of the Redis in which replicas share sessions; without it each process keeps its own",
            schema={"type": "string"},
            default="",
            required=False,
            secret=True,
        ),
    )


def read_session_limits(server: Server[Any] | None, values: Mapping[str, Any]) -> SessionLimits | None:
    """Return the limits of the sessions of *server*; None without sessions."""
    if server is None or not server.sessions:
        return None
    return SessionLimits(
        values["mcp_max_sessions"], values["mcp_session_idle_s"], values["mcp_session_stream_s"], values.get(STORE, "")
    )
