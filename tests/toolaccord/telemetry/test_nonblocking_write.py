import os
import pty
import tty
from pathlib import Path
from threading import Thread

import pytest

from toolaccord.telemetry.nonblocking_write import NonBlockingWriter

TOO_MUCH = b"x" * (1 << 20)


def fill(writer: NonBlockingWriter) -> int:
    """Write until nothing more is accepted; return the number of bytes."""
    total = 0
    while count := writer.write(TOO_MUCH):
        total += count
    return total


def test_a_pipe_accepts_as_much_as_it_has_room_for() -> None:
    reading, writing = os.pipe()
    writer = NonBlockingWriter(writing)
    assert fill(writer) == len(os.read(reading, 1 << 21))
    assert writer.write(b"more") == 4
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        writer.write(b"more")
    os.close(writing)


def test_a_write_to_a_pipe_does_not_block_without_rwf_nowait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolaccord.telemetry.nonblocking_write._NOWAIT", 0)
    reading, writing = os.pipe()
    writer = NonBlockingWriter(writing)
    assert fill(writer) == len(os.read(reading, 1 << 21))
    assert writer.write(b"more") == 4
    os.close(reading)
    os.close(writing)


def test_a_write_to_a_stopped_terminal_does_not_block() -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    ended: list[int] = []
    writing = Thread(target=lambda: ended.append(fill(NonBlockingWriter(slave))), daemon=True)
    writing.start()
    writing.join(60)
    (taken,) = ended
    assert 0 < taken < len(TOO_MUCH)
    assert os.get_blocking(slave), "other processes may share the terminal"
    os.close(master)
    os.close(slave)


def test_a_regular_file_accepts_everything(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"before ")
    with path.open("ab") as file:
        assert NonBlockingWriter(file.fileno()).write(TOO_MUCH) == len(TOO_MUCH)
    assert path.read_bytes() == b"before " + TOO_MUCH


def test_a_closed_descriptor_is_an_error_of_the_first_write() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    writer = NonBlockingWriter(writing)
    with pytest.raises(OSError, match="Bad file descriptor"):
        writer.write(b"x")
