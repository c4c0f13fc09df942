"""Progress on standard error: a line on a terminal, messages elsewhere."""

import os
import pty
import subprocess
import sys
from io import StringIO
from select import select
from types import SimpleNamespace

import pytest

from tests.toolaccord.process import PATIENCE_S, ROOT
from toolaccord.testing import progress
from toolaccord.testing.clock import ManualClock
from toolaccord.testing.progress import Line, step


class Screen(StringIO):
    """A terminal of one line."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    @property
    def line(self) -> str:
        """The text that its reader sees."""
        return self.getvalue().rpartition("\r\x1b[2K")[2]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    made = Screen()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made))  # pytest sets its own after the fixtures
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    return made


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def test_a_line_appears_after_two_seconds_and_disappears_at_the_end(screen: Screen, clock: ManualClock) -> None:
    with Line("Generating", clock):
        clock.advance(1.9)
        assert screen.getvalue() == ""
        clock.advance(0.11)
        assert screen.line == "Generating, 2 s"
        clock.advance(5)
        assert screen.line == "Generating, 7 s"
    assert screen.line == ""
    assert "\n" not in screen.getvalue()
    ended = screen.getvalue()
    clock.advance(60)
    assert screen.getvalue() == ended


def test_a_step_of_less_than_two_seconds_writes_nothing(screen: Screen, clock: ManualClock) -> None:
    with Line("Generating", clock) as line:
        line.show(1, 2, "shop/stock")
        clock.advance(1.9)
    clock.advance(60)
    assert screen.getvalue() == ""


def test_a_line_shows_the_part_that_is_done_and_fits_the_terminal(
    screen: Screen, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Line("Generating", clock) as line:
        line.show(3, 12, "shop/stock")
        clock.advance(2)
        assert screen.line == f"Generating {'━' * 5}{' ' * 15} 3 of 12: shop/stock, 2 s"
        line.show(12, 12, "s" * 80)
        assert screen.line == f"Generating {'━' * 20} 12 of 12: {'s' * 12}, 2 s"
        assert len(screen.line) < 60
        monkeypatch.setattr(Screen, "encoding", "ascii")
        line.show(3, 12, "shop/stock")
        assert "=====  " in screen.line


def test_the_line_of_a_step_inside_of_another_is_shown_meanwhile(screen: Screen, clock: ManualClock) -> None:
    with Line("Generating", clock):
        clock.advance(3)
        with Line("Starting PostgreSQL", clock):
            clock.advance(1)
            assert screen.line == "Generating, 3 s", "until the inner one has a line, nothing moves"
            clock.advance(1)
            assert screen.line == "Starting PostgreSQL, 2 s"
        clock.advance(0.5)
        assert screen.line == "Generating, 6 s"


def test_a_line_goes_also_when_the_step_fails(screen: Screen, clock: ManualClock) -> None:
    def fail() -> None:
        with step("Generating", clock=clock):
            clock.advance(2)
            assert screen.line == "Generating, 2 s"
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert screen.line == ""


@pytest.mark.parametrize("variable", ["TERM", None])
def test_there_is_no_line_outside_of_a_terminal_that_can_erase_it(
    screen: Screen, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, variable: str | None
) -> None:
    if variable:
        monkeypatch.setenv(variable, "dumb")
    else:
        monkeypatch.setattr(screen, "isatty", lambda: False)
    with Line("Generating", clock):
        clock.advance(60)
    assert screen.getvalue() == ""


def test_a_step_in_a_pipe_says_that_it_takes_long_and_how_long(
    capsys: pytest.CaptureFixture[str], clock: ManualClock
) -> None:
    with step("Fetching water", clock=clock):
        clock.advance(0.9)
        assert capsys.readouterr().err == ""
        clock.advance(0.6)
        assert capsys.readouterr().err == "Fetching water ...\n"
    assert capsys.readouterr().err == "Fetching water ... 1.5 s\n"
    with step("Fetching water", clock=clock):
        clock.advance(0.9)
    assert capsys.readouterr().err == ""


def test_a_step_whose_block_prints_writes_messages_on_a_terminal_too(screen: Screen, clock: ManualClock) -> None:
    with step("Telling", stays=True, clock=clock):
        clock.advance(3)
    assert screen.getvalue() == "Telling ...\nTelling ... 3.0 s\n"


def test_a_shell_script_shows_a_line_without_the_packages_of_the_project() -> None:
    program = f"{ROOT}/toolaccord/testing/progress.py"
    command = [sys.executable, "-I", "-S", program, "Fetching water"]
    ours, terminal = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=terminal, env=os.environ | {"TERM": "xterm"}) as shown:
        os.close(terminal)
        written = b""
        while b"Fetching water, " not in written:
            assert select([ours], [], [], PATIENCE_S)[0], "the line does not appear"
            written += os.read(ours, 4096)
        assert shown.stdin
        shown.stdin.close()
        assert shown.wait(PATIENCE_S) == 0
    written += os.read(ours, 4096)
    os.close(ours)
    assert written.endswith(b"\r\x1b[2K"), "the line goes when the input ends"
