"""Files that other programs write, on a real file system."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.toolaccord.demo.alarm import Warden
from tests.toolaccord.generated.demo.alarm.server import AlarmCall, server
from toolaccord.config.overrides import apply_overrides, list_overrides
from toolaccord.declarations.settings import read_settings
from toolaccord.sources.files import Files, FilesError, FilesSource
from toolaccord.testing import ManualClock
from toolaccord.timing.clock import Clock, SystemClock

LIMIT = 4096
NOBODY = 65534


@asynccontextmanager
async def reading(path: Path | str, clock: Clock | None = None) -> AsyncIterator[Files]:
    """Open a source with the one file *status* at *path*."""
    source = FilesSource(name="files", paths={"status": "status_file"}, max_bytes=LIMIT)
    files = source.open({"status_file": str(path)}, clock or SystemClock())
    await files.start()
    try:
        yield files
    finally:
        await files.close()


async def read(path: Path | str) -> bytes | None:
    """Read the file at *path* once; a read that hangs fails."""
    async with reading(path) as files:
        return await asyncio.wait_for(files.read("status"), 60)


async def rejection(path: Path | str) -> str:
    """Return the error of reading *path*."""
    with pytest.raises(FilesError) as raised:
        await read(path)
    return str(raised.value)


@contextmanager
def while_read(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object], times: int = 1) -> Iterator[None]:
    """Run *change* in the first *times* reads, between the content and the second look."""
    real, looks = os.fstat, iter(range(sys.maxsize))

    def fstat(descriptor: int) -> os.stat_result:
        look = next(looks)
        if look % 2 == 1 and look < 2 * times:
            change()
        return real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr("toolaccord.sources.files.client.os.fstat", fstat)
        yield


async def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "status").write_bytes(content := bytes(range(256)) * (LIMIT // 256))
    assert await read(tmp_path / "status") == content


async def test_an_empty_file_is_no_missing_file(tmp_path: Path) -> None:
    (tmp_path / "status").touch()
    assert await read(tmp_path / "status") == b""


async def test_a_missing_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    for path in (tmp_path / "status", tmp_path / "no" / "folder", tmp_path / "dangling", ""):
        assert await read(path) is None


async def test_a_file_that_appears_later_is_found(tmp_path: Path) -> None:
    async with reading(tmp_path / "status") as files:
        assert await files.read("status") is None
        (tmp_path / "status").write_bytes(b"EQUITY: 1\n")
        assert await files.read("status") == b"EQUITY: 1\n"
        (tmp_path / "status").unlink()
        assert await files.read("status") is None


async def test_a_link_leads_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"EQUITY: 1\n")
    (tmp_path / "status").symlink_to("target")
    assert await read(tmp_path / "status") == b"EQUITY: 1\n"


async def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", "/dev/zero", "/dev/null"):
        assert await rejection(path) == f"{path} is no regular file; correct the path in its setting"


async def test_a_file_that_cannot_be_opened_is_an_error_even_for_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(tmp_path)  # the path of a socket has at most 107 characters
        listener.bind("socket")
        for path in (tmp_path / "loop", tmp_path / "file" / "status", tmp_path / "socket", tmp_path / ("a" * 256)):
            assert (await rejection(path)).startswith(f"{path} cannot be read (")
    assert "null byte" in await rejection("a\0b")


async def test_a_file_without_permission_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "status").write_bytes(b"EQUITY: 1\n")
    (tmp_path / "status").chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)  # root may read every file
    try:
        assert "Permission denied" in await rejection(tmp_path / "status")
    finally:
        os.seteuid(user)


async def test_a_file_above_the_limit_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "status").write_bytes(b"x" * (LIMIT + 1))
    assert (
        await rejection(tmp_path / "status")
        == f"{tmp_path}/status has more than {LIMIT} bytes; shorten it, or raise the source's max_bytes"
    )
    os.truncate(tmp_path / "status", 1 << 40)
    assert "max_bytes" in await rejection(tmp_path / "status")


async def test_a_file_of_the_kernel_without_a_size_is_read_up_to_the_limit() -> None:
    assert (await read("/proc/self/status") or b"").startswith(b"Name:")


@pytest.mark.parametrize("length", [8, 12])
async def test_a_file_that_is_cut_or_grows_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    path = tmp_path / "status"
    path.write_bytes(b"EQUITY: 10")
    os.utime(path, ns=(0, 0))

    def write() -> None:
        os.truncate(path, length)
        os.utime(path, ns=(0, 0))  # as if it happened within one tick of the file system's clock

    with while_read(monkeypatch, write):
        assert await read(path) == b"EQUITY: 10"[:length].ljust(length, b"\0")


async def test_a_file_that_is_written_anew_in_the_same_length_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "status"
    path.write_bytes(b"EQUITY: 1\n")
    os.utime(path, ns=(0, 0))
    with while_read(monkeypatch, lambda: path.write_bytes(b"EQUITY: 2\n")):
        assert await read(path) == b"EQUITY: 2\n"


async def test_a_file_that_is_replaced_while_it_is_read_is_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "status"
    path.write_bytes(b"EQUITY: 1\n")
    (tmp_path / "next").write_bytes(b"EQUITY: 22\n")
    with while_read(monkeypatch, lambda: (tmp_path / "next").replace(path)):
        assert await read(path) == b"EQUITY: 1\n"
    assert await read(path) == b"EQUITY: 22\n"


async def test_a_file_that_always_changes_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, clock = tmp_path / "status", ManualClock()
    path.touch()

    def write() -> None:
        with path.open("ab") as file:
            file.write(b"x")

    with while_read(monkeypatch, write, times=1000):
        async with reading(path, clock) as files:
            task = asyncio.create_task(files.read("status"))
            while not task.done():
                clock.advance(0.01)
                await asyncio.sleep(0)
            with pytest.raises(FilesError, match="changed during each of 5 reads"):
                await task
    assert path.stat().st_size == 5


async def test_a_file_that_is_replaced_again_and_again_is_always_a_whole_one(tmp_path: Path) -> None:
    path, stopped = tmp_path / "status", threading.Event()
    path.write_bytes(b"0")

    def replace_often() -> None:
        for number in iter(range(sys.maxsize)):
            if stopped.is_set():
                return
            (tmp_path / "next").write_bytes(b"%d" % (number % 10) * (1 + number % 4000))
            (tmp_path / "next").replace(path)

    async def read_versions(files: Files) -> set[bytes | None]:
        found: set[bytes | None] = set()
        while len(found) < 50:
            found.add(await files.read("status"))
        return found

    writer = threading.Thread(target=replace_often)
    writer.start()
    try:
        async with reading(path) as files:
            found = await asyncio.wait_for(read_versions(files), 60)
    finally:
        stopped.set()
        writer.join()
    assert {
        content for content in found if content != b"%d" % ((len(content or b"") - 1) % 10) * len(content or b"")
    } == set()


def count_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_thousands_of_reads_at_once_leave_no_descriptor_behind(tmp_path: Path) -> None:
    (tmp_path / "status").write_bytes(b"EQUITY: 1\n")
    before = count_descriptors()
    async with reading(tmp_path / "status") as files, reading(tmp_path) as broken:
        found = await asyncio.gather(*(files.read("status") for _ in range(3000)))
        failed = await asyncio.gather(*(broken.read("status") for _ in range(300)), return_exceptions=True)
    assert found == [b"EQUITY: 1\n"] * 3000
    assert all(isinstance(error, FilesError) for error in failed)
    assert count_descriptors() <= before


async def test_a_server_is_ready_without_its_files(tmp_path: Path) -> None:
    for path in (tmp_path / "status", tmp_path, "/dev/zero"):
        async with reading(path) as files:
            await files.check()


async def ring(_place: str, _call: AlarmCall) -> None:
    raise AssertionError


def test_an_operator_may_change_the_limit() -> None:
    source = FilesSource(name="status_files", paths={"status": "status_file"}, max_bytes=LIMIT)
    served = replace(server(Warden(ring)), sources=(source,))
    values = read_settings(list_overrides(served), {"STATUS_FILES_MAX_BYTES": "2048"})
    (changed,) = apply_overrides(served, values).sources
    assert changed == replace(source, max_bytes=2048)
