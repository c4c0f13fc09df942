"""The parts of `toolaccord dev` that need no running session."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from toolaccord.telemetry.text_logs import TextFormat
from toolaccord_codegen.cli.dev.screen import Screen
from toolaccord_codegen.cli.dev.start import has_browser, listen
from toolaccord_codegen.cli.dev.watching import Saves
from toolaccord_codegen.cli.servers.fault import Fault, find_fault
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.reporting.colour import TerminalStyle

SCREEN = Screen(TerminalStyle(on=False), None)


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_port_that_is_in_use_is_named_in_a_sentence(busy_port: int) -> None:
    with pytest.raises(CommandError, match=f"cannot listen on localhost port {busy_port}: Address already in use"):
        listen(busy_port, SCREEN)


def test_without_port_8000_a_free_one_is_taken_and_reported(
    monkeypatch: pytest.MonkeyPatch, busy_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("toolaccord_codegen.cli.dev.start.PORT", busy_port)
    sockets = listen(None, SCREEN)
    assert sockets[0].getsockname()[1] != busy_port
    assert {each.getsockname()[0] for each in sockets} <= {"127.0.0.1", "::1"}
    assert f"port {busy_port} is in use, so this server takes another one" in capsys.readouterr().err
    for each in sockets:
        each.close()


@pytest.mark.parametrize(
    "environ,platform,expected",
    [
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "linux", False),
        ({}, "darwin", True),
        ({"DISPLAY": ":0", "CI": "true"}, "linux", False),
    ],
)
def test_a_browser_is_opened_with_a_display_and_never_in_ci(
    environ: dict[str, str], platform: str, *, expected: bool
) -> None:
    assert has_browser(environ, platform) is expected


def load(path: Path, text: str) -> BaseException:
    """Return the exception of a module."""
    path.write_text(text)
    try:
        exec(compile(text, str(path), "exec"), ModuleType("loaded").__dict__)
    except Exception as error:
        return error
    raise AssertionError


def test_a_fault_is_at_the_last_line_of_the_users_own_files(tmp_path: Path) -> None:
    error = load(tmp_path / "books.py", "import json\n\nLIMITS = json.loads('{')\n")
    fault = find_fault(error, tmp_path)
    assert (fault.path, fault.line, fault.column) == (str(tmp_path / "books.py"), 3, 10)
    assert (fault.kind, fault.sentence.partition(":")[0]) == (
        "JSONDecodeError",
        "Expecting property name enclosed in double quotes",
    )


def test_a_fault_of_syntax_is_at_the_file_that_has_it(tmp_path: Path) -> None:
    (tmp_path / "shelf.py").write_text("def f(:\n")
    sys.path.insert(0, str(tmp_path))
    try:
        fault = find_fault(load(tmp_path / "books.py", "import shelf\n"), tmp_path)
    finally:
        sys.path.remove(str(tmp_path))
    assert fault == Fault(str(tmp_path / "shelf.py"), 1, 7, "SyntaxError", "invalid syntax")


def test_the_watcher_counts_what_a_server_reads_and_nothing_that_dev_writes(tmp_path: Path) -> None:
    saves = Saves(tmp_path, tmp_path / "contracts", tmp_path / "acme_generated")
    for name in (
        "contracts/logo.png",
        "acme_handlers/a.py",
        "acme_handlers/migrations/1.sql",
        "pyproject.toml",
        ".env",
    ):
        assert saves.is_relevant(tmp_path / name), name
    for name in (
        "acme_generated/acme/models.py",
        "README.md",
        "acme_handlers/notes.txt",
        "contracts/contract.schema.json",
    ):
        assert not saves.is_relevant(tmp_path / name), name


def test_only_folders_with_the_users_own_modules_are_watched(tmp_path: Path) -> None:
    for name in ("acme_handlers", "contracts", ".git", "tests", "env", "acme_generated", "node_modules"):
        (tmp_path / name).mkdir()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    saves = Saves(tmp_path, tmp_path / "contracts", tmp_path / "acme_generated")
    assert saves.list_folders() == [tmp_path / "acme_handlers", tmp_path / "contracts"]


def test_remarks_of_a_replaced_process_are_left_out_of_a_log_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = Screen(TerminalStyle(on=False), TextFormat(is_coloured=False, width=80, project=tmp_path))
    line = b'{"timestamp":"2027-03-01T10:14:02.500+00:00","level":"%s","logger":"x","message":"%s"}\n'
    for level, message in ((b"INFO", b"asked to stop"), (b"WARNING", b"calls were abandoned")):
        screen.log(line % (level, message), only_calls=True)
    call = b'"tool":"search_books","status":"success","duration_ms":1}'
    screen.log((line % (b"INFO", b"call")).replace(b"}", b"," + call), only_calls=True)
    screen.log(b"printed by a handler\n", only_calls=True)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0][10:] == "WARNING calls were abandoned"
    assert shown[1][10:].split()[:3] == ["INFO", "search_books", "ok"]
    assert shown[2:] == ["printed by a handler"]
