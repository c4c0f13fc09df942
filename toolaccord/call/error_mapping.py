"""Failures of calls: maps each error to the code that its contract or dialect gives it.

No text reaches the caller unless it was written for one.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace

from toolaccord.asks.channel import AskError, MissingCapability, Unanswered
from toolaccord.call.admission import Overloaded
from toolaccord.call.rate_limit import RateLimitExceeded
from toolaccord.call.rejection import Failure, pick_details, with_violations
from toolaccord.call.results import BrokenResultError
from toolaccord.contract.dialects import Dialect
from toolaccord.contract.policies import Occasion
from toolaccord.declarations.operation import AnyOperation, OlderVersion
from toolaccord.errors import IdempotencyConflict, SourceError, ToolError, UndeclaredEffect
from toolaccord.json_values import JsonObject
from toolaccord.schema.violations import Violation
from toolaccord.sources.availability import report_deadline, report_failure
from toolaccord.timing.deadline import DeadlineExceeded

_LOG = logging.getLogger(__name__)
_FAULT = "the server is at fault"
_LATER = (429, 503)
"""HTTP statuses with which a source's `retry_after_s` is passed on."""
_LONGEST_CHAIN = 10
"""Errors of a chain of causes that are looked at; a chain may be a circle."""


class InvalidCall(Exception):
    """A call is answered with an error before its handler runs."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def conditions_broken(operation: AnyOperation, dialect: Dialect, broken: Sequence[tuple[str, Violation]]) -> Failure:
    """Return the failure of arguments that break conditions.

    Its code is that of the first of *broken*.
    """
    code = broken[0][0]
    statuses = [declared.error.http for declared in operation.errors if declared.error.code == code]
    violations = [violation for _, violation in broken]
    return with_violations(dialect, code, statuses[0] if statuses else dialect.http(code), violations)


def unknown_version(operation: AnyOperation, dialect: Dialect, live: Sequence[str]) -> Failure:
    """Return the failure of a call in a version that is not one of the *live* ones."""
    code = dialect.occasions.version
    either = " or ".join(filter(None, (", ".join(live[:-1]), live[-1])))
    message = f"{operation.name} has no such version; call {either}."
    details = pick_details(dialect, "version", {"versions": list(live)})
    return Failure(code=code, http=dialect.http(code), message=message, details=details)


def version_past_sunset(operation: AnyOperation, dialect: Dialect, older: OlderVersion, successor: str) -> Failure:
    """Return the failure of a call in an *older* version that is past its sunset."""
    code = dialect.occasions.sunset
    message = f"{operation.name} {older.version} was answered until {older.sunset_on}; call {successor}."
    details = pick_details(dialect, "sunset", {"sunset_on": str(older.sunset_on), "successor": successor})
    return Failure(code=code, http=dialect.http(code), message=message, details=details)


def failure_of(operation: AnyOperation, dialect: Dialect, error: BaseException, blocked: str | None = None) -> Failure:
    """Return the failure of a call that ended with *error*.

    Log errors of a source or of the server. If the event loop was *blocked* meanwhile, that is the cause of what came
    late, and no source had an outage.

    Only a rejection and an error that the tool declares keep their message.
    """
    if isinstance(error, InvalidCall):
        return error.failure
    if isinstance(error, ToolError) and isinstance(error, tuple(declared.error for declared in operation.errors)):
        failure = Failure(
            code=error.code, http=error.http, message=error.message, details=error.details, is_from_handler=True
        )
        cause = _find_source_error(error)
        return failure if cause is None else _caused_by(failure, cause, blocked)
    return _outside_handler(operation, dialect, error, blocked)


def _outside_handler(operation: AnyOperation, dialect: Dialect, error: BaseException, blocked: str | None) -> Failure:
    """Return the failure of a call that ended with *error*, which no tool declares."""
    if isinstance(error, SourceError):
        return _caused_by(_source_failed(operation, dialect, error, blocked), error, blocked)
    if isinstance(error, DeadlineExceeded):
        message = f"{operation.name} did not finish within {operation.timeout_ms} ms."
        values: JsonObject = {"tool": operation.name, "timeout_ms": operation.timeout_ms}
        failure = _on_occasion(operation, dialect, "deadline", message, values)
        return replace(failure, cause=blocked or "; ".join(each.cause for each in report_deadline(error)) or None)
    if isinstance(error, RateLimitExceeded | Overloaded):
        return _allowed_later(operation, dialect, error)
    if isinstance(error, AskError):
        return _without_answer(operation, dialect, error)
    if isinstance(error, IdempotencyConflict):
        message = "The idempotency key was used before, with other arguments."
        return _on_occasion(operation, dialect, "conflict", message, {"idempotency_key": error.key})
    return internal_error(dialect, error, _find_fault(operation, error))


def _source_failed(operation: AnyOperation, dialect: Dialect, error: SourceError, blocked: str | None) -> Failure:
    """Return the failure of a call whose source failed.

    A request that the source rejects whenever it comes is a fault of the server, unless the tool has a code for it.
    """
    message = _describe(operation, error, blocked)
    if error.is_retryable or any(declared.occasion == "source" for declared in operation.errors):
        return _on_occasion(operation, dialect, "source", message, {"service": error.service})
    code = dialect.occasions.internal
    return Failure(code=code, http=dialect.http(code), message=message, is_fault=True)


def _find_fault(operation: AnyOperation, error: BaseException) -> str:
    """Return the fault of the server for its log."""
    if isinstance(error, ToolError):
        return f"{operation.name} raised {error.code}, which its contract does not declare; add it to its errors"
    return str(error) if isinstance(error, UndeclaredEffect) else _FAULT


def _describe(operation: AnyOperation, error: SourceError, blocked: str | None) -> str:
    """Return a sentence for the caller on the failure of a source."""
    if blocked and error.is_timeout:
        return f"The server was too busy for {operation.name}; call again later."
    source = f"The data source {error.source}" if error.source else "A data source"
    if error.service is None or not error.is_outage:
        return f"{source} cannot serve this call; the server's log has the reason."
    has_key = operation.idempotency and "request" in operation.idempotency.key_from
    return f"{source} is unavailable; call again later{', with the same idempotency key' if has_key else ''}."


def _find_source_error(error: BaseException) -> SourceError | None:
    """Return the failure of a source that *error* was raised from, or while it was handled."""
    cause: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        cause = cause and (cause.__cause__ or cause.__context__)
        if isinstance(cause, SourceError):
            return cause
    return None


def _caused_by(failure: Failure, error: SourceError, blocked: str | None) -> Failure:
    """Return *failure* with the kind of *error* for the line of the call."""
    if blocked and error.is_timeout:
        return replace(failure, cause=blocked)
    report_failure(error)
    failure = replace(failure, cause=error.cause)
    if failure.http not in _LATER or error.retry_after_s is None:
        return failure
    return replace(failure, retry_after_s=math.ceil(error.retry_after_s))


def _allowed_later(operation: AnyOperation, dialect: Dialect, error: RateLimitExceeded | Overloaded) -> Failure:
    """Return the failure of a call beyond the tool's rate limit, or behind too many others."""
    retry_after_s = max(1, math.ceil(error.wait_s))
    values: JsonObject = {"retry_after_s": retry_after_s}
    if isinstance(error, Overloaded):
        occasion: Occasion = "overload" if dialect.occasions.overload else "source"
        values["service"] = None
        message = f"The server is busy: {operation.name} was not run; call again in {retry_after_s} s."
    else:
        occasion, calls, window_s = "rate_limit", error.limit.calls, error.limit.window_s
        values |= {"limit": calls, "window_s": window_s}
        message = f"A caller may call {operation.name} {calls} times in {window_s} s; call again in {retry_after_s} s."
    return replace(_on_occasion(operation, dialect, occasion, message, values), retry_after_s=retry_after_s)


def _without_answer(operation: AnyOperation, dialect: Dialect, error: AskError) -> Failure:
    """Return the failure of a call with an ask that has no valid answer."""
    if isinstance(error, Unanswered):
        return _on_occasion(
            operation, dialect, "deadline", str(error), {"tool": operation.name, "timeout_ms": operation.timeout_ms}
        )
    code = dialect.occasions.arguments
    missing = error.capability if isinstance(error, MissingCapability) else None
    return Failure(code=code, http=dialect.http(code), message=str(error), missing_capability=missing)


def internal_error(dialect: Dialect, error: BaseException, fault: str = _FAULT) -> Failure:
    """Return the failure of a server that is at fault, and log *error*."""
    _LOG.error(fault, exc_info=error)
    code, message = dialect.occasions.internal, "The server failed to answer."
    if isinstance(error, NotImplementedError) and dialect.occasions.handler:
        code, message = dialect.occasions.handler, "The tool has no handler yet."
    elif isinstance(error, BrokenResultError) and dialect.occasions.result:
        code, message = dialect.occasions.result, "The result of the tool breaks its contract."
    return Failure(code=code, http=dialect.http(code), message=message, is_fault=True)


def _on_occasion(
    operation: AnyOperation, dialect: Dialect, occasion: Occasion, message: str, values: JsonObject
) -> Failure:
    """Return the failure on *occasion*, with the tool's code for it, else the dialect's."""
    details = pick_details(dialect, occasion, values)
    for declared in operation.errors:
        if declared.occasion == occasion:
            return Failure(code=declared.error.code, http=declared.error.http, message=message, details=details)
    code: str = getattr(dialect.occasions, occasion) or dialect.occasions.internal
    return Failure(code=code, http=dialect.http(code), message=message, details=details)
