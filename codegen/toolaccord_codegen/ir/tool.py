"""Tools of a contract, resolved: references inlined, codes completed by the dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.contract import operations, tools
from toolaccord.semantics.conditions import Condition
from toolaccord.semantics.effects import NAMED, Elsewhere, find_elsewhere
from toolaccord.semantics.version_steps import Step
from toolaccord_codegen.ir.shared_records import build_condition, build_step
from toolaccord_codegen.ir.views import ViewCopy
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier

Schema = Mapping[str, Any]
NO_RESULT: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
"""The schema of the result of a tool that returns content alone."""
DEFAULT_TIMEOUT_MS = 10_000
"""Deadline of a tool without one, in milliseconds."""
CHANGING = ("adds", "writes", "publishes")
"""Effects of a tool that change something."""


def may_change(effects: operations.Effects) -> bool:
    """Return True for effects that state a change, of a source or elsewhere."""
    return any(getattr(effects, kind) for kind in CHANGING) or effects.elsewhere in CHANGING


def find_effects_elsewhere(effects: operations.Effects) -> Elsewhere:
    """Return the effects beyond named sources."""
    return find_elsewhere({key: getattr(effects, key) for key in (*NAMED, "elsewhere")})


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCode(operations.Error):
    """An error code; the dialect completes a standard one."""

    http: int
    class_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderVersion(tools.OlderVersion):
    """An older version of a tool; its schemas have every reference inlined."""

    returns: Schema
    examples: tuple[tools.Example, ...]

    @property
    def parameter_steps(self) -> tuple[Step, ...]:
        """Return the steps that turn its arguments into those of the next newer version."""
        return tuple(map(build_step, self.to_next.parameters))

    @property
    def result_steps(self) -> tuple[Step, ...]:
        """Return the steps from its results to those of the next newer version; they run in reverse."""
        return tuple(map(build_step, self.to_next.returns))

    @property
    def constant(self) -> str:
        """Return the suffix of its schemas' names."""
        return self.version.replace(".", "_")

    @property
    def request_lookups(self) -> tuple[str, ...]:
        """Return the names of the lookup functions that its requests need."""
        return tuple(step.lookup for step in self.to_next.parameters if step.lookup)

    @property
    def result_lookups(self) -> tuple[str, ...]:
        """Return the names of the lookup functions that its results need."""
        return tuple(f"{step.lookup}_back" for step in self.to_next.returns if step.lookup)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(tools.Tool):
    """One tool; `raw_*` are its schemas as written, the others have every reference inlined.

    Its examples are those of its newest version.
    """

    returns: Schema
    raw_parameters: Schema
    raw_returns: Schema
    writes: tuple[str, ...]
    """Names of the sources that it changes, also by adding and by its events."""
    view_copy: ViewCopy | None = None
    """The generated file of its view; None without one."""
    errors: tuple[ErrorCode, ...] = ()
    versions: tuple[OlderVersion, ...] = ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the names of the sources that it reads."""
        return self.effects.reads

    @property
    def adds(self) -> tuple[str, ...]:
        """Return the names of the sources to which it only adds."""
        return self.effects.adds

    @property
    def elsewhere(self) -> Elsewhere:
        """Return its effects beyond the sources that it names."""
        return find_effects_elsewhere(self.effects)

    @property
    def has_result(self) -> bool:
        """Return False where the handler returns content alone; `returns` is then `NO_RESULT`."""
        return self.raw_returns is not NO_RESULT

    @property
    def argument_conditions(self) -> tuple[Condition, ...]:
        """Return the conditions between its arguments, as a server checks them."""
        return tuple(map(build_condition, self.conditions))

    @property
    def timeout_ms(self) -> int:
        """Return its deadline in milliseconds."""
        return self.deadline.timeout_ms if self.deadline else DEFAULT_TIMEOUT_MS

    @property
    def p95_ms(self) -> int | None:
        """Return the target of its 95th percentile in milliseconds; None without one."""
        return self.deadline.p95_ms if self.deadline else None

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
        return tuple((error.code, error.when.occasion if error.when else None) for error in self.errors)

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
