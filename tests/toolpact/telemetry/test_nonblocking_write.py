import os
import pty
import tty
from pathlib import Path
from threading import Thread

import pytest

from toolpact.telemetry.nonblocking_write import Outlet

MORE_THAN_ROOM = b"x" * (1 << 20)


def filled(outlet: Outlet) -> int:
    """Write until nothing more is taken, and return how much was."""
    total = 0
    while taken := outlet.write(MORE_THAN_ROOM):
        total += taken
    return total


def test_a_pipe_takes_what_there_is_room_for_and_then_nothing() -> None:
    reading, writing = os.pipe()
    outlet = Outlet(writing)
    assert filled(outlet) == len(os.read(reading, 1 << 21))
    assert outlet.write(b"more") == 4
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        outlet.write(b"more")
    os.close(writing)


def test_without_a_word_for_not_waiting_a_pipe_is_not_waited_for_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpact.telemetry.nonblocking_write._NOWAIT", 0)
    reading, writing = os.pipe()
    outlet = Outlet(writing)
    assert filled(outlet) == len(os.read(reading, 1 << 21))
    assert outlet.write(b"more") == 4
    os.close(reading)
    os.close(writing)


def test_a_terminal_that_is_stopped_is_not_waited_for() -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    ended: list[int] = []
    writing = Thread(target=lambda: ended.append(filled(Outlet(slave))), daemon=True)
    writing.start()
    writing.join(60)
    (taken,) = ended
    assert 0 < taken < len(MORE_THAN_ROOM)
    assert os.get_blocking(slave), "others may have the terminal, too"
    os.close(master)
    os.close(slave)


def test_a_regular_file_takes_all(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"before ")
    with path.open("ab") as file:
        assert Outlet(file.fileno()).write(MORE_THAN_ROOM) == len(MORE_THAN_ROOM)
    assert path.read_bytes() == b"before " + MORE_THAN_ROOM


def test_a_descriptor_that_is_closed_is_an_error_when_it_is_written_to() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    outlet = Outlet(writing)
    with pytest.raises(OSError, match="Bad file descriptor"):
        outlet.write(b"x")
