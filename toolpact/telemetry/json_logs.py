"""What a server says about itself: JSON lines on standard error, one a call, without any secret."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TextIO
from urllib.parse import unquote, unquote_plus, urlsplit

import orjson

from toolpact.telemetry.stderr_handler import StandardError

_CORR_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")
"""W3C's header; an id of noughts is none."""
_HIDDEN = "***"
_SHORTEST = 4
"""Characters of a secret that is hidden even inside of words."""
_CODED = {"tool", "status", "error_code"}
"""The facts whose texts are the contract's and the runtime's own."""
_NUMBERS = {int, float}
_calling: ContextVar[str | None] = ContextVar("corr_id", default=None)


def corr_id(meta: Mapping[str, Any] | None, trace_id: str | None = None) -> str:
    """Return the correlation id of a call: the caller's own, else its trace's, else *trace_id*, else a new one."""
    given, parent = (meta.get("corr_id"), meta.get("traceparent")) if meta else (None, None)
    if isinstance(given, str) and _CORR_ID.fullmatch(given):
        return given
    trace = _TRACEPARENT.fullmatch(parent) if isinstance(parent, str) else None
    return trace[1] if trace else trace_id or os.urandom(16).hex()


def current() -> str | None:
    """Return the correlation id of the call that is being answered; None outside of one."""
    return _calling.get()


class calling:  # noqa: N801 - read as a verb, where it is entered
    """Gives every log record made within, in tasks begun there too, the correlation id *call*."""

    __slots__ = ("_call", "_token")

    def __init__(self, call: str) -> None:
        self._call = call

    def __enter__(self) -> None:
        """Begin."""
        self._token = _calling.set(self._call)

    def __exit__(self, *_: object) -> None:
        """End."""
        _calling.reset(self._token)


class Redactor:
    """Hides secrets in texts that people write; the password of a secret URL is one too.

    A short secret is hidden only where it stands as a word: it would be found in half of all words.
    """

    def __init__(self, secrets: Iterable[Any]) -> None:
        hidden = {text for secret in secrets if secret is not None for text in _spellings(str(secret)) if text}
        longest_first = sorted(hidden, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_found, longest_first))) if hidden else None
        self.hides = bool(hidden)
        """Whether there is any secret."""

    def hide(self, value: Any) -> Any:
        """Return *value*, a JSON value, with every secret in its texts replaced; names are no texts."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self._pattern.sub(_HIDDEN, value)
        if isinstance(value, Mapping):
            return {name: self.hide(member) for name, member in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide(item) for item in value]
        return value


def _spellings(secret: str) -> Iterator[str]:
    """Yield the forms in which *secret* may turn up in a text."""
    yield secret
    try:
        parts = urlsplit(secret)
        passwords = [parts.password] if parts.password else []
    except ValueError:
        return
    fields = (field.partition("=") for field in parts.query.split("&"))
    passwords += [value for name, _, value in fields if name == "password"]
    for password in passwords:
        yield password
        yield unquote(password)
        yield unquote_plus(password)


def _found(secret: str) -> str:
    """Return the pattern by which *secret* is found."""
    pattern = re.escape(secret)
    return pattern if len(secret) >= _SHORTEST else rf"(?<!\w){pattern}(?!\w)"


def event(logger: logging.Logger, message: str, facts: Mapping[str, Any]) -> None:
    """Log *message* with *facts* at INFO, for less than the library takes.

    The library finds out where in the code it is asked, and asks around who listens; nearly always it is standard error alone.
    """
    if not logger.isEnabledFor(logging.INFO):
        return
    if (handler := _only_handler(logger)) and isinstance(handler.formatter, JsonLines):
        handler.take(handler.formatter.event(logger.name, message, time.time(), facts))
        return
    record = logging.LogRecord.__new__(logging.LogRecord)
    record.__dict__.update(_BLANK, name=logger.name, msg=message, created=time.time(), facts=facts)
    logger.handle(record)


_BLANK = logging.makeLogRecord({"levelno": logging.INFO, "levelname": "INFO"}).__dict__


def _only_handler(logger: logging.Logger) -> StandardError | None:
    """Return standard error where it is the only handler of *logger*'s records at INFO, and nothing filters them."""
    if logger.filters:
        return None
    while logger.parent is not None:
        if logger.handlers or not logger.propagate:
            return None
        logger = logger.parent
    handler = logger.handlers[0] if len(logger.handlers) == 1 else None
    if isinstance(handler, StandardError) and not handler.filters and handler.level <= logging.INFO:
        return handler
    return None


class JsonLines(logging.Formatter):
    """Writes a log record as one line of JSON."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        line = self._begun(record.levelname, record.name, record.getMessage(), record.created)
        line.update(self._clean(getattr(record, "facts", {})))
        if record.exc_info:
            line["exception"] = self._redactor.hide(self.formatException(record.exc_info))
        return _json(line).decode()

    def event(self, logger: str, message: str, created: float, facts: Mapping[str, Any]) -> bytes:
        """Return the line of a record at INFO that has no more than *message* and *facts*, as bytes. Raises nothing."""
        line = self._begun("INFO", logger, message, created)
        line.update(self._clean(facts))
        return _json(line)

    def _begun(self, level: str, logger: str, message: str, created: float) -> dict[str, Any]:
        """Return what every line begins with."""
        line = {
            "timestamp": _moment(int(created * 1000)),
            "level": level,
            "logger": logger,
            "message": self._redactor.hide(message),
        }
        if (call := _calling.get()) is not None:
            line["corr_id"] = call
        return line

    def _clean(self, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return *facts* without secrets."""
        if not self._redactor.hides:
            return facts
        hide = self._redactor.hide
        return {name: fact if name in _CODED or type(fact) in _NUMBERS else hide(fact) for name, fact in facts.items()}


def _json(line: dict[str, Any]) -> bytes:
    """Return *line* as JSON, whatever is in it."""
    try:
        return orjson.dumps(line, default=str)
    except TypeError:
        return orjson.dumps(_sayable(line), default=str)


@lru_cache(maxsize=1)
def _moment(timestamp_ms: int) -> str:
    """Return a time in UTC: many lines are of the same millisecond as the one before."""
    second, ms = divmod(timestamp_ms, 1000)
    return f"{_second(second)}.{ms:03d}+00:00"


@lru_cache(maxsize=1)
def _second(timestamp: int) -> str:
    """Return a time to the second, in UTC: most are of the same second as the one before."""
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _sayable(value: Any) -> Any:
    """Return *value* with texts that are not Unicode made so, and integers of more than 64 bits as text."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_sayable(name): _sayable(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_sayable(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value


def configure(level: str, redactor: Redactor, stream: TextIO | None = None) -> None:
    """Write what the whole process logs at *level* or above as JSON lines on *stream*, else standard error."""
    handler = logging.StreamHandler(stream) if stream else StandardError()
    handler.setFormatter(JsonLines(redactor))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # What no line says need not be found out for each.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.captureWarnings(capture=True)
    logging.getLogger("httpx2").setLevel(max(logging.WARNING, root.level))  # logs every request at INFO
