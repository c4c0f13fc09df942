"""Settings of the process, which every server or agent has, whatever its contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.contract.settings import Setting, SettingValue

PUBLIC_PATHS = ("/health", "/ready", "/metrics", "/docs", "/openapi.json")
TOKEN = "[A-Za-z0-9._~+/=-]+"  # noqa: S105 - a pattern
_ITEM = r"[^\s,]+"
_CACHE_BYTES = 64 << 20
CERTIFICATE, KEY = "MCP_TLS_CERTIFICATE", "MCP_TLS_KEY"
"""Variables with the files of a server's certificate and its key."""


class UnprotectedServer(Exception):
    """The server would listen beyond this machine without a token; the text says what to set."""


@dataclass(frozen=True, slots=True)
class StopTimeouts:
    """Times of a process between a stop signal and its end."""

    drain_s: float
    """Seconds in which it still accepts calls over HTTP, but reports that it is not ready."""
    grace_s: float
    """Seconds that calls in flight then have to finish."""


def list_settings() -> tuple[Setting, ...]:
    """Return the settings that every server's process has."""
    return (
        *_list_http_settings("largest body of a request, or line on standard input, in bytes"),
        _setting(
            "MCP_CACHE_BYTES",
            "bytes of results that the cache holds; 0 disables it",
            {"type": "integer", "minimum": 0},
            default=_CACHE_BYTES,
        ),
        _grace("seconds that calls in flight then have to finish"),
        _setting(
            "MCP_PUBLISHED_SCHEMAS",
            "`open` lists arguments without boolean additionalProperties, for hosts that cannot read it",
            {"type": "string", "enum": ["closed", "open"]},
            default="closed",
        ),
    )


def list_agent_settings() -> tuple[Setting, ...]:
    """Return the settings that every agent's process has; those of HTTP are for `--a2a`."""
    return (
        *_list_http_settings("largest body of a request, in bytes"),
        _grace("seconds after SIGTERM that requests in flight have to finish"),
    )


def _list_http_settings(max_body_description: str) -> tuple[Setting, ...]:
    """Return the settings of requests over HTTP."""
    return (
        _setting("MCP_AUTH_TOKEN", "bearer tokens for HTTP, comma separated", _list(TOKEN), secret=True),
        _setting("MCP_TOKEN_FILE", "file with the callers of tokens and their digests, for HTTP", {"type": "string"}),
        _setting("MCP_JWT_ISSUER", "URL of the authorization server whose tokens give access", {"type": "string"}),
        _setting("MCP_JWT_KEYS_URL", "URL of its public keys (jwks_uri)", {"type": "string"}),
        _setting(
            "MCP_RESOURCE_URL",
            "URL of the MCP endpoint as clients reach it, for which its tokens are made",
            {"type": "string"},
        ),
        _setting(
            "MCP_JWT_ROLES",
            "JSON pointer to a claim whose texts count as scopes, such as /realm_access/roles",
            {"type": "string", "pattern": "^(/[^/]+)*$"},
        ),
        _setting(CERTIFICATE, "file with the certificate of HTTPS and its chain, in PEM", {"type": "string"}),
        _setting(KEY, "file with its key; that of the certificate if it holds both", {"type": "string"}),
        _setting("MCP_ALLOWED_HOSTS", "host names of the server over HTTP, comma separated", _list(_ITEM)),
        _setting("MCP_ALLOWED_ORIGINS", "web origins whose pages may call over HTTP, comma separated", _list(_ITEM)),
        _setting(
            "MCP_OPEN_PATHS",
            f"those of {', '.join(PUBLIC_PATHS)} that need no token, comma separated; none closes them all",
            {"type": "string"},
            default="/health,/ready",
        ),
        _setting("MCP_MAX_BODY_BYTES", max_body_description, {"type": "integer", "minimum": 1}, default=4_194_304),
        _setting(
            "MCP_MAX_CONNECTIONS",
            "connections over HTTP; beyond them only /health, /ready and /metrics are answered",
            {"type": "integer", "minimum": 1},
            default=1000,
        ),
        _setting(
            "MCP_DRAIN_S",
            "seconds after SIGTERM in which HTTP calls are still accepted, while /ready answers 503",
            _SECONDS,
            default=0,
        ),
    )


def read_stop_timeouts(values: Mapping[str, Any]) -> StopTimeouts:
    """Return the times of the process after a stop signal."""
    return StopTimeouts(drain_s=values["mcp_drain_s"], grace_s=values["mcp_grace_s"])


def read_cache_bytes(values: Mapping[str, Any]) -> int:
    """Return the bytes of results that the cache holds."""
    size: int = values.get("mcp_cache_bytes", _CACHE_BYTES)
    return size


def read_publishes_open_schemas(values: Mapping[str, Any]) -> bool:
    """Return whether hosts get the schemas of arguments without boolean `additionalProperties`."""
    return bool(values["mcp_published_schemas"] == "open")


def read_max_message_bytes(values: Mapping[str, Any]) -> int:
    """Return the size of the largest message on standard input: that of a body over HTTP."""
    size: int = values["mcp_max_body_bytes"]
    return size


def list_secrets(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts to redact: each token by itself."""
    return tuple(split_items(values["mcp_auth_token"]))


def split_items(text: str) -> list[str]:
    """Return the items of a setting that are separated by commas."""
    return [item.strip() for item in text.split(",") if item.strip()]


_SECONDS = {"type": "number", "minimum": 0, "maximum": 3600}


def _grace(description: str) -> Setting:
    return _setting("MCP_GRACE_S", description, _SECONDS, default=10)


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
