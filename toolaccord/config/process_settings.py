"""Settings of the process, which every server or agent has, whatever its contract."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolaccord.callers.rules import METADATA_PATH, JwtRules, TokenRules
from toolaccord.callers.token_file import TokenFile
from toolaccord.config.session_settings import SessionLimits, read_session_limits
from toolaccord.contract.settings import Setting, SettingValue
from toolaccord.declarations.settings import SettingsError
from toolaccord.declarations.tool import Server
from toolaccord.timing.clock import SystemClock
from toolaccord.urls import is_loopback, is_safe_url

_PUBLIC_PATHS = ("/health", "/ready", "/metrics", "/docs", "/openapi.json")
_TOKEN = "[A-Za-z0-9._~+/=-]+"  # noqa: S105 - a pattern
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


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """The files of a server's certificate."""

    certificate: Path
    """The certificate, and after it those of its issuers, in PEM."""
    key: Path
    """Its key in PEM, not encrypted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRules:
    """Rules for requests over HTTP: tokens, hosts, origins, sizes and numbers."""

    tokens: TokenRules
    """Tokens that give access; without any, every client on this machine has it."""
    hosts: frozenset[str]
    """Host names, with or without a port, that the header Host may hold; lower case."""
    origins: frozenset[str]
    """Web origins whose pages may send requests; lower case."""
    open_paths: frozenset[str]
    """Paths that need no token."""
    max_body_bytes: int
    """Largest body of a request, in bytes."""
    max_connections: int
    """Connections that may request everything."""
    sessions: SessionLimits | None = None
    """Limits of the sessions; None for a server without sessions."""
    tls: TlsFiles | None = None
    """Files of the certificate; None for a server without TLS."""


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
        _setting("MCP_AUTH_TOKEN", "bearer tokens for HTTP, comma separated", _list(_TOKEN), secret=True),
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
            f"those of {', '.join(_PUBLIC_PATHS)} that need no token, comma separated; none closes them all",
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


def read_access_rules(
    values: Mapping[str, Any], host: str, server: Server[Any] | None = None, scopes: tuple[str, ...] = ()
) -> AccessRules:
    """Return the access rules of a process that listens on *host*.

    A *server* may have a key of its own, and an agent needs *scopes*. Raises UnprotectedServer without a token on a
    public address or with scopes, and SettingsError for a key that is no token, or a path that cannot be open.
    """
    tokens = read_token_rules(values, server, scopes)
    if not tokens.are_needed and not is_loopback(host):
        raise UnprotectedServer(
            f"Listening on {host}, beyond this machine, needs a token: set MCP_AUTH_TOKEN, or listen on 127.0.0.1."
        )
    if not tokens.are_needed and tokens.known_scopes:
        raise UnprotectedServer(
            "The contract demands scopes, so callers over HTTP need tokens: set MCP_AUTH_TOKEN, MCP_TOKEN_FILE or "
            "MCP_JWT_ISSUER."
        )
    own = set() if host in {"", "0.0.0.0", "::"} else {_host_header(host)}  # noqa: S104 - compared, not bound
    own |= {urlsplit(tokens.jwt.audience).netloc.lower()} if tokens.jwt else set()
    return AccessRules(
        tokens=tokens,
        hosts=frozenset({"127.0.0.1", "localhost", "[::1]", *own, *_items(values["mcp_allowed_hosts"].lower())}),
        origins=frozenset(_items(values["mcp_allowed_origins"].lower())),
        open_paths=_read_open_paths(values["mcp_open_paths"]) | ({METADATA_PATH} if tokens.jwt else set()),
        max_body_bytes=values["mcp_max_body_bytes"],
        max_connections=values["mcp_max_connections"],
        sessions=read_session_limits(server, values),
        tls=_read_tls_files(values),
    )


def _read_tls_files(values: Mapping[str, Any]) -> TlsFiles | None:
    """Return the files of the certificate, which may hold the key too. Raises SettingsError."""
    certificate, key = values[CERTIFICATE.lower()], values[KEY.lower()]
    if key and not certificate:
        raise SettingsError(f"{CERTIFICATE} is missing; {KEY} names the key of its certificate.")
    return TlsFiles(Path(certificate), Path(key or certificate)) if certificate else None


def read_token_rules(
    values: Mapping[str, Any], server: Server[Any] | None = None, scopes: tuple[str, ...] = ()
) -> TokenRules:
    """Return the rules for the tokens of a *server*, or of an agent with *scopes*.

    Raises SettingsError for a key that is no token, and for a file or URLs that do not fit.
    """
    path = Path(values["mcp_token_file"]) if values["mcp_token_file"] else None
    if path is not None:
        try:
            TokenFile.open(path, SystemClock())
        except ValueError as error:
            raise SettingsError(f"MCP_TOKEN_FILE: {error}.") from error
    return TokenRules(
        tokens=(*(_own_tokens(server, values) if server else ()), *_items(values["mcp_auth_token"])),
        file=path,
        jwt=_read_jwt_rules(values),
        scopes_of_all=server.access.scopes if server else scopes,
        known_scopes=server.scopes if server else frozenset(scopes),
    )


def _read_jwt_rules(values: Mapping[str, Any]) -> JwtRules | None:
    """Return the rules for tokens of an authorization server. Raises SettingsError."""
    urls = {name: values[name.lower()] for name in ("MCP_JWT_ISSUER", "MCP_JWT_KEYS_URL", "MCP_RESOURCE_URL")}
    if not any(urls.values()):
        return None
    for name, url in urls.items():
        if not url:
            raise SettingsError(f"{name} is missing; {', '.join(urls)} are set together.")
        if not is_safe_url(url):
            raise SettingsError(f"{name} is no https URL, and http is allowed for this machine alone.")
    issuer, keys_url, resource = urls.values()
    return JwtRules(
        issuer=issuer, keys_url=keys_url, audience=resource.rstrip("/"), roles_pointer=values["mcp_jwt_roles"]
    )


def _own_tokens(server: Server[Any], values: Mapping[str, Any]) -> list[str]:
    """Return the bearer token of the contract of *server*, if it has one. Raises SettingsError."""
    bearer = server.access.http
    settings = [setting for setting in server.settings if bearer and setting.name == bearer.setting]
    for setting in settings:
        if not re.fullmatch(_TOKEN, values[setting.name]):
            raise SettingsError(f"{setting.env} cannot be a bearer token: use letters, digits and . _ ~ + / = - alone.")
    return [values[setting.name] for setting in settings]


def _read_open_paths(text: str) -> frozenset[str]:
    """Return the paths in a setting; `none` stands for an empty list. Raises SettingsError."""
    paths = frozenset(_items(text))
    if paths == {"none"}:
        return frozenset()
    if unknown := sorted(paths - {*_PUBLIC_PATHS}):
        known = ", ".join(_PUBLIC_PATHS)
        fault = "none stands alone" if "none" in unknown else f"there is no route {unknown[0][:60]!r} to open"
        raise SettingsError(f"MCP_OPEN_PATHS: {fault}; the paths that can be open are {known}, and none closes them.")
    return paths


def list_secrets(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts to redact: each token by itself."""
    return tuple(_items(values["mcp_auth_token"]))


def _host_header(host: str) -> str:
    return f"[{host.lower()}]" if ":" in host else host.lower()


def _items(text: str) -> list[str]:
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
