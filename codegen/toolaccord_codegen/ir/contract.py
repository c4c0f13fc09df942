"""Contracts of servers, resolved: the compiler's own view, without faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolaccord.contract import asks, events
from toolaccord.contract.access import ArgumentKey, BearerToken
from toolaccord.contract.dialects import Dialect
from toolaccord.contract.documents import Ask
from toolaccord.contract.operations import Privilege
from toolaccord.contract.server_contracts import Server, ServerContract
from toolaccord.contract.settings import Setting
from toolaccord.contract.source_kinds.http import HttpSource
from toolaccord.contract.sources import Source
from toolaccord.semantics.effects import CHANGING_ELSEWHERE
from toolaccord_codegen.ir.owners import InFolder
from toolaccord_codegen.ir.prompts import Prompt
from toolaccord_codegen.ir.resources import Resource
from toolaccord_codegen.ir.sources import list_used_settings
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.naming import ClassName, ConstantName

MCP_TRANSPORTS = DEFAULT_TRANSPORTS = ("stdio", "http")
"""The transports that speak MCP; a server that names none has these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(events.Event):
    """A message that tools publish; its payload has every reference inlined."""

    raw_payload: Schema

    @property
    def constant(self) -> str:
        """Return the prefix of its schema's name."""
        return ConstantName(self.name)

    @property
    def class_name(self) -> str:
        """Return the name of its payload's model, unless that is a shared one."""
        return ClassName(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(asks.Elicitation):
    """A form that a user fills in; its schema has every reference inlined."""

    @property
    def constant(self) -> str:
        """Return the prefix of its schema's name."""
        return ConstantName(self.name)

    @property
    def class_name(self) -> str:
        """Return the name of its model."""
        return f"{ClassName(self.name)}Answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(InFolder):
    """One server."""

    document: Document
    declared: ServerContract
    dialect: Dialect
    settings: tuple[Setting, ...]
    sources: tuple[Source, ...]
    events: tuple[Event, ...]
    asks: tuple[Ask, ...]
    tools: tuple[Tool, ...]
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    derived_privileges: Mapping[str, Mapping[str, tuple[Privilege, ...]]] = field(default_factory=dict)
    """The privileges that its queries need, by source and table, where it declares none."""

    def on(self, *transports: str) -> Contract:
        """Return the contract as these transports serve it.

        It has the tools that exist there, and no setting that only the access of others needs.
        """
        needed = {key.setting for transport, key in self.access.items() if transport in transports}
        unneeded = {key.setting for key in self.access.values()} - needed
        served = [transport for transport in self.transports if transport in transports]
        return replace(
            self,
            settings=tuple(setting for setting in self.settings if setting.name not in unneeded),
            tools=tuple(tool for tool in self.tools if any(each in (tool.transports or served) for each in served)),
        )

    @property
    def identity(self) -> Server:
        """Return the part of the contract that names the server."""
        return self.declared.server

    @property
    def transports(self) -> tuple[str, ...]:
        """Return the transports on which it can be run."""
        return self.declared.transports or DEFAULT_TRANSPORTS

    @property
    def access(self) -> Mapping[str, ArgumentKey | BearerToken]:
        """Return the keys that callers send, by transport."""
        return self.declared.access.by_transport if self.declared.access else {}

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the scopes that a caller needs for everything."""
        return self.declared.access.scopes if self.declared.access else ()

    def demand(self, operation: Tool | Resource | Prompt) -> tuple[str, ...]:
        """Return the scopes that a caller needs for a tool, a resource or a prompt."""
        own = operation.access.scopes if operation.access else ()
        return tuple(dict.fromkeys((*self.scopes, *own)))

    @property
    def operations(self) -> tuple[Tool | Resource | Prompt, ...]:
        """Return its tools, resources and prompts."""
        return *self.tools, *self.resources, *self.prompts

    @property
    def demands_scopes(self) -> bool:
        """Return True where callers need scopes for something."""
        return any(self.demand(each) for each in self.operations)

    @property
    def sessions(self) -> bool:
        """Return True where it has sessions over HTTP in the handshake era."""
        return self.declared.has_sessions

    @property
    def lifespan(self) -> bool:
        """Return True where its handlers open a state."""
        return self.declared.lifespan

    @property
    def forms(self) -> tuple[Form, ...]:
        """Return the asks that are forms."""
        return tuple(ask for ask in self.asks if isinstance(ask, Form))

    @property
    def call_type(self) -> str:
        """Return the type of the record that handlers take beside a request."""
        return f"{self.class_name}Call{'[State]' if self.lifespan else ''}"

    @property
    def bearer_env(self) -> str | None:
        """Return the variable with the bearer token over HTTP; None where the contract has none."""
        bearer = self.access.get("http")
        return next((setting.env for setting in self.settings if bearer and setting.name == bearer.setting), None)

    @property
    def stores(self) -> frozenset[str]:
        """Return the sources in which the library keeps state of calls."""
        keys = [tool.idempotency.store for tool in self.tools if tool.idempotency]
        tasks = [tool.task.store for tool in self.tools if tool.task]
        return frozenset(name for name in (*self.optional_stores, *keys, *tasks) if name)

    @property
    def optional_stores(self) -> tuple[str, ...]:
        """Return the sources in which replicas share what each can also have alone."""
        subjects = {event.source for event in self.events if event.subject is not None}
        deduped = [  # JetStream drops what they repeat
            each for each in self.tools if set(each.writes) <= subjects and each.elsewhere not in CHANGING_ELSEWHERE
        ]
        stores = [tool.idempotency.store for tool in deduped if tool.idempotency]
        stores += [tool.cache.store for tool in self.tools if tool.cache]
        stores += [each.rate_limit.store for each in self.operations if each.rate_limit]
        stores += [source.store for source in self.sources if isinstance(source, HttpSource)]
        return tuple(dict.fromkeys(store for store in stores if store))

    @property
    def client_resources(self) -> tuple[Resource, ...]:
        """Return the resources for which its client has a method: all but the contracts of tools."""
        return tuple(resource for resource in self.resources if "." not in resource.name)

    @property
    def watched_resources(self) -> tuple[Resource, ...]:
        """Return the resources to whose changes clients can subscribe."""
        return tuple(resource for resource in self.resources if resource.subscribe)

    @property
    def read_resources(self) -> tuple[Resource, ...]:
        """Return the resources that handlers read."""
        return tuple(resource for resource in self.resources if not resource.static)

    @property
    def handler_settings(self) -> tuple[Setting, ...]:
        """Return the settings that no source and no access uses: those of the handlers."""
        used = {setting for source in self.sources for _, setting in list_used_settings(source)}
        used |= {key.setting for key in self.access.values()}
        return tuple(setting for setting in self.settings if setting.name not in used)


DEFAULT_DETAILS: dict[str, Sequence[str]] = {
    "arguments": ("violations",),
    "version": ("versions",),
    "sunset": ("sunset_on", "successor"),
    "overload": ("retry_after_s",),
}
"""Names of the values in the details of errors on occasions for which a dialect names none."""
