"""Tools of a contract, and their older versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from toolaccord.contract.access import OperationAccess
from toolaccord.contract.constraints import Constraint, Counts, Judged
from toolaccord.contract.operations import Deadline, Effects, Error
from toolaccord.contract.policies import CachePolicy, Idempotency, RateLimit, TaskPolicy
from toolaccord.contract.texts import (
    Advice,
    AskNames,
    Code,
    Day,
    Flag,
    Pointer,
    Schema,
    SnakeName,
    StepPlace,
    Title,
    Transports,
    Version,
)
from toolaccord.contract.views import View
from toolaccord.semantics.version_steps import ABSENT

_ABSENT = {"not": {}, "description": "A tool without returns has no result."}
_WITH_OR_WITHOUT_RESULT: Mapping[str, Any] = {
    "if": {"required": ["content"], "not": {"required": ["returns"]}},
    "then": {
        "properties": {
            "pagination": _ABSENT,
            "examples": {"items": {"properties": {"returns": _ABSENT}}},
            "versions": {
                "items": {"properties": {"returns": _ABSENT, "to_next": {"properties": {"returns": _ABSENT}}}}
            },
        }
    },
    "else": {
        "properties": {
            "returns": {
                "description": "Schema of the result, without the dialect's envelope; a tool with content may do without."
            },
            "versions": {
                "items": {
                    "properties": {
                        "returns": {"description": "Schema of its result."},
                        "to_next": {
                            "properties": {"returns": {"description": "Steps for results."}},
                            "required": ["returns"],
                        },
                    },
                    "required": ["returns"],
                }
            },
        },
        "required": ["returns"],
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its arguments, its result and its errors."""

    keywords: ClassVar[Mapping[str, Any]] = _WITH_OR_WITHOUT_RESULT

    name: Annotated[str, Constraint(pattern=r"^[A-Za-z0-9_.-]{1,128}$"), Judged("by what identifies it")]
    """Name that models call.

    It may have 64 characters, including the host's prefix mcp__<server>__.
    """
    title: Title | None = None
    """Display name."""
    version: Annotated[Version, Judged("it grows as the changes require")]
    released_on: Annotated[Day, Judged("it stays while the version stays")] | None = None
    """First day on which this version is available."""
    description: Advice
    """Description for the model that chooses the tool."""
    transports: Annotated[Transports, Judged("among those of the server")] | None = None
    """Transports on which the tool exists; all of the server's if absent."""
    access: OperationAccess | None = None
    effects: Effects
    parameters: Schema
    """Schema of the arguments: an object that states additionalProperties."""
    returns: Schema | None = None
    """Schema of the result, without the dialect's envelope."""
    content: Annotated[
        tuple[
            Annotated[
                str,
                Constraint(pattern=r"^(text|image|audio|resource|resource_link|(image|audio)/[a-z0-9][a-z0-9.+-]*)$"),
            ],
            ...,
        ],
        Constraint(minItems=1, uniqueItems=True),
        Judged("with returns, as the form of answers"),
    ] = ()
    """Kinds of content that the handler returns, with a result or, without returns, alone.

    A media type of images or audio, such as image/png, stands for content of that type alone.
    """
    errors: tuple[Error, ...] = ()
    """Errors of the tool; none if absent. If several apply, the call fails with the first one."""
    conditions: Annotated[tuple[Condition, ...], Judged("by the arguments that they reject")] = ()
    """Rules between arguments, checked after the schema."""
    cache: Annotated[CachePolicy, Counts(added="CACHE_ENABLED", removed="CACHE_DISABLED")] | None = None
    idempotency: Annotated[Idempotency, Counts(added="IDEMPOTENCY_ADDED", removed="IDEMPOTENCY_REMOVED")] | None = None
    rate_limit: RateLimit | None = None
    pagination: Annotated[Literal["offset"], Counts("PAGE_STYLE_CHANGED", subject="")] | None = None
    """The handler returns Page(items, total); parameters have limit and offset, returns have
    items and pagination.
    """
    deadline: Deadline | None = None
    fresh: Annotated[Flag, Counts(added="FRESH_ADDED", removed="FRESH_REMOVED")] = False
    """If true, results must be current because somebody acts upon them.

    Lint reports a cache of this tool.
    """
    progress: Annotated[Flag, Counts(added="PROGRESS_ADDED", removed="PROGRESS_REMOVED")] = False
    """If true, the handler reports progress with call.progress, and callers that request it
    receive the reports.
    """
    logging: Annotated[Flag, Counts(added="LOGGING_ADDED", removed="LOGGING_REMOVED")] = False
    """If true, the handler sends log messages with call.log, and clients receive those of their
    level.
    """
    asks: AskNames = ()
    """Asks that the handler may put to its caller.

    The tool has no cache, and the server sessions over HTTP.
    """
    task: Annotated[TaskPolicy, Counts(added="TASK_ADDED", removed="TASK_REMOVED")] | None = None
    view: Annotated[View, Counts("VIEW_CHANGED", subject="")] | None = None
    examples: Annotated[tuple[Example, ...], Constraint(minItems=1), Counts("EXAMPLE_CHANGED", subject="")] = ()
    """Calls with their results or errors, checked against the schemas."""
    versions: Annotated[tuple[OlderVersion, ...], Constraint(minItems=1), Judged("as promises to callers")] = ()
    """Older versions that are still available, the newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderVersion:
    """An older version that is still available.

    Its schemas and steps never change after publication.
    """

    keywords: ClassVar[Mapping[str, Any]] = {"dependentRequired": {"sunset_on": ["deprecated_on"]}}
    version: Version
    released_on: Day | None = None
    """First day on which it was available."""
    deprecated_on: Day | None = None
    """Day from which responses announce its deprecation."""
    sunset_on: Day | None = None
    """Last day on which it is available."""
    parameters: Schema
    """Schema of its arguments."""
    returns: Schema | None = None
    """Schema of its result."""
    to_next: DeclaredSteps


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredSteps:
    """Mapping between a version and the next newer one: the entry before it, or the tool itself.

    Arguments are mapped to the newer version, results to the older one.
    """

    has_notes: ClassVar = False

    parameters: tuple[DeclaredStep, ...]
    """Steps for arguments."""
    returns: tuple[DeclaredStep, ...] = ()
    """Steps for results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredStep:
    """One difference between the versions: a member moves, is added, or is dropped."""

    has_notes: ClassVar = False
    keywords: ClassVar[Mapping[str, Any]] = {
        "minProperties": 1,
        "dependentRequired": {
            "move": ["to"],
            "to": ["move"],
            "values": ["move"],
            "lookup": ["move"],
            "add": ["value"],
            "value": ["add"],
            "default": ["drop"],
        },
        "not": {
            "anyOf": [
                {"required": ["move", "add"]},
                {"required": ["move", "drop"]},
                {"required": ["add", "drop"]},
                {"required": ["values", "lookup"]},
            ]
        },
    }
    move: StepPlace | None = None
    """Pointer to the member in the older version."""
    to: StepPlace | None = None
    """With move: pointer to the member in the newer version."""
    values: Annotated[Mapping[str, str], Constraint(minProperties=1)] = field(default_factory=dict)
    """With move: values of the newer version by those of the older one."""
    lookup: SnakeName | None = None
    """With move: name of a function in the handlers' module that computes the value in the other
    version, if no rule can.
    """
    add: StepPlace | None = None
    """Pointer to a member that only the newer version has."""
    value: Any = ABSENT
    """With add: its value for callers of the older version."""
    drop: StepPlace | None = None
    """Pointer to a member that only the older version has."""
    default: Any = ABSENT
    """With drop: its value for callers of the older version. If absent, they get no such member."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A rule between arguments. It is skipped if an operand is absent."""

    has_notes: ClassVar = False
    keywords: ClassVar[Mapping[str, Any]] = {
        "minProperties": 2,
        "dependentRequired": {"strict": ["ordered"], "at_most": ["span"], "span": ["at_most"]},
        "if": {"required": ["ordered"]},
        "then": {"not": {"required": ["span"]}},
    }
    ordered: Annotated[tuple[Pointer, ...], Constraint(minItems=2, maxItems=2)] = ()
    """The first argument must not be after the second."""
    strict: bool = False
    """With ordered: if true, it must not be equal either."""
    span: Annotated[tuple[Pointer, ...], Constraint(minItems=2, maxItems=2)] = ()
    """The second argument is at most at_most after the first."""
    at_most: (
        Annotated[
            str,
            Constraint(
                pattern=r"^P([0-9]{1,6}W|[0-9]{1,6}D|([0-9]{1,6}D)?T(?=[0-9])([0-9]{1,6}H)?([0-9]{1,6}M)?([0-9]{1,6}S)?)$"
            ),
        ]
        | None
    ) = None
    """With span: an ISO 8601 duration in weeks, days, hours, minutes, seconds, e.g. P730D."""
    code: Code
    """Error code of a violation; one of the tool's errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call with its result or error."""

    version: Version | None = None
    """Called version; the tool's newest if absent."""
    arguments: Mapping[str, Any]
    """Arguments of the call."""
    returns: Any = ABSENT
    """Result, without the envelope."""
    error: Code | None = None
    """Error code, instead of a result."""
