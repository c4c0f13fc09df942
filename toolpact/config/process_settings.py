"""How a process is deployed: the settings that every server has, whatever its contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolpact.declarations.settings import Setting, SettingValue
from toolpact.sources.addresses import is_loopback

_OPEN_PATHS = ("/health", "/ready", "/metrics", "/docs", "/openapi.json")
_TOKEN = "[A-Za-z0-9._~+/=-]+"  # noqa: S105 - what a token looks like
_WORD = r"[^\s,]+"


class Unprotected(Exception):
    """Anybody could call the server; the text says how to mend it."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a process that was asked to stop goes on."""

    drain_s: float
    """Seconds for which it still takes calls, while it says that it is not ready."""
    grace_s: float
    """Seconds that calls in flight then have to finish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who may send a request over HTTP, and how large."""

    tokens: tuple[str, ...]
    """The bearer tokens, any of which opens; none where everybody on this machine may ask."""
    hosts: frozenset[str]
    """The names, with or without a port, by which the server may be addressed; lower case."""
    origins: frozenset[str]
    """The web origins whose pages may send requests; lower case."""
    open_paths: frozenset[str]
    """The paths that need no token."""
    max_body_bytes: int
    """The largest body of a request."""


def settings() -> tuple[Setting, ...]:
    """Return the settings that every process has."""
    paths = "|".join(path.replace(".", r"\.") for path in _OPEN_PATHS)
    return (
        _setting(
            "MCP_AUTH_TOKEN", "bearer tokens that open the HTTP transport, comma separated", _list(_TOKEN), secret=True
        ),
        _setting("MCP_ALLOWED_HOSTS", "names the server is addressed by over HTTP, comma separated", _list(_WORD)),
        _setting("MCP_ALLOWED_ORIGINS", "web origins whose pages may call over HTTP, comma separated", _list(_WORD)),
        _setting("MCP_OPEN_PATHS", f"which of {', '.join(_OPEN_PATHS)} need no token", _list(f"({paths})")),
        _setting(
            "MCP_MAX_BODY_BYTES", "the largest body of a request", {"type": "integer", "minimum": 1}, default=4_194_304
        ),
        _setting(
            "MCP_DRAIN_S",
            "seconds after SIGTERM in which HTTP calls are still taken while /ready says no",
            _SECONDS,
            default=0,
        ),
        _setting("MCP_GRACE_S", "seconds that calls in flight then have to finish", _SECONDS, default=10),
    )


def patience(values: Mapping[str, Any]) -> Patience:
    """Return how long the process goes on after a signal."""
    return Patience(drain_s=values["mcp_drain_s"], grace_s=values["mcp_grace_s"])


def access(values: Mapping[str, Any], host: str) -> Access:
    """Return who may send a request to a server that listens on *host*. Raises Unprotected where anybody may."""
    tokens = tuple(_items(values["mcp_auth_token"]))
    if not tokens and not is_loopback(host):
        raise Unprotected(
            f"Listening on {host}, beyond this machine, needs a token: set MCP_AUTH_TOKEN, or listen on 127.0.0.1."
        )
    own = set() if host in {"", "0.0.0.0", "::"} else {_as_in_header(host)}  # noqa: S104 - compared, not bound
    return Access(
        tokens=tokens,
        hosts=frozenset({"127.0.0.1", "localhost", "[::1]", *own, *_items(values["mcp_allowed_hosts"].lower())}),
        origins=frozenset(_items(values["mcp_allowed_origins"].lower())),
        open_paths=frozenset(_items(values["mcp_open_paths"])),
        max_body_bytes=values["mcp_max_body_bytes"],
    )


def secrets(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what must never be shown: each token by itself."""
    return tuple(_items(values["mcp_auth_token"]))


def _as_in_header(host: str) -> str:
    return f"[{host.lower()}]" if ":" in host else host.lower()


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


_SECONDS = {"type": "number", "minimum": 0, "maximum": 3600}


def _list(item: str) -> dict[str, Any]:
    return {"type": "string", "pattern": rf"^\s*{item}\s*(,\s*{item}\s*)*$"}


def _setting(
    env: str, description: str, schema: dict[str, Any], *, default: SettingValue = "", secret: bool = False
) -> Setting:
    return Setting(
        name=env.lower(),
        env=env,
        description=description,
        schema=schema,
        default=default,
        required=False,
        secret=secret,
    )
