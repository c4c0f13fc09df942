"""Errors that handlers and sources raise, and errors of calls to another server.

A typed client raises the `ToolError` of a code that the tool declares, or one of these:

    CallFailed
    ├── UndeclaredError: the tool does not declare the code of the answer
    ├── BrokenAnswer: the answer breaks the contract
    ├── TaskFailed, TaskCancelled, TaskNotFound: a task has no result
    └── TransportError: the server did not answer
        ├── ServerGone: there is no server
        ├── TimedOut: no answer arrived in time
        └── Unauthorised: the server rejected the token

An error of a server or a proxy with the HTTP status 429 is also RateLimited, one with 503 Unavailable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from toolaccord.source_faults import BUSY, LOOK_AT_LOG, find_connection_fault


class ToolError(Exception):
    """An error that a contract declares; base of the generated error classes.

    *message* is a sentence for the caller; *details* are values for a machine. Both are sent.
    """

    code: ClassVar[str]
    http: ClassVar[int]
    retryable: ClassVar[bool]
    """True if the same call may succeed later."""
    jsonrpc: ClassVar[int | None] = None
    """Number of the code in JSON-RPC; None if the dialect does not send it."""

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})

    @classmethod
    def received(cls, message: str, details: Mapping[str, Any]) -> Self:
        """Return the error that a server sent, with its *details* as they are, declared or not."""
        error = cls.__new__(cls)
        ToolError.__init__(error, message, details)
        return error


class ResourceNotFound(ToolError):
    """There is no resource with the URI that a client reads; every resource may raise it."""

    code: ClassVar[str] = "RESOURCE_NOT_FOUND"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False


class SourceError(Exception):
    """A source did not answer. The text is logged and never sent to the caller."""

    service: str | None = None
    """Kind of the source; dialects may send it. None if unknown."""
    fact: ClassVar[str | None] = None
    """Name of the attribute with the code of the failure, such as `status`; None without one."""
    summary: ClassVar[str] = "no answer, or none that this server can use; the log's level DEBUG has the details"
    """The failure if nothing else is known, and what to do about it, for the log."""
    remedy: str = LOOK_AT_LOG
    """The remedy for a failure that has a code."""
    source: str | None = None
    """Name of the source; None if unknown."""
    place: str | None = None
    """Address of the source without credentials; None if unknown."""
    retry_after_s: float | None = None
    """Seconds after which the source may serve such a request; None if unknown."""
    attempt: object = None
    """The attempt to talk to the source that failed; None if unknown."""
    is_rejected: bool = False
    """True if the source's circuit breaker is open, and nothing was sent."""

    def __init__(self, message: str = "", *, reason: str | None = None) -> None:
        """Take a *message*, which may hold values of the call, and a *reason* without them."""
        super().__init__(message)
        self.reason = reason

    @property
    def is_outage(self) -> bool:
        """True if the source did not answer, so that other calls fail, too."""
        return True

    @property
    def is_timeout(self) -> bool:
        """True if no answer came in time, which may be this process's own fault."""
        return isinstance(self.__cause__, TimeoutError)

    @property
    def is_busy(self) -> bool:
        """True if this process had no free connection, which tells nothing about the source."""
        return self.reason == BUSY

    @property
    def is_retryable(self) -> bool:
        """True if the same call may succeed later."""
        return True

    @property
    def why(self) -> str:
        """Reason and remedy for the log, without values of the call and secrets."""
        code = getattr(self, self.fact) if self.fact else None
        if self.reason is None and code is not None:
            return f"it answered with the {self.fact} {code}; {self.remedy}"
        return self.reason or find_connection_fault(self) or self.summary

    @property
    def cause(self) -> str:
        """Source, address and reason, for the log of a call."""
        where = " at ".join(filter(None, (self.source or self.service, self.place)))
        return f"{where}: {self.why}" if where else self.why


class UndeclaredEffect(Exception):
    """A handler uses what its effects do not declare. The text, for the log, names it."""


class ModelError(Exception):
    """A language model gave no valid answer in time. The text says why, without secrets."""


class IdempotencyConflict(Exception):
    """A call repeats the idempotency *key* with other arguments."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the idempotency key {key} came with other arguments")
        self.key = key


class UnknownTool(LookupError):
    """A call names a tool that the server does not have."""


class CallFailed(Exception):
    """A call to another server has no result. The text says what the caller can do about it."""

    retryable: bool = False
    """True if the same call may succeed later.

    A tool that writes may have written; repeat its call with the same idempotency key.
    """


class UndeclaredError(CallFailed):
    """A server answered with a code that the tool does not declare.

    *message* and *details* are the server's, as in a ToolError. *retryable* is the dialect's for the code.
    """

    def __init__(self, code: str, message: str, details: Mapping[str, Any], *, retryable: bool) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.retryable = retryable
        self.message = message
        self.details: dict[str, Any] = dict(details)


class BrokenAnswer(CallFailed):
    """A server's answer breaks its contract; it may have another version of the contract."""


class TaskFailed(CallFailed):
    """A task ended by a fault of its server.

    *code*, *message* and *data* are those of the error of JSON-RPC that it sent.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data


class TaskCancelled(CallFailed):
    """A task was cancelled before it had a result."""


class TaskNotFound(CallFailed):
    """A server has no task of this id for this caller: it has expired, or was never there."""


class TransportError(CallFailed):
    """A server did not answer."""

    retryable = True


class ServerGone(TransportError):
    """There is no server at the other end."""

    is_final: bool = False
    """True if the connection ended with the server's process, and nothing opens it again."""


class TimedOut(TransportError):
    """A server did not answer in time; it may have executed the call all the same."""


class RateLimited(CallFailed):
    """A server or a proxy takes no more calls for now: the HTTP status is 429."""


class Unavailable(CallFailed):
    """A server, a proxy or a source cannot answer for now: the HTTP status is 503."""


class UndeclaredRateLimit(UndeclaredError, RateLimited):
    """A server answered with an undeclared code of the status 429."""


class UndeclaredOutage(UndeclaredError, Unavailable):
    """A server answered with an undeclared code of the status 503."""


class TransportRejection(TransportError):
    """A server or a proxy answered with an HTTP status instead of a result."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = {} if retry_after_s is None else {"retry_after_s": retry_after_s}
        """`retry_after_s`: seconds to wait, if the answer names them."""


class TransportRateLimit(TransportRejection, RateLimited):
    """A server or a proxy answered with the status 429."""


class TransportOutage(TransportRejection, Unavailable):
    """A server or a proxy answered with the status 503."""


class Unauthorised(TransportError):
    """A server rejected the caller's token or Origin."""

    retryable = False

    def __init__(self, message: str, *, scopes: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.scopes = tuple(scopes)
        """The scopes that a token needs for the call, if it lacks some."""


def find_type(error: BaseException) -> str:
    """Return the code of *error* if it has one, else its class."""
    code = getattr(error, "code", None)
    return code if isinstance(code, str) else type(error).__name__
