import io
import json
import logging
import os
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpact.telemetry.json_logs import JsonLines, Redactor, calling, configure, corr_id, event
from toolpact.telemetry.stderr_handler import StandardError


@pytest.fixture
def logger() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(Redactor(["postgresql://joe:hun%24ter@host/db", None, ""])))
    logger = logging.getLogger("tests.observability")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield logger, stream
    logger.removeHandler(handler)


def only(stream: io.StringIO) -> dict[str, Any]:
    (line,) = stream.getvalue().splitlines()
    read: dict[str, Any] = json.loads(line)
    return read


@pytest.mark.parametrize(
    "meta,expected",
    [
        ({"corr_id": "abc_DEF-1"}, "abc_DEF-1"),
        (
            {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
            "0af7651916cd43dd8448eb211c80319c",
        ),
        ({"corr_id": "two\nlines", "traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}, "a" * 32),
    ],
)
def test_a_call_is_known_by_the_id_that_its_caller_gives(meta: dict[str, Any], expected: str) -> None:
    assert corr_id(meta) == expected


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        {"corr_id": "x" * 129},
        {"corr_id": 5, "traceparent": "nonsense"},
        {"traceparent": f"00-{'0' * 32}-{'b' * 16}-01"},
        {"traceparent": f"00-{'a' * 32}-{'0' * 16}-01"},
        {"traceparent": f"ff-{'a' * 32}-{'b' * 16}-01"},
    ],
)
def test_a_call_without_a_usable_id_gets_a_new_one(meta: dict[str, Any] | None) -> None:
    assert corr_id(meta) != corr_id(meta)


def test_every_record_made_within_a_call_carries_its_id(logger: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = logger
    with calling("abc"):
        log.info("said %s", "so")
    line = only(stream)
    assert (line["message"], line["corr_id"], line["level"]) == ("said so", "abc", "INFO")
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
def test_a_secret_is_hidden_wherever_it_turns_up(logger: tuple[logging.Logger, io.StringIO], secret: str) -> None:
    log, stream = logger
    error = ValueError(f"cannot reach {secret}")
    log.error("failed at %s", secret, exc_info=error, extra={"facts": {"where": [secret]}})
    assert secret not in stream.getvalue()
    assert only(stream)["where"] == ["***"]


@pytest.mark.parametrize("secret", ["error", "ERROR", "message", "tests", "ok", "tool", "abc", "get_book"])
def test_a_secret_that_is_a_common_word_leaves_a_record_its_shape(secret: str) -> None:
    record = logging.LogRecord("tests.ok", logging.ERROR, "", 0, "said %s", (secret,), None)
    record.facts = {"tool": "get_book", "status": "error", "error_code": "ERROR", "said": [{secret: secret}]}
    with calling("abc"):
        line = json.loads(JsonLines(Redactor([secret])).format(record))
    del line["timestamp"]
    assert line == {
        "level": "ERROR",
        "logger": "tests.ok",
        "message": "said ***",
        "corr_id": "abc",
        "tool": "get_book",
        "status": "error",
        "error_code": "ERROR",
        "said": [{secret: "***"}],
    }


def test_a_short_secret_is_hidden_only_where_it_is_a_whole_word() -> None:
    redactor = Redactor(["abc", "$1"])
    assert redactor.hide("abc (abc) abcd dabc 'abc' $1 $12") == "*** (***) abcd dabc '***' *** $12"


@pytest.mark.parametrize("password", ["hunter%2B2 x", "hunter%2B2+x"])
def test_a_password_in_the_query_of_a_url_is_hidden(password: str) -> None:
    redactor = Redactor([f"postgresql:///db?host=%2Ftmp&password={password}&port=5"])
    assert redactor.hide(f"no {password} and no hunter+2 x at /tmp") == "no *** and no *** at /tmp"


def test_a_record_that_is_no_json_is_logged_all_the_same(logger: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = logger
    log.info("lone surrogate \ud800", extra={"facts": {"what": object()}})
    assert only(stream)["message"] == "lone surrogate \\ud800"


def test_configuring_sends_every_logger_to_one_stream_of_lines() -> None:
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


# --- events, which take a shorter way than the library's ------------------------------------------------------------

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=8) | st.sampled_from(["s3cr3t", "a s3cr3t b"])
"""With lone surrogates, and with a secret."""
FACTS = st.dictionaries(
    st.sampled_from(["tool", "status", "error_code", "version", "duration_ms"]) | ANY_TEXT,
    ANY_TEXT | st.none() | st.integers() | st.floats() | st.lists(ANY_TEXT, max_size=2),
    max_size=6,
)


@given(message=ANY_TEXT, facts=FACTS, created=st.floats(0, 4e9), secrets=st.lists(st.just("s3cr3t"), max_size=1))
def test_the_line_of_an_event_is_that_of_its_record(
    message: str, facts: dict[str, Any], created: float, secrets: list[str]
) -> None:
    record = logging.makeLogRecord({"name": "a.b", "levelno": logging.INFO, "levelname": "INFO", "msg": message})
    record.created, record.facts = created, facts
    lines = JsonLines(Redactor(secrets))
    with calling("abc"):
        line = lines.event("a.b", message, created, facts)
        assert line.decode() == lines.format(record)
    assert not secrets or b'"message":"s3cr3t"' not in line


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[logging.Logger, StandardError, int]]:
    """A logger that nobody hears but standard error, and where its lines can be read."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    monkeypatch.setattr("toolpact.telemetry.stderr_handler.STANDARD_ERROR", writing)
    root = logging.RootLogger(logging.INFO)
    heard = StandardError()
    heard.setFormatter(JsonLines(Redactor([])))
    root.addHandler(heard)
    yield logging.Manager(root).getLogger("tests.alone"), heard, reading
    os.close(reading)
    os.close(writing)


class Listener(logging.Handler):
    """A handler that keeps the records it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(record)


def facts_in(reading: int) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in os.read(reading, 1 << 16).splitlines()]


def test_an_event_is_written_among_other_lines_in_the_order_of_their_telling(
    alone: tuple[logging.Logger, StandardError, int],
) -> None:
    logger, _, reading = alone
    logger.info("first")
    event(logger, "second", {"fact": 2})
    logger.warning("third")
    assert [line["message"] for line in facts_in(reading)] == ["first", "second", "third"]


@pytest.mark.parametrize("where", ["root", "logger"])
def test_whoever_else_listens_hears_an_event_as_a_record(
    alone: tuple[logging.Logger, StandardError, int], where: str
) -> None:
    logger, _, reading = alone
    listener = Listener()
    assert logger.parent
    (logger.parent if where == "root" else logger).addHandler(listener)
    event(logger, "heard", {"fact": 1})
    (record,) = listener.heard
    assert (record.getMessage(), record.levelno, vars(record)["facts"]) == ("heard", logging.INFO, {"fact": 1})
    assert [line["message"] for line in facts_in(reading)] == ["heard"]


@pytest.mark.parametrize("who", ["logger", "handler"])
def test_a_filter_may_refuse_an_event(alone: tuple[logging.Logger, StandardError, int], who: str) -> None:
    logger, heard, reading = alone
    (logger if who == "logger" else heard).addFilter(lambda record: record.getMessage() != "refused")
    event(logger, "refused", {})
    event(logger, "let pass", {})
    assert [line["message"] for line in facts_in(reading)] == ["let pass"]


@pytest.mark.parametrize("who", ["logger", "handler", "nobody above"])
def test_an_event_below_the_level_is_no_line(alone: tuple[logging.Logger, StandardError, int], who: str) -> None:
    logger, heard, reading = alone
    if who == "nobody above":
        logger.propagate = False
        logger.addHandler(Listener())
    else:
        (logger if who == "logger" else heard).setLevel(logging.WARNING)
    event(logger, "too quiet", {})
    with pytest.raises(BlockingIOError):
        os.read(reading, 1)
