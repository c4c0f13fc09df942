"""Progress and log messages of a call, from its handler to its client."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from toolaccord.call.context import IncomingCall
from toolaccord.handler import ClientLog, Level, Progress, SendMessage, ignore_progress
from toolaccord.telemetry.redaction import Redactor

_LOG = logging.getLogger(__name__)


def progress_of(call: IncomingCall, redactor: Redactor) -> Progress:
    """Return the function with which the handler of *call* reports progress."""
    if call.progress is None or not call.bound.operation.progress:
        return ignore_progress
    return ProgressReporter(call.progress, redactor.redact)


class ProgressReporter:
    """Forwards progress reports to *receiver*, with secrets in messages replaced by *redact*.

    MCP wants each report to be higher than the last; a report that is not is dropped. JSON has no infinite numbers:
    such a report is dropped, and such a total is left out.
    """

    def __init__(self, receiver: Progress, redact: Callable[[str], str]) -> None:
        self._receiver = receiver
        self._redact = redact
        self._last = -math.inf

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Report progress. Raises nothing: a caller who misses a report still wants the result."""
        if not self._last < done < math.inf:
            return
        self._last = done
        finite_total = total if total is not None and math.isfinite(total) else None
        try:
            await self._receiver(done, finite_total, None if message is None else self._redact(message))
        except Exception:
            _LOG.warning("progress could not be reported", exc_info=True)


def log_of(call: IncomingCall, redactor: Redactor) -> ClientLog:
    """Return the log with which the handler of *call* sends messages."""
    return ClientLog() if call.send_log is None else ClientLog(MessageSender(call.send_log, redactor.redact))


class MessageSender:
    """Forwards messages to *send*, with secrets in sentence and data replaced by *redact*."""

    def __init__(self, send: SendMessage, redact: Callable[[Any], Any]) -> None:
        self._send = send
        self._redact = redact

    async def __call__(self, level: Level, message: str, data: Mapping[str, Any]) -> None:
        """Send a message. Raises nothing: a client who misses it still wants the result.

        Data become JSON before secrets are redacted, which records and bytes may hold, too.
        """
        try:
            await self._send(level, self._redact(message), self._redact(to_jsonable_python(data)))
        except Exception:
            _LOG.warning("a log message could not be sent to the client", exc_info=True)
