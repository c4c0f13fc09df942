"""Rejection of arguments that break the schema; servers and clients have it in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolaccord.contract.dialects import Dialect
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError
from toolaccord.json_values import JsonObject
from toolaccord.schema.violations import MAX_VIOLATIONS, Violation

_MAX_VIOLATIONS_IN_MESSAGE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error answer, before the dialect's envelope."""

    code: str
    """The code of the error."""
    http: int
    """The HTTP status of the error."""
    message: str
    """A sentence for the caller."""
    details: JsonObject = field(default_factory=dict)
    """Values for a machine."""
    is_from_handler: bool = False
    """True if a handler wrote message and details, so that they may hold a secret."""
    retry_after_s: int | None = None
    """Seconds after which the call is allowed; None if nobody knows."""
    missing_capability: str | None = None
    """The capability without which the client cannot be asked; None for any other failure."""
    cause: str | None = None
    """The failure of a source for the log, without values of the call; None if no source failed."""
    is_fault: bool = False
    """True if the server is at fault, and no contract declares the failure."""


def invalid_arguments(
    errors: Sequence[DeclaredError], dialect: Dialect, violations: Sequence[Violation], reported: Sequence[Violation]
) -> Failure:
    """Return the failure of arguments that break the schema.

    Its code is that of the first error that the contract binds to one of *violations*, else the dialect's. *reported*
    are the same violations, with the pointers of the caller's version.
    """
    for declared in errors:
        if declared.when and any(_binds(declared.when, violation) for violation in violations):
            return with_violations(dialect, declared.error.code, declared.error.http, reported)
    code = dialect.occasions.arguments
    return with_violations(dialect, code, dialect.http(code), reported)


def with_violations(dialect: Dialect, code: str, http: int, violations: Sequence[Violation]) -> Failure:
    """Return the failure *code* of arguments with *violations*."""
    sentences = [violation.sentence for violation in violations[:_MAX_VIOLATIONS_IN_MESSAGE]]
    if others := len(violations) - len(sentences):
        sentences.append(f"and {others} more" if len(violations) < MAX_VIOLATIONS else f"and at least {others} more")
    values = {
        "field": violations[0].at.removeprefix("/") or None,
        "violations": [violation.as_json() for violation in violations[:MAX_VIOLATIONS]],
    }
    details = pick_details(dialect, "arguments", values)
    return Failure(code=code, http=http, message="; ".join(sentences) + ".", details=details)


def pick_details(dialect: Dialect, occasion: str, values: JsonObject) -> JsonObject:
    """Return the known *values* that the dialect sends on *occasion*."""
    names = dialect.details.get(occasion, ())
    return {name: values[name] for name in names if values[name] is not None}


def _binds(when: When, violation: Violation) -> bool:
    return (when.keyword is None or when.keyword == violation.keyword) and any(
        violation.at == pointer or violation.at.startswith(f"{pointer}/") for pointer in when.at
    )
