"""Callers of a file, which changes while a server runs."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from toolaccord.callers.token_file import TokenFile
from toolaccord.testing import ManualClock


def write(path: Path, callers: dict[str, Any]) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"callers": callers}))
    new.replace(path)


def digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def file(tmp_path: Path, clock: ManualClock) -> TokenFile:
    write(tmp_path / "callers.json", {"ada": {"sha256": [digest("a"), digest("b")], "scopes": ["x"]}})
    return TokenFile.open(tmp_path / "callers.json", clock)


def test_each_token_of_a_caller_names_it(file: TokenFile) -> None:
    first, second = file.find(b"a"), file.find(b"b")
    assert first is not None
    assert (first.subject, first.scopes) == ("ada", frozenset({"x"}))
    assert first == second
    assert file.find(b"c") is None
    assert file.find(digest("a").encode()) is None


@pytest.mark.parametrize("uptime_s", [0, 3600])
def test_a_changed_file_counts_after_a_second(file: TokenFile, clock: ManualClock, uptime_s: float) -> None:
    clock.advance(uptime_s)
    assert file.find(b"a")
    write(file.path, {"bob": {"sha256": [digest("c")]}})
    assert file.find(b"c") is None
    clock.advance(1)
    assert file.find(b"a") is None
    found = file.find(b"c")
    assert found is not None
    assert found.subject == "bob"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"callers": {"ada": {}}}',
        '{"callers": {"ada": {"sha256": ["x"]}}}',
        '{"callers": {"ada": {"sha256": ["é"]}}}',
        f'{{"callers": {{"ada": {{"sha256": ["{"0" * 64}"], "admin": true}}}}}}',
    ],
)
def test_a_damaged_file_leaves_the_callers_and_is_logged_without_its_content(
    file: TokenFile, clock: ManualClock, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    assert file.find(b"a")
    file.path.write_text(text)
    clock.advance(1)
    assert file.find(b"a")
    assert "the callers stay as they were" in caplog.text
    assert digest("a") not in caplog.text


def test_a_missing_file_leaves_the_callers_and_is_logged_once(
    file: TokenFile, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    content = file.path.read_text()
    file.path.unlink()
    for _ in range(3):
        clock.advance(1)
        assert file.find(b"a")
    assert caplog.text.count("the callers stay as they were") == 1
    file.path.write_text(content.replace(digest("b"), digest("c")))
    clock.advance(1)
    assert file.find(b"c")


def test_a_file_that_becomes_readable_again_counts(file: TokenFile, clock: ManualClock) -> None:
    write(file.path, {"bob": {"sha256": [digest("c")]}})
    file.path.chmod(0)
    clock.advance(1)
    file.find(b"c")
    file.path.chmod(0o600)
    clock.advance(1)
    assert file.find(b"c")


def test_tokens_end_after_their_last_day(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "callers.json"
    write(path, {"ada": {"sha256": [digest("a")], "expires_on": "2026-01-01"}})
    file = TokenFile.open(path, clock)
    assert file.find(b"a")
    clock.advance(86_399)
    assert file.find(b"a")
    clock.advance(1)
    assert file.find(b"a") is None
    clock.advance(86_400)
    assert file.find(b"a") is None


def test_a_file_that_is_none_stops_the_start(tmp_path: Path, clock: ManualClock) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        TokenFile.open(tmp_path / "missing.json", clock)
    (tmp_path / "other.json").write_text('{"callers": {"ada": {"sha256": []}}}')
    with pytest.raises(ValueError, match=r"is no file of callers: callers\.ada\.sha256"):
        TokenFile.open(tmp_path / "other.json", clock)


def test_a_token_of_two_callers_stops_the_start(tmp_path: Path, clock: ManualClock) -> None:
    write(tmp_path / "callers.json", {"ada": {"sha256": [digest("a")]}, "bob": {"sha256": [digest("a").upper()]}})
    with pytest.raises(ValueError, match="two callers have one token; give each its own"):
        TokenFile.open(tmp_path / "callers.json", clock)
