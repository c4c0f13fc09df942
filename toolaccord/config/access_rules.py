"""Rules for requests over HTTP, from the settings of the process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolaccord.callers.rules import METADATA_PATH, JwtRules, TokenRules
from toolaccord.callers.token_file import TokenFile
from toolaccord.config.process_settings import (
    CERTIFICATE,
    KEY,
    PUBLIC_PATHS,
    TOKEN,
    UnprotectedServer,
    split_items,
)
from toolaccord.config.session_settings import SessionLimits, read_session_limits
from toolaccord.declarations.settings import SettingsError
from toolaccord.declarations.tool import Server
from toolaccord.timing.clock import SystemClock
from toolaccord.urls import is_loopback, is_safe_url


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
        hosts=frozenset({"127.0.0.1", "localhost", "[::1]", *own, *split_items(values["mcp_allowed_hosts"].lower())}),
        origins=frozenset(split_items(values["mcp_allowed_origins"].lower())),
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
        tokens=(*(_own_tokens(server, values) if server else ()), *split_items(values["mcp_auth_token"])),
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
        if not re.fullmatch(TOKEN, values[setting.name]):
            raise SettingsError(f"{setting.env} cannot be a bearer token: use letters, digits and . _ ~ + / = - alone.")
    return [values[setting.name] for setting in settings]


def _read_open_paths(text: str) -> frozenset[str]:
    """Return the paths in a setting; `none` stands for an empty list. Raises SettingsError."""
    paths = frozenset(split_items(text))
    if paths == {"none"}:
        return frozenset()
    if unknown := sorted(paths - {*PUBLIC_PATHS}):
        known = ", ".join(PUBLIC_PATHS)
        fault = "none stands alone" if "none" in unknown else f"there is no route {unknown[0][:60]!r} to open"
        raise SettingsError(f"MCP_OPEN_PATHS: {fault}; the paths that can be open are {known}, and none closes them.")
    return paths


def _host_header(host: str) -> str:
    return f"[{host.lower()}]" if ":" in host else host.lower()
