"""Log messages of a call, from its handler to its client."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from toolaccord.call.context import IncomingCall
from toolaccord.handler import ClientLog, Level, SendMessage
from toolaccord.telemetry.redaction import Redactor

_LOG = logging.getLogger(__name__)


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
