"""Tools of a contract as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from toolaccord.contract.policies import CachePolicy, Idempotency, RateLimit
from toolaccord.semantics.conditions import Condition
from toolaccord.semantics.effects import Elsewhere
from toolaccord.semantics.version_steps import Step
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier

Schema = Mapping[str, Any]
NO_RESULT: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
"""The schema of the result of a tool that returns content alone."""
DEFAULT_TIMEOUT_MS = 10_000
"""Deadline of a tool without one, in milliseconds."""
CHANGING = ("adds", "writes", "publishes")
"""Effects of a tool that change something."""


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
    publishes: tuple[str, ...]
    """Names of the events that it publishes."""
    elsewhere: Elsewhere
    """Its effects beyond the sources that it names."""
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
    cache: CachePolicy | None
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
    def error_occasions(self) -> tuple[tuple[str, str | None], ...]:
        """Return the code of each declared error, with the occasion that it is bound to."""
        return tuple((error.code, (error.when or {}).get("occasion")) for error in self.errors)

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
