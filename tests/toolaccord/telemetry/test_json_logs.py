import io
import json
import logging
import os
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolaccord.telemetry.correlation import CorrelationScope
from toolaccord.telemetry.json_logs import JsonFormatter, configure, log_event
from toolaccord.telemetry.line_dropping import LineDroppingWriter
from toolaccord.telemetry.line_handler import LineHandler
from toolaccord.telemetry.nonblocking_write import NonBlockingWriter
from toolaccord.telemetry.redaction import Redactor


@pytest.fixture
def logger() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter(Redactor(["postgresql://joe:hun%24ter@host/db", None, ""])))
    logger = logging.getLogger("tests.json_logs")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield logger, stream
    logger.removeHandler(handler)


def only(stream: io.StringIO) -> dict[str, Any]:
    (line,) = stream.getvalue().splitlines()
    read: dict[str, Any] = json.loads(line)
    return read


def test_every_record_of_a_call_carries_its_correlation_id(logger: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = logger
    with CorrelationScope("abc"):
        log.info("logged %s", "so")
    line = only(stream)
    assert (line["message"], line["corr_id"], line["level"]) == ("logged so", "abc", "INFO")
    assert line["timestamp"].endswith("+00:00")


def test_an_exception_is_logged_with_its_cause(logger: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = logger
    error = ValueError("effect")
    error.__cause__ = OSError("cause")
    log.error("failed", exc_info=error)
    exception = only(stream)["exception"]
    assert "OSError: cause" in exception
    assert "ValueError: effect" in exception


@pytest.mark.parametrize("secret", ["postgresql://joe:hun%24ter@host/db", "hun%24ter", "hun$ter"])
def test_a_secret_is_redacted_in_every_field(logger: tuple[logging.Logger, io.StringIO], secret: str) -> None:
    log, stream = logger
    error = ValueError(f"cannot reach {secret}")
    log.error("failed at %s", secret, exc_info=error, extra={"fields": {"where": [secret]}})
    assert secret not in stream.getvalue()
    assert only(stream)["where"] == ["***"]


@pytest.mark.parametrize("secret", ["error", "ERROR", "message", "tests", "ok", "tool", "abc", "get_book"])
def test_a_secret_that_is_a_common_word_does_not_change_the_names_of_fields(secret: str) -> None:
    record = logging.LogRecord("tests.ok", logging.ERROR, "", 0, "logged %s", (secret,), None)
    record.fields = {"tool": "get_book", "status": "error", "error_code": "ERROR", "found": [{secret: secret}]}
    with CorrelationScope("abc"):
        line = json.loads(JsonFormatter(Redactor([secret])).format(record))
    del line["timestamp"]
    assert line == {
        "level": "ERROR",
        "logger": "tests.ok",
        "message": "logged ***",
        "corr_id": "abc",
        "tool": "get_book",
        "status": "error",
        "error_code": "ERROR",
        "found": [{secret: "***"}],
    }


def test_a_record_with_values_beyond_json_is_logged(logger: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = logger
    log.info("lone surrogate \ud800", extra={"fields": {"what": object()}})
    assert only(stream)["message"] == "lone surrogate \\ud800"


def test_configure_sends_every_logger_to_one_stream_of_lines() -> None:
    root = logging.getLogger()
    before, level, stream = root.handlers[:], root.level, io.StringIO()
    try:
        configure("WARNING", Redactor(["s3cr3t"]), stream)
        logging.getLogger("somebody.else").warning("s3cr3t")
        logging.getLogger("somebody.else").info("too quiet")
    finally:
        root.handlers[:] = before
        root.setLevel(level)
        logging.captureWarnings(capture=False)
    assert only(stream)["message"] == "***"


# --- log_event ------------------------------------------------------------------------------------------------------

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=8) | st.sampled_from(["s3cr3t", "a s3cr3t b"])
"""With lone surrogates, and with a secret."""
FIELDS = st.dictionaries(
    st.sampled_from(["tool", "status", "error_code", "version", "duration_ms"]) | ANY_TEXT,
    ANY_TEXT | st.none() | st.integers() | st.floats() | st.lists(ANY_TEXT, max_size=2),
    max_size=6,
)


@given(message=ANY_TEXT, fields=FIELDS, created=st.floats(0, 4e9), secrets=st.lists(st.just("s3cr3t"), max_size=1))
def test_the_line_of_an_event_equals_that_of_its_record(
    message: str, fields: dict[str, Any], created: float, secrets: list[str]
) -> None:
    record = logging.makeLogRecord({"name": "a.b", "levelno": logging.INFO, "levelname": "INFO", "msg": message})
    record.created, record.fields = created, fields
    formatter = JsonFormatter(Redactor(secrets))
    with CorrelationScope("abc"):
        line = formatter.format_event("a.b", message, created, fields)
        assert line.decode() == formatter.format(record)
    assert not secrets or b'"message":"s3cr3t"' not in line


@pytest.fixture
def stderr_only() -> Iterator[tuple[logging.Logger, LineHandler, int]]:
    """Give a logger with a LineHandler alone, the handler, and a descriptor to read its lines."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    root = logging.RootLogger(logging.INFO)
    handler = LineHandler(LineDroppingWriter(NonBlockingWriter(writing), "a test"))
    handler.setFormatter(JsonFormatter(Redactor([])))
    root.addHandler(handler)
    yield logging.Manager(root).getLogger("tests.stderr_only"), handler, reading
    os.close(reading)
    os.close(writing)


class RecordingHandler(logging.Handler):
    """A handler that stores its records."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


def read_lines(reading: int) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in os.read(reading, 1 << 16).splitlines()]


def test_events_and_other_records_are_written_in_order(
    stderr_only: tuple[logging.Logger, LineHandler, int],
) -> None:
    logger, _, reading = stderr_only
    logger.info("first")
    log_event(logger, "second", {"number": 2})
    logger.warning("third")
    assert [line["message"] for line in read_lines(reading)] == ["first", "second", "third"]


@pytest.mark.parametrize("where", ["root", "logger"])
def test_other_handlers_get_an_event_as_a_record(
    stderr_only: tuple[logging.Logger, LineHandler, int], where: str
) -> None:
    logger, _, reading = stderr_only
    recording = RecordingHandler()
    assert logger.parent
    (logger.parent if where == "root" else logger).addHandler(recording)
    log_event(logger, "logged", {"number": 1})
    (record,) = recording.records
    assert (record.getMessage(), record.levelno, vars(record)["fields"]) == ("logged", logging.INFO, {"number": 1})
    assert [line["message"] for line in read_lines(reading)] == ["logged"]


@pytest.mark.parametrize("who", ["logger", "handler"])
def test_a_filter_may_drop_an_event(stderr_only: tuple[logging.Logger, LineHandler, int], who: str) -> None:
    logger, handler, reading = stderr_only
    (logger if who == "logger" else handler).addFilter(lambda record: record.getMessage() != "dropped")
    log_event(logger, "dropped", {})
    log_event(logger, "passed", {})
    assert [line["message"] for line in read_lines(reading)] == ["passed"]


@pytest.mark.parametrize("who", ["logger", "handler", "no propagation"])
def test_an_event_below_the_level_is_not_logged(stderr_only: tuple[logging.Logger, LineHandler, int], who: str) -> None:
    logger, handler, reading = stderr_only
    if who == "no propagation":
        logger.propagate = False
        logger.addHandler(RecordingHandler())
    else:
        (logger if who == "logger" else handler).setLevel(logging.WARNING)
    log_event(logger, "too quiet", {})
    with pytest.raises(BlockingIOError):
        os.read(reading, 1)
