"""Contracts as frozen records: the compiler's own view, without faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from toolaccord.semantics.conditions import Condition
from toolaccord.semantics.version_steps import Step
from toolaccord_codegen.ir.prompts import Prompt
from toolaccord_codegen.ir.resources import Resource
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier

Schema = Mapping[str, Any]
NO_RESULT: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
"""The schema of the result of a tool that returns content alone."""
DEFAULT_TIMEOUT_MS = 10_000
"""Deadline of a tool without one, in milliseconds."""
CHANGING = ("adds", "writes", "publishes")
"""Effects of a tool that change something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value from the environment."""

    name: str
    env: str
    description: str
    schema: Schema
    default: str | int | float | bool | None
    required: bool
    secret: bool

    @property
    def is_prompted(self) -> bool:
        """Return True where a host should prompt its user for the value."""
        return self.required or self.secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A system that handlers use."""

    name: str
    kind: str
    settings: Mapping[str, str]
    """The settings that hold its address and credentials, by key."""
    limits: Mapping[str, int | float]
    """The numbers of its pool, by key."""
    paths: Mapping[str, str]
    """The settings that hold paths, by the names of a files source; empty for another source."""

    @property
    def used_settings(self) -> tuple[str, ...]:
        """Return the names of the settings that configure it."""
        return (*self.settings.values(), *self.paths.values())


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
class ErrorCode:
    """An error code and the condition under which it arises."""

    code: str
    class_name: str
    description: str
    http: int
    jsonrpc: int | None
    """The number in JSON-RPC; None where the dialect does not send it."""
    retryable: bool
    """True where the same call may succeed later."""
    details: Mapping[str, Schema] | None
    when: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """Caching of a tool's results."""

    ttl_s: float
    """Seconds for which a result is cached."""
    provisional_ttl_s: float | None
    """The same for a provisional result; None where the handler returns none."""
    bypass: str | None
    """The boolean parameter that bypasses the cache."""
    precision: Mapping[str, str]
    """The unit to which an instant is rounded down, by the name of its parameter."""
    store: str | None
    """The Redis source in which replicas share results; None where each has its own."""
    memory_ttl_s: float | None
    """Seconds for which a replica keeps a copy of a shared result; None for the result's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """Recognition of a tool's repeated calls."""

    key_from: tuple[str, ...]
    """The origins of a key: `request`, `derived`."""
    window_s: int
    """Seconds for which a key is remembered."""
    store: str | None
    """The Redis source that stores keys; None where the handler stores them in PostgreSQL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Limit of the calls that one caller may make."""

    calls: int
    window_s: int
    store: str | None
    """The Redis source that counts the calls of all replicas; None where each counts its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call and its answer: a result or an error code."""

    arguments: Mapping[str, Any]
    returns: Mapping[str, Any] | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderVersion:
    """An older version of a tool that is still served; its schemas have every reference inlined."""

    version: str
    released_on: date | None
    deprecated_on: date | None
    """The day from which callers are advised to leave it."""
    sunset_on: date | None
    """The last day on which it is served."""
    parameters: Schema
    returns: Schema
    parameter_steps: tuple[Step, ...]
    """The steps that turn its arguments into those of the next newer version."""
    result_steps: tuple[Step, ...]
    """The steps from its results to those of the next newer version; they run in reverse."""
    examples: tuple[Example, ...]

    @property
    def constant(self) -> str:
        """Return the suffix of its schemas' names."""
        return self.version.replace(".", "_")

    @property
    def request_lookups(self) -> tuple[str, ...]:
        """Return the names of the lookup functions that its requests need."""
        return tuple(step.lookup for step in self.parameter_steps if step.lookup)

    @property
    def result_lookups(self) -> tuple[str, ...]:
        """Return the names of the lookup functions that its results need."""
        return tuple(f"{step.lookup}_back" for step in self.result_steps if step.lookup)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool; `raw_*` are its schemas as written, the others have every reference inlined."""

    name: str
    title: str | None
    version: str
    description: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    """Names of the sources that it changes, also by adding and by its events."""
    adds: tuple[str, ...]
    """Names of the sources among them to which it only adds."""
    privileges: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Privileges that it needs, by PostgreSQL source and table."""
    raw_parameters: Schema
    raw_returns: Schema
    parameters: Schema
    returns: Schema
    content: tuple[str, ...]
    """The kinds of content that the handler returns; empty where it returns none."""
    has_result: bool
    """False where the handler returns content alone; `returns` is then `NO_RESULT`."""
    errors: tuple[ErrorCode, ...]
    conditions: tuple[Condition, ...]
    cache: Cache | None
    """None where every call runs the handler."""
    idempotency: Idempotency | None
    """None where every call runs the handler."""
    rate_limit: RateLimit | None
    """None where callers may call as often as they like."""
    paginated: bool
    timeout_ms: int
    p95_ms: int | None
    """Milliseconds within which 95 of 100 calls should be answered; None without a target."""
    progress: bool
    """True where the handler reports progress."""
    logging: bool
    """True where the handler sends log messages to the client."""
    asks: tuple[str, ...]
    """Names of the asks that the handler may put to its caller."""
    examples: tuple[Example, ...]
    """Calls of its newest version."""
    released_on: date | None
    versions: tuple[OlderVersion, ...]
    """The older versions that are still served, newest first."""
    transports: tuple[str, ...] | None
    """The transports on which it exists; None for all of the server's."""

    @property
    def all_versions(self) -> list[str]:
        """Return the versions that callers may name, newest first."""
        return [self.version, *(older.version for older in self.versions)]

    @property
    def takes_key(self) -> bool:
        """Return True where callers may send an idempotency key."""
        return self.idempotency is not None and "request" in self.idempotency.key_from

    @property
    def has_deprecated_version(self) -> bool:
        """Return True where an older version is deprecated."""
        return any(older.deprecated_on for older in self.versions)

    @property
    def lookups(self) -> tuple[str, ...]:
        """Return the names of the functions that convert values which no step can convert."""
        return tuple(
            dict.fromkeys(name for each in self.versions for name in (*each.request_lookups, *each.result_lookups))
        )

    @property
    def function(self) -> str:
        """Return the handler's name."""
        return Identifier(self.name)

    @property
    def constant(self) -> str:
        """Return the prefix of its schemas' names."""
        return ConstantName(self.name)

    @property
    def class_name(self) -> str:
        """Return the prefix of its models' names."""
        return ClassName(self.name)


DEFAULT_DETAILS: Mapping[str, Sequence[str]] = {
    "arguments": ("violations",),
    "version": ("versions",),
    "sunset": ("sunset_on", "successor"),
    "overload": ("retry_after_s",),
}
"""Names of the values in the details of errors on occasions for which a dialect names none."""


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
    def bearer_env(self) -> str | None:
        """Return the variable with the bearer token over HTTP; None where the contract has none."""
        bearer = self.access.get("http")
        return next((setting.env for setting in self.settings if bearer and setting.name == bearer.setting), None)

    @property
    def optional_stores(self) -> tuple[str, ...]:
        """Return the sources in which replicas share what each can also have alone."""
        subjects = {event.source for event in self.events if event.subject is not None}
        deduped = [tool for tool in self.tools if set(tool.writes) <= subjects]  # JetStream drops what they repeat
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
