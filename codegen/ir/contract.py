"""What a contract says, as frozen records: the compiler's own view, free of faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from codegen.ir.version_steps import Step
from codegen.loading.documents import Document
from codegen.naming import ClassName, ConstantName, Identifier

Schema = Mapping[str, Any]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A system the handlers use."""

    name: str
    kind: str
    settings: Mapping[str, str]
    """The settings that say where it is and how it is asked, by key."""
    limits: Mapping[str, int | float]
    """The numbers of its pool, by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCode:
    """A code, and where it arises."""

    code: str
    class_name: str
    description: str
    http: int
    details: Mapping[str, Schema] | None
    when: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A rule between two arguments."""

    pointers: tuple[str, str]
    code: str
    strict: bool
    at_most_s: int | None
    """Seconds, of a span; None of an order."""

    @property
    def violation(self) -> tuple[str, str]:
        """The argument and the keyword that a violation names."""
        return (self.pointers[0], "ordered") if self.at_most_s is None else (self.pointers[1], "span")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call and its answer: a result or a code."""

    arguments: Mapping[str, Any]
    returns: Mapping[str, Any] | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderVersion:
    """A version of a tool that is answered beside its newest; its schemas have every reference written out."""

    version: str
    released_on: date | None
    deprecated_on: date | None
    """The day from which callers are told to leave it."""
    sunset_on: date | None
    """The last day on which it is answered."""
    parameters: Schema
    returns: Schema
    parameter_steps: tuple[Step, ...]
    """How its arguments become those of the next newer version."""
    result_steps: tuple[Step, ...]
    """How its results would become those of the next newer version: they go the other way."""
    examples: tuple[Example, ...]

    @property
    def constant(self) -> str:
        """What the names of its schemas end with."""
        return self.version.replace(".", "_")

    @property
    def request_lookups(self) -> tuple[str, ...]:
        """The functions that are asked on the way of its requests."""
        return tuple(step.lookup for step in self.parameter_steps if step.lookup)

    @property
    def result_lookups(self) -> tuple[str, ...]:
        """The functions that are asked on the way of its results."""
        return tuple(f"{step.lookup}_back" for step in self.result_steps if step.lookup)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool; its schemas as they are written (`raw`) and with every reference written out."""

    name: str
    title: str | None
    version: str
    description: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    raw_parameters: Schema
    raw_returns: Schema
    parameters: Schema
    returns: Schema
    errors: tuple[ErrorCode, ...]
    conditions: tuple[Condition, ...]
    ttl_s: float | None
    provisional_ttl_s: float | None
    bypass: str | None
    window_s: int | None
    """Seconds for which an idempotency key is remembered; None where the tool takes none."""
    paginated: bool
    timeout_ms: int
    p95_ms: int | None
    """Milliseconds within which 95 of 100 calls should be answered; None where the contract says nothing."""
    progress: bool
    """Whether the handler says how far it is."""
    examples: tuple[Example, ...]
    """Calls of its own version."""
    released_on: date | None
    versions: tuple[OlderVersion, ...]
    """The older versions that are answered still, the newest of them first."""

    @property
    def all_versions(self) -> list[str]:
        """The versions it is called in, the newest first."""
        return [self.version, *(older.version for older in self.versions)]

    @property
    def lookups(self) -> tuple[str, ...]:
        """The functions that say what no step can say."""
        return tuple(
            dict.fromkeys(name for each in self.versions for name in (*each.request_lookups, *each.result_lookups))
        )

    @property
    def function(self) -> str:
        """The handler's name."""
        return Identifier(self.name)

    @property
    def constant(self) -> str:
        """What the names of its schemas begin with."""
        return ConstantName(self.name)

    @property
    def class_name(self) -> str:
        """What the names of its models begin with."""
        return ClassName(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """An envelope and its standard codes."""

    name: str
    description: str
    success: Any
    failure: Any
    errors_in_output_schema: bool
    occasions: Mapping[str, str]
    codes: Mapping[str, Mapping[str, Any]]

    @property
    def constant(self) -> str:
        """Its name in generated code."""
        return ConstantName(self.name)


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
    tools: tuple[Tool, ...]

    @property
    def system(self) -> str:
        """The folder its rooms lie in."""
        return PurePosixPath(self.document.name).parts[0]

    @property
    def module(self) -> str:
        """The name of its rooms."""
        return PurePosixPath(self.document.name).stem

    @property
    def class_name(self) -> str:
        """What the names of its records begin with."""
        return ClassName(self.module)

    @property
    def handler_settings(self) -> tuple[Setting, ...]:
        """The settings that no source uses: the handlers'."""
        used = {setting for source in self.sources for setting in source.settings.values()}
        return tuple(setting for setting in self.settings if setting.name not in used)

    @property
    def takes_idempotency_keys(self) -> bool:
        """Whether some tool takes an idempotency key."""
        return any(tool.window_s is not None for tool in self.tools)

    @property
    def reports_progress(self) -> bool:
        """Whether some tool says how far it is."""
        return any(tool.progress for tool in self.tools)
