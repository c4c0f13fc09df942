"""JSON lines of the log, one for each record, with correlation id and without secrets."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TextIO

import orjson

from toolaccord.telemetry.correlation import current_corr_id
from toolaccord.telemetry.line_dropping import LineDroppingWriter
from toolaccord.telemetry.line_handler import LineHandler
from toolaccord.telemetry.log_file import LogFile
from toolaccord.telemetry.nonblocking_write import NonBlockingWriter
from toolaccord.telemetry.redaction import Redactor
from toolaccord.telemetry.stderr import STDERR

_CONTRACT_FIELDS = {"tool", "status", "error_code"}
"""Fields whose texts come from the contract or the library, and hold no secret."""
_NUMBERS = {int, float}


def log_event(logger: logging.Logger, message: str, fields: Mapping[str, Any]) -> None:
    """Log *message* with *fields* at INFO, at less cost than `logger.info`.

    `logging` looks up the caller's frame and all handlers for each record. Nearly always, there is only one handler,
    and the line is made directly.
    """
    if not logger.isEnabledFor(logging.INFO):
        return
    if (handler := _only_handler(logger)) and isinstance(handler.formatter, JsonFormatter):
        handler.enqueue(handler.formatter.format_event(logger.name, message, time.time(), fields))
        return
    record = logging.LogRecord.__new__(logging.LogRecord)
    record.__dict__.update(_BLANK_RECORD, name=logger.name, msg=message, created=time.time(), fields=fields)
    logger.handle(record)


_BLANK_RECORD = logging.makeLogRecord({"levelno": logging.INFO, "levelname": "INFO"}).__dict__


def _only_handler(logger: logging.Logger) -> LineHandler | None:
    """Return the handler of lines if it alone gets every INFO record of *logger*; else None."""
    if logger.filters:
        return None
    while logger.parent is not None:
        if logger.handlers or not logger.propagate:
            return None
        logger = logger.parent
    handler = logger.handlers[0] if len(logger.handlers) == 1 else None
    if isinstance(handler, LineHandler) and not handler.filters and handler.level <= logging.INFO:
        return handler
    return None


class JsonFormatter(logging.Formatter):
    """Formats a log record as one line of JSON.

    The attribute `fields` of a record holds further members.
    """

    def __init__(self, redactor: Redactor, constants: Mapping[str, Any] | None = None) -> None:
        """Each line has *constants*."""
        super().__init__()
        self._redactor = redactor
        self._constants = constants or {}

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its newline."""
        line = self._base_fields(record.levelname, record.name, record.getMessage(), record.created)
        line.update(self._redact(getattr(record, "fields", {})))
        if record.exc_info:
            line["exception"] = self._redactor.redact(self.formatException(record.exc_info))
        return _encode(line).decode()

    def format_event(self, logger: str, message: str, created: float, fields: Mapping[str, Any]) -> bytes:
        """Return the line of an INFO record with *message* and *fields*, as UTF-8. Raises nothing."""
        line = self._base_fields("INFO", logger, message, created)
        line.update(self._redact(fields))
        return _encode(line)

    def _base_fields(self, level: str, logger: str, message: str, created: float) -> dict[str, Any]:
        """Return the fields that every line has."""
        line = {
            "timestamp": _format_time(int(created * 1000)),
            "level": level,
            "logger": logger,
            "message": self._redactor.redact(message),
            **self._constants,
        }
        if (corr_id := current_corr_id()) is not None:
            line["corr_id"] = corr_id
        return line

    def _redact(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return *fields* without secrets."""
        if not self._redactor.has_secrets:
            return fields
        redact = self._redactor.redact
        return {
            name: value if name in _CONTRACT_FIELDS or type(value) in _NUMBERS else redact(value)
            for name, value in fields.items()
        }


def _encode(line: dict[str, Any]) -> bytes:
    """Return *line* as JSON, whatever values it holds."""
    try:
        return orjson.dumps(line, default=str)
    except TypeError:
        return orjson.dumps(_make_representable(line), default=str)


@lru_cache(maxsize=1)
def _format_time(timestamp_ms: int) -> str:
    """Return a time in UTC, to the millisecond; consecutive lines often share it."""
    second, ms = divmod(timestamp_ms, 1000)
    return f"{_format_second(second)}.{ms:03d}+00:00"


@lru_cache(maxsize=1)
def _format_second(timestamp: int) -> str:
    """Return a time in UTC, to the second; consecutive lines mostly share it."""
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _make_representable(value: Any) -> Any:
    """Return *value* with lone surrogates escaped, and integers of more than 64 bits as text."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_make_representable(name): _make_representable(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_make_representable(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value


def configure(
    level: str,
    redactor: Redactor,
    stream: TextIO | None = None,
    log_file: LogFile | None = None,
    constants: Mapping[str, Any] | None = None,
) -> None:
    """Write the log records of the process at *level* or above as JSON lines.

    Each has *constants*. They go to *stream*, or to *log_file*, else to standard error.
    """
    handler = logging.StreamHandler(stream) if stream else LineHandler(_line_writer(log_file))
    handler.setFormatter(JsonFormatter(redactor, constants))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # No line holds these, so they need not be looked up for each record.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.captureWarnings(capture=True)
    logging.getLogger("httpx2").setLevel(max(logging.WARNING, root.level))  # logs every request at INFO


def _line_writer(log_file: LogFile | None) -> LineDroppingWriter:
    if log_file:
        return LineDroppingWriter(log_file, "the file could not be written")
    return LineDroppingWriter(NonBlockingWriter(STDERR), "the reader was too slow")
