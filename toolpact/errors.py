"""The errors a handler or a source may raise, and those that a call of another server ends with.

What a client raises, beside the `ToolError` of a code that the tool declares:

    CallFailed
    ├── UndeclaredError     the server answered with a code that the tool does not declare
    ├── BrokenAnswer        it answered with what its contract does not promise
    └── TransportError      it did not answer
        ├── ServerGone      nobody is there, or not any more
        ├── TimedOut        no answer came in time
        └── Unauthorised    it does not know the token
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self


class ToolError(Exception):
    """An error that a contract declares; the generated classes of a system derive from it.

    *message* is a sentence for the caller; *details* are values for a machine. Both are sent.
    """

    code: ClassVar[str]
    http: ClassVar[int]

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})

    @classmethod
    def received(cls, message: str, details: Mapping[str, Any]) -> Self:
        """Return the error as it came from a server; its details are what that server says, declared or not."""
        error = cls.__new__(cls)
        ToolError.__init__(error, message, details)
        return error


class SourceError(Exception):
    """A source did not answer. The text is for the log alone and never reaches the caller."""


class UnknownTool(LookupError):
    """A call named a tool that the server does not have."""


class CallFailed(Exception):
    """A call of another server has no result. The text says what can be done about it."""


class UndeclaredError(CallFailed):
    """A server answered with a code that the tool does not declare.

    *message* and *details* are what it says about it, as those of a ToolError are.
    """

    def __init__(self, code: str, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details: dict[str, Any] = dict(details)


class BrokenAnswer(CallFailed):
    """A server answered with what its contract does not promise: it may have another version of it."""


class TransportError(CallFailed):
    """A server did not answer."""


class ServerGone(TransportError):
    """There is no server at the other end, or not any more."""


class TimedOut(TransportError):
    """A server did not answer in time; what was asked may have been done all the same."""


class Unauthorised(TransportError):
    """A server did not let the caller in: the token, or the Origin, is not one that it knows."""
