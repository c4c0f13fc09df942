"""Drafts of whole contracts, and the identity of their servers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolaccord_codegen.drafts.forwards import Forward, ForwardedTool, QueryForward
from toolaccord_codegen.drafts.losses import Effect, Loss, Losses
from toolaccord_codegen.naming import mcp_server_name

VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
UPSTREAM = "upstream"
"""The source of drafted tools: the system behind the original server."""
URL = "url"
"""The setting with the URL of the source, behind the server's name."""
TIMEOUT_MS = 30_000
"""Deadline of drafted tools in milliseconds; neither MCP nor OpenAPI names one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Names of a new server."""

    system: str
    name: str
    """The Python name of its modules."""
    taken: frozenset[str] = frozenset()
    """Names of schemas that files of the contracts folder share."""
    family: str = ""
    """Name of the document whose parts have servers of their own; they share its settings."""

    @property
    def mcp_name(self) -> str:
        """Return the name that hosts show."""
        return mcp_server_name(self.name)

    @property
    def url_setting(self) -> str:
        """Return the name of the setting with the URL of its source."""
        return self.setting(URL)

    def setting(self, suffix: str) -> str:
        """Return the name of a setting of its source."""
        return f"{(self.family or self.name)[: 63 - len(suffix)]}_{suffix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The service behind drafted tools."""

    url: str | None = None
    """Its base URL; None if unknown."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings with its credentials."""
    keys: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the source that name these settings."""


NO_UPSTREAM = Upstream()


def describe_mcp_server(identity: Identity, address: str) -> dict[str, Any]:
    """Return the settings and the source of the MCP server that drafted tools forward to."""
    server, token = identity.setting("server"), identity.setting("bearer")
    settings: dict[str, Any] = {
        server: {
            "env": server.upper(),
            "description": "URL of the original MCP server, or the command that starts it",
            "default": address,
        }
    }
    source: dict[str, Any] = {"kind": "mcp", "server": {"setting": server}}
    if address.startswith(("http://", "https://")):
        settings[token] = {
            "env": token.upper(),
            "description": "Bearer token of the original MCP server; nothing is sent if empty",
            "default": "",
            "secret": True,
        }
        source["bearer"] = {"setting": token}
    return {"settings": settings, "sources": {UPSTREAM: source}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A contract that compiles, and its differences from the original."""

    contract: dict[str, Any]
    losses: tuple[Loss, ...]
    forwards: Mapping[str, Forward | ForwardedTool | QueryForward] = field(default_factory=dict)
    """Tools whose handlers only forward the call, by name."""
    queries: str = ""
    """The SQL file of the server; empty without one."""
    migration: str = ""
    """The migration that makes its tables; empty without one."""


def describe_server(identity: Identity, title: Any, version: Any, description: Any, losses: Losses) -> dict[str, Any]:
    """Return the key `server` of a contract."""
    name = identity.name.replace("_", " ").capitalize()
    if not (isinstance(version, str) and VERSION.fullmatch(version)):
        losses.change("/version", "version", Effect.SAME, f"{version!r} is not major.minor.patch; it became 0.1.0")
        version = "0.1.0"
    return {
        "name": identity.mcp_name,
        "title": as_text(title, name),
        "version": version,
        "description": as_text(description, f"Tools of {as_text(title, name)}."),
    }


def as_text(value: Any, fallback: str) -> str:
    """Return a text that is not blank."""
    return value.strip() if isinstance(value, str) and value.strip() else fallback


def assemble(
    identity: Identity,
    server: Mapping[str, Any],
    parts: Mapping[str, Any],
    upstream: Upstream = NO_UPSTREAM,
    original: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a contract with the source that its tools use; parts that are empty are left out.

    The source is *upstream* over HTTP, or the *original* server's.
    """
    uses_source = any(UPSTREAM in names for tool in parts.get("tools", ()) for names in tool["effects"].values())
    setting = identity.url_setting
    source = {
        "settings": {
            setting: {
                "env": setting.upper(),
                "description": f"Base URL of the system behind {identity.mcp_name}",
                "default": upstream.url or "http://127.0.0.1:8080",
            },
            **upstream.settings,
        },
        "sources": {
            UPSTREAM: {
                "kind": "http",
                "url": {"setting": setting},
                **upstream.keys,
            }
        },
    }
    return {
        "$schema": "../contract.schema.json",
        "contract": 1,
        "server": dict(server),
        "dialect": "plain",
        **(original or (source if uses_source else {})),
        **{key: value for key, value in parts.items() if value},
    }
