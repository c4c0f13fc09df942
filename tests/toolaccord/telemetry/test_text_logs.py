"""Log lines for people."""

import re
from pathlib import Path
from typing import Any

import pytest

from toolaccord.telemetry.text_logs import TextFormat, is_own_file

PLAIN = TextFormat(is_coloured=False, width=80, project=Path("/home/ann/shop"))
TRACE = """Traceback (most recent call last):
  File "/home/ann/shop/.venv/lib/python3.11/site-packages/toolaccord/call/execution.py", line 90, in run
    return await handler(request, call)
  File "/home/ann/shop/acme_handlers/acme/books.py", line 12, in search_books
    return 1 / 0
           ~~^~~
  File "/usr/lib/python3.11/fractions.py", line 3, in divide
    raise ZeroDivisionError
ZeroDivisionError: division by zero
and a second line"""


def record(message: str, level: str = "INFO", **fields: Any) -> dict[str, Any]:
    stamp = "2027-03-01T10:14:02.500+00:00"
    return {"timestamp": stamp, "level": level, "logger": "toolaccord.call", "message": message, **fields}


def call(**fields: Any) -> dict[str, Any]:
    return record("call", tool="search_books", status="success", duration_ms=3.21, input_size_bytes=9) | fields


def after_time(text: str) -> str:
    """Return lines without the time, which is that of the reader's zone."""
    found = re.fullmatch(r"\d\d:\d\d:\d\d  (.*)", text, re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize(
    "fields,end",
    [
        ({}, "ok                     3.2 ms"),
        ({"status": "error", "error_code": "NO_SUCH_BOOK"}, "NO_SUCH_BOOK           3.2 ms"),
        ({"status": "cancelled", "duration_ms": 1103.6}, "cancelled           1103.6 ms"),
        ({"corr_id": "8f3c21aa00112233"}, "ok                     3.2 ms  8f3c21aa"),
    ],
)
def test_a_call_is_one_aligned_line(fields: dict[str, Any], end: str) -> None:
    line = PLAIN.format(call(**fields))
    assert after_time(line) == f"INFO    search_books           {end}"
    assert len(line) <= 80


def test_a_call_of_an_older_version_names_it() -> None:
    assert "search_books@0.1.0 " in PLAIN.format(call(version="0.1.0"))


def test_a_failed_call_has_its_cause_below_it() -> None:
    cause = 'a table is missing (relation "public.books" does not exist): run `toolaccord migrate acme`'
    first, *others = PLAIN.format(call(status="error", error_code="UNAVAILABLE", cause=cause)).splitlines()
    assert first.endswith("UNAVAILABLE            3.2 ms")
    assert " ".join(line.strip() for line in others) == cause
    assert all(line.startswith(" " * 18) and len(line) <= 80 for line in others)


def test_a_message_has_its_fields_and_wraps_below_itself() -> None:
    words = "a rather long remark of a source that is not there yet and that fills more than one line"
    lines = PLAIN.format(record(words, "WARNING", attempts=3, corr_id="c0ffee0011")).splitlines()
    assert after_time(lines[0]).startswith("WARNING a rather long remark")
    assert lines[0].endswith("  c0ffee00")
    assert lines[-1].endswith("attempts=3")
    assert all(line.startswith(" " * 18) for line in lines[1:])


def test_a_traceback_is_shortened_to_the_users_own_frames() -> None:
    lines = PLAIN.format(record("the server is at fault", "ERROR", exception=TRACE)).splitlines()
    assert [line.strip() for line in lines[1:]] == [
        "acme_handlers/acme/books.py:12 in search_books",
        "ZeroDivisionError: division by zero",
        "and a second line",
    ]


def test_a_traceback_without_own_frames_stays_whole() -> None:
    elsewhere = TextFormat(is_coloured=False, width=200, project=Path("/srv"))
    assert 'File "/usr/lib/python3.11/fractions.py", line 3' in elsewhere.format(record("lost", exception=TRACE))


def test_colours_change_nothing_but_colours() -> None:
    coloured = TextFormat(is_coloured=True, width=80, project=PLAIN.project)
    for each in (call(corr_id="8f3c21aa00"), record("lost", "ERROR", exception=TRACE)):
        text = coloured.format(each)
        assert "\x1b[" in text
        assert re.sub(r"\x1b\[[0-9;]*m", "", text) == PLAIN.format(each)


def test_an_exception_of_several_indented_lines_is_shown_whole() -> None:
    error = ["pydantic.ValidationError: 1 error for Book", "title", "  Field required", "    For more visit a page"]
    trace = "\n".join([*TRACE.splitlines()[:-2], *error])
    lines = PLAIN.format(record("the server is at fault", "ERROR", exception=trace)).splitlines()
    assert [line[18:] for line in lines[1:]] == ["acme_handlers/acme/books.py:12 in search_books", *error]


def test_a_result_at_fault_is_a_sentence_without_the_librarys_frames() -> None:
    trace = """Traceback (most recent call last):
  File "/env/site-packages/toolaccord/call/execution.py", line 84, in run
    return results.encode_result(call.bound, result, call.arguments)
  File "/env/site-packages/toolaccord/call/results.py", line 87, in _encode
    raise TypeError(f"{tool.name} must return a model")
TypeError: search_books must return a model"""
    lines = PLAIN.format(record("the server is at fault", "ERROR", exception=trace)).splitlines()
    assert [line.strip() for line in lines[1:]] == ["TypeError: search_books must return a model"]


def test_files_of_an_environment_in_the_project_are_not_the_users_own(tmp_path: Path) -> None:
    assert is_own_file(tmp_path / "shop" / "books.py", tmp_path)
    assert not is_own_file(tmp_path / ".venv" / "lib" / "x.py", tmp_path)
    assert not is_own_file(tmp_path / "env" / "site-packages" / "x.py", tmp_path)
    assert not is_own_file(Path("/usr/lib/x.py"), tmp_path)
