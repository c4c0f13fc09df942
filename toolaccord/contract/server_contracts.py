"""Contracts of servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from toolaccord.contract.access import Access
from toolaccord.contract.constraints import Constraint, Counts, Judged, Uncounted
from toolaccord.contract.documents import DOCUMENT_KEYS, Asks, Events, Settings
from toolaccord.contract.prompts import Prompt
from toolaccord.contract.resources import Resource
from toolaccord.contract.sources import Sources
from toolaccord.contract.texts import Advice, Flag, Instructions, LanguageVersion, Title, Transports, Version
from toolaccord.contract.tools import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerContract:
    """Contract of one MCP server."""

    keywords: ClassVar[Mapping[str, Any]] = DOCUMENT_KEYS

    contract: Annotated[LanguageVersion, Uncounted("its values mean the same")]
    server: Server
    dialect: Annotated[str, Constraint(examples=["plain"]), Counts("DIALECT_CHANGED")]
    """Name of the envelope, in dialects.json, around results and errors."""
    transports: Annotated[Transports, Judged("as a set")] = ()
    """Transports on which the server can be run; stdio and http if absent."""
    access: Access | None = None
    sessions: Annotated[Flag, Judged("with the keys that need them")] = False
    """If true, the server has sessions over HTTP in 2025-11-25, and their clients can cancel
    calls.
    """
    lifespan: Annotated[Flag, Uncounted("nobody outside sees the state of handlers")] = False
    """If true, `call.state` is what the context manager `lifespan` of the handlers yields."""
    settings: Settings = ()
    sources: Sources = ()
    events: Events = ()
    asks: Asks = ()
    tools: Annotated[tuple[Tool, ...], Constraint(minItems=1)]
    """Tools, in the order of tools/list."""
    resources: Annotated[tuple[Resource, ...], Constraint(minItems=1)] = ()
    """Resources, in the order of resources/list and resources/templates/list."""
    prompts: Annotated[tuple[Prompt, ...], Constraint(minItems=1)] = ()
    """Prompts, in the order of prompts/list."""
    contracts_as_resources: Annotated[Flag, Counts(added="RESOURCE_ADDED", removed="RESOURCE_REMOVED")] = False
    """If true, the contract of each tool is a resource too: contract://<server>/<tool>."""

    @property
    def operations(self) -> tuple[Tool | Resource | Prompt, ...]:
        """Its tools, resources and prompts."""
        return *self.tools, *self.resources, *self.prompts

    @property
    def has_sessions(self) -> bool:
        """True if it has sessions over HTTP, or a key that needs them."""
        reports = any(tool.logging for tool in self.tools) or any(each.subscribe for each in self.resources)
        return self.sessions or reports or any(each.asks for each in self.operations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Identity of the server."""

    name: Annotated[
        str, Constraint(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"), Judged("with the resources that it names")
    ]
    """Name of the server in MCP, which hosts show and configure, e.g. strategy-mcp."""
    title: Title
    """Display name."""
    version: Annotated[Version, Judged("it grows as the changes require")]
    description: Advice
    """Purpose of the server, in one sentence."""
    instructions: Instructions | None = None
    """Advice to the model on the use of the tools, sent on initialize."""
    list_budget_bytes: Annotated[int, Constraint(minimum=1), Uncounted("nobody outside sees it")] | None = None
    """Maximum size of tools/list in bytes; lint reports a larger one.

    Four bytes are about one token of a model's context.
    """
