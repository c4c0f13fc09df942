"""What a call that fails is answered: the code of each occasion, and no text that was not meant for the caller."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from toolpact.call.idempotency_key import ConflictError
from toolpact.declarations.dialects import Dialect
from toolpact.declarations.tool import AnyTool, At, Occasion, OlderVersion, On
from toolpact.errors import SourceError, ToolError
from toolpact.json_values import JsonObject
from toolpact.schema.violations import Violation
from toolpact.timing.deadline import Late

_LOG = logging.getLogger(__name__)
_MOST_LISTED = 100
_MOST_SAID = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a call failed, as its caller hears it."""

    code: str
    """The code of the error."""
    http: int
    """The HTTP status that says the same."""
    message: str
    """A sentence for the caller."""
    details: JsonObject = field(default_factory=dict)
    """Values for a machine."""
    free: bool = False
    """Whether message and details are a handler's own words, which may hold anything."""


def refused(
    tool: AnyTool,
    dialect: Dialect,
    violations: Sequence[Violation],
    told: Sequence[Violation] | None = None,
) -> Failure:
    """Return the failure of arguments that break the schema: the first error that the contract binds to such a place.

    *told* are the *violations* by the names that the caller knows, where these are not the contract's.
    """
    told = violations if told is None else told
    for declared in tool.errors:
        if isinstance(declared.when, At) and any(_binds(declared.when, violation) for violation in violations):
            return _violated(declared.error.code, declared.error.http, told)
    code = dialect.occasions.arguments
    return _violated(code, dialect.http(code), told)


def broken(tool: AnyTool, dialect: Dialect, rules: Sequence[tuple[str, Violation]]) -> Failure:
    """Return the failure of arguments that break *rules* between them, each a code and a violation: the first one's."""
    code = rules[0][0]
    statuses = [declared.error.http for declared in tool.errors if declared.error.code == code]
    return _violated(code, statuses[0] if statuses else dialect.http(code), [violation for _, violation in rules])


def unknown_version(tool: AnyTool, dialect: Dialect, live: Sequence[str]) -> Failure:
    """Return the failure of a call that asks for a version which is none of those that are *live*."""
    code = dialect.occasions.version
    either = " or ".join(filter(None, (", ".join(live[:-1]), live[-1])))
    message = f"{tool.name} has no such version; call {either}."
    return Failure(code=code, http=dialect.http(code), message=message, details={"versions": list(live)})


def sunset(tool: AnyTool, dialect: Dialect, older: OlderVersion, successor: str) -> Failure:
    """Return the failure of a call that asks for an *older* version which is answered no more."""
    code = dialect.occasions.sunset
    message = f"{tool.name} {older.version} was answered until {older.sunset_on}; call {successor}."
    details: JsonObject = {"sunset_on": str(older.sunset_on), "successor": successor}
    return Failure(code=code, http=dialect.http(code), message=message, details=details)


def raised(tool: AnyTool, dialect: Dialect, error: BaseException) -> Failure:
    """Return the failure of a handler that raised *error*; only a declared error speaks for itself."""
    if isinstance(error, ToolError) and isinstance(error, tuple(declared.error for declared in tool.errors)):
        if isinstance(error.__cause__, SourceError):
            _LOG.warning("a source failed", exc_info=error.__cause__)
        return Failure(code=error.code, http=error.http, message=error.message, details=error.details, free=True)
    if isinstance(error, SourceError):
        _LOG.warning("a source failed", exc_info=error)
        return _on(tool, dialect, "source", "The data source did not answer.")
    if isinstance(error, Late):
        return _on(tool, dialect, "deadline", f"{tool.name} did not finish within {tool.timeout_ms} ms.")
    if isinstance(error, ConflictError):
        return _on(tool, dialect, "conflict", "The idempotency key was used before, with other arguments.")
    return internal(dialect, error)


def internal(dialect: Dialect, error: BaseException) -> Failure:
    """Return the failure of a server that is at fault, whatever the tool."""
    _LOG.error("the server is at fault", exc_info=error)
    code = dialect.occasions.internal
    return Failure(code=code, http=dialect.http(code), message="The server failed to answer.")


def _on(tool: AnyTool, dialect: Dialect, occasion: Occasion, message: str) -> Failure:
    """Return the failure on *occasion*: the tool's own code, else the dialect's."""
    for declared in tool.errors:
        if declared.when == On(occasion):
            return Failure(code=declared.error.code, http=declared.error.http, message=message)
    code: str = getattr(dialect.occasions, occasion) or dialect.occasions.internal
    return Failure(code=code, http=dialect.http(code), message=message)


def _binds(when: At, violation: Violation) -> bool:
    return (when.keyword is None or when.keyword == violation.keyword) and any(
        violation.at == pointer or violation.at.startswith(f"{pointer}/") for pointer in when.pointers
    )


def _violated(code: str, http: int, violations: Sequence[Violation]) -> Failure:
    said = [violation.sentence for violation in violations[:_MOST_SAID]]
    if unsaid := len(violations) - len(said):
        said.append(f"and {unsaid} more")
    details = {"violations": [violation.as_json() for violation in violations[:_MOST_LISTED]]}
    return Failure(code=code, http=http, message="; ".join(said) + ".", details=details)
