"""Contracts as frozen records: the compiler's own view, without faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from toolaccord.contract.settings import Setting
from toolaccord.semantics.effects import CHANGING_ELSEWHERE
from toolaccord_codegen.ir.prompts import Prompt
from toolaccord_codegen.ir.resources import Resource
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.naming import ClassName, ConstantName


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A system that handlers use."""

    name: str
    kind: str
    settings: Mapping[str, str]
    """The settings that hold its address and credentials, by key."""
    values: Mapping[str, Any]
    """The numbers of its pool, and other values of a kind of one's own, by key."""
    groups: Mapping[str, Mapping[str, str]]
    """The settings that it names in groups, such as `headers`, by key and name."""

    @property
    def used_settings(self) -> tuple[str, ...]:
        """Return the names of the settings that configure it."""
        return (*self.settings.values(), *(each for group in self.groups.values() for each in group.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A message that tools publish."""

    name: str
    description: str
    source: str
    """Name of the source that carries it; one of zmq_pub needs no subject or channel."""
    subject: str | None
    """Its subject of a nats source; None for another source."""
    channel: str | None
    """Its channel of a redis source; None for another source."""
    duplicate_window_s: int | None
    """Seconds in which the channel carries the event of one id once; None where it always does."""
    encoding: str
    """The encoding of its payload: `json` or `s_expression`."""
    symbols: tuple[str, ...]
    """Pointers to the strings that an S-expression holds as symbols."""
    raw_payload: Schema
    payload: Schema
    """The schema of its payload, with every reference inlined."""

    @property
    def constant(self) -> str:
        """Return the prefix of its schema's name."""
        return ConstantName(self.name)

    @property
    def class_name(self) -> str:
        """Return the name of its payload's model, unless that is a shared one."""
        return ClassName(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question that handlers put to their callers."""

    name: str
    kind: str
    description: str
    message: str | None
    """The text with its placeholders; None for roots."""
    parameters: Mapping[str, str]
    """Types of the placeholders, by name."""
    raw_schema: Schema | None
    """The schema of a form; None for another kind."""
    schema: Schema | None
    """The same with every reference inlined."""
    max_tokens: int | None
    system_prompt: str | None
    optional: bool
    """True if a caller that cannot be asked counts as having declined."""

    @property
    def constant(self) -> str:
        """Return the prefix of its schema's name."""
        return ConstantName(self.name)

    @property
    def class_name(self) -> str:
        """Return the name of the model of its form."""
        return f"{ClassName(self.name)}Answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """An envelope and its standard error codes."""

    name: str
    description: str
    success: Any
    failure: Any
    errors_in_output_schema: bool
    failure_in_protocol_errors: bool = False
    """True where the JSON-RPC error to a call of an unknown tool has the failure as its data."""
    occasions: Mapping[str, str]
    details: Mapping[str, Sequence[str]]
    """Names of the values in the details of errors, by occasion."""
    codes: Mapping[str, Mapping[str, Any]]

    @property
    def constant(self) -> str:
        """Return its name in generated code."""
        return ConstantName(self.name)

    @property
    def occasion_codes(self) -> Mapping[str, str]:
        """Return the standard codes by occasion."""
        return self.occasions


MCP_TRANSPORTS = DEFAULT_TRANSPORTS = ("stdio", "http")
"""The transports that speak MCP; a server that names none has these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKey:
    """A key that callers send."""

    setting: str
    argument: str | None
    """The member of params that carries it; None for a bearer token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One server."""

    document: Document
    name: str
    title: str
    version: str
    description: str
    instructions: str | None
    dialect: Dialect
    settings: tuple[Setting, ...]
    sources: tuple[Source, ...]
    events: tuple[Event, ...]
    tools: tuple[Tool, ...]
    transports: tuple[str, ...]
    access: Mapping[str, AccessKey]
    """The keys that callers send, by transport."""
    sessions: bool
    """True where it has sessions over HTTP in the handshake era."""
    lifespan: bool
    """True where its handlers open a state."""
    asks: tuple[Ask, ...]
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()

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
    def system(self) -> str:
        """Return the name of the folder that holds the contract."""
        return PurePosixPath(self.document.name).parts[0]

    @property
    def module(self) -> str:
        """Return the Python name of the server's modules."""
        return PurePosixPath(self.document.name).stem

    @property
    def class_name(self) -> str:
        """Return the prefix of its records' names."""
        return ClassName(self.module)

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
    def optional_stores(self) -> tuple[str, ...]:
        """Return the sources in which replicas share what each can also have alone."""
        subjects = {event.source for event in self.events if event.subject is not None}
        deduped = [  # JetStream drops what they repeat
            each for each in self.tools if set(each.writes) <= subjects and each.elsewhere not in CHANGING_ELSEWHERE
        ]
        stores = [tool.idempotency.store for tool in deduped if tool.idempotency]
        policies = [policy for tool in self.tools for policy in (tool.cache, tool.rate_limit) if policy]
        policies += [resource.rate_limit for resource in self.resources if resource.rate_limit]
        policies += [prompt.rate_limit for prompt in self.prompts if prompt.rate_limit]
        stores += [policy.store for policy in policies]
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
        used = {setting for source in self.sources for setting in source.used_settings}
        used |= {key.setting for key in self.access.values()}
        return tuple(setting for setting in self.settings if setting.name not in used)


DEFAULT_DETAILS: Mapping[str, Sequence[str]] = {
    "arguments": ("violations",),
    "version": ("versions",),
    "sunset": ("sunset_on", "successor"),
    "overload": ("retry_after_s",),
}
"""Names of the values in the details of errors on occasions for which a dialect names none."""
