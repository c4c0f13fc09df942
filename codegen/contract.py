"""What a contract says, as frozen records: the compiler's own view, free of faults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from codegen.contract_rules import setting_schema
from codegen.documents import Document
from codegen.naming import ClassName, ConstantName, Identifier
from codegen.references import Library

Schema = Mapping[str, Any]
UNITS_S = {"W": 604800, "D": 86400, "H": 3600, "M": 60, "S": 1}


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
    def broken(self) -> tuple[str, str]:
        """The argument and the keyword that a violation names."""
        return (self.pointers[0], "ordered") if self.at_most_s is None else (self.pointers[1], "span")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call and its answer: a result or a code."""

    arguments: Mapping[str, Any]
    returns: Mapping[str, Any] | None
    error: str | None


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
    def room(self) -> str:
        """The name of its rooms."""
        return PurePosixPath(self.document.name).stem

    @property
    def class_name(self) -> str:
        """What the names of its records begin with."""
        return ClassName(self.room)

    @property
    def handler_settings(self) -> tuple[Setting, ...]:
        """The settings that no source uses: the handlers'."""
        used = {setting for source in self.sources for setting in source.settings.values()}
        return tuple(setting for setting in self.settings if setting.name not in used)

    @property
    def idempotent(self) -> bool:
        """Whether some tool takes an idempotency key."""
        return any(tool.window_s is not None for tool in self.tools)

    @property
    def progressive(self) -> bool:
        """Whether some tool says how far it is."""
        return any(tool.progress for tool in self.tools)


def contract_of(library: Library, document: Document, dialects: Mapping[str, Dialect]) -> Contract:
    """The record of a contract in which no rule found a fault."""
    value = document.value
    server, dialect = value["server"], dialects[value["dialect"]]
    return Contract(
        document=document,
        name=server["name"],
        title=server["title"],
        version=server["version"],
        description=server["description"],
        instructions=server.get("instructions"),
        dialect=dialect,
        settings=tuple(setting_of(name, setting) for name, setting in value.get("settings", {}).items()),
        sources=tuple(source_of(name, source) for name, source in value.get("sources", {}).items()),
        tools=tuple(tool_of(library, document, dialect, tool) for tool in value["tools"]),
    )


def dialect_of(name: str, value: Mapping[str, Any]) -> Dialect:
    """The record of a dialect."""
    return Dialect(name=name, **{key: part for key, part in value.items() if not key.startswith("x-")})


def setting_of(name: str, setting: Mapping[str, Any]) -> Setting:
    """The record of a setting."""
    return Setting(
        name=name,
        env=setting["env"],
        description=setting["description"],
        schema=setting_schema(setting),
        default=setting.get("default"),
        required="required" in setting,
        secret=setting.get("secret", False),
    )


def source_of(name: str, source: Mapping[str, Any]) -> Source:
    """The record of a source; whatever is neither its kind nor a setting is a limit."""
    said = {key: part for key, part in source.items() if key != "kind" and not key.startswith("x-")}
    settings = {key: part["setting"] for key, part in said.items() if isinstance(part, dict)}
    limits = {
        key: part if key.endswith(("_s", "_per_second")) else int(part)
        for key, part in said.items()
        if key not in settings
    }
    return Source(name=name, kind=source["kind"], settings=settings, limits=limits)


def tool_of(library: Library, document: Document, dialect: Dialect, tool: Mapping[str, Any]) -> Tool:
    """The record of a tool."""
    cache, effects, deadline = tool.get("cache", {}), tool["effects"], tool["deadline"]
    return Tool(
        name=tool["name"],
        title=tool.get("title"),
        version=tool["version"],
        description=tool["description"],
        reads=tuple(effects.get("reads", ())),
        writes=tuple(effects.get("writes", ())),
        raw_parameters=tool["parameters"],
        raw_returns=tool["returns"],
        parameters=library.inlined(document, tool["parameters"]),
        returns=library.inlined(document, tool["returns"]),
        errors=tuple(error_of(dialect, error) for error in tool["errors"]),
        conditions=tuple(condition_of(condition) for condition in tool.get("conditions", ())),
        ttl_s=cache.get("ttl_s"),
        provisional_ttl_s=cache.get("provisional_ttl_s"),
        bypass=cache.get("bypass"),
        window_s=int(tool["idempotency"]["window_s"]) if "idempotency" in tool else None,
        paginated="pagination" in tool,
        timeout_ms=int(deadline["timeout_ms"]),
        p95_ms=int(deadline["p95_ms"]) if "p95_ms" in deadline else None,
        progress="progress" in tool,
        examples=tuple(example_of(example) for example in tool["examples"]),
    )


def error_of(dialect: Dialect, error: Mapping[str, Any]) -> ErrorCode:
    """The record of a code; a standard one has the dialect's status."""
    return ErrorCode(
        code=error["code"],
        class_name=error.get("name") or ClassName(error["code"]),
        description=error["description"],
        http=int(error["http"] if "http" in error else dialect.codes[error["code"]]["http"]),
        details=error.get("details"),
        when=error.get("when"),
    )


def condition_of(condition: Mapping[str, Any]) -> Condition:
    """The record of a condition."""
    first, second = condition["span"] if "span" in condition else condition["ordered"]
    return Condition(
        pointers=(first, second),
        code=condition["code"],
        strict=condition.get("strict", False),
        at_most_s=seconds(condition["at_most"]) if "span" in condition else None,
    )


def example_of(example: Mapping[str, Any]) -> Example:
    """The record of an example."""
    return Example(arguments=example["arguments"], returns=example.get("returns"), error=example.get("error"))


def seconds(duration: str) -> int:
    """An ISO 8601 duration without months and years, whose lengths differ, in seconds."""
    return sum(int(count) * UNITS_S[unit] for count, unit in re.findall(r"([0-9]+)([WDHMS])", duration))
