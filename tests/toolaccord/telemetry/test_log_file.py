import json
import os
import re
import resource
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.toolaccord.demo.framed import KEY, framed, request
from tests.toolaccord.process import ROOT, call, started
from toolaccord.telemetry.line_dropping import LineDroppingWriter
from toolaccord.telemetry.log_file import LogFile

FULL = Path("/dev/full")
"""A file without room on any Linux."""


class Times:
    """A monotonic time that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def line_writer(log_file: LogFile) -> LineDroppingWriter:
    return LineDroppingWriter(log_file, "the file could not be written")


def test_lines_are_appended_and_only_the_owner_may_read_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for text in (b"one\n", b"two\n"):
        line_writer(LogFile(path)).write(text)
    assert path.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_mode_of_an_existing_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.touch()
    path.chmod(0o644)
    LogFile(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("remove", [False, True], ids=["moved", "removed"])
def test_after_a_rotation_a_new_file_is_written_within_a_second(tmp_path: Path, *, remove: bool) -> None:
    path, former, times = tmp_path / "log", tmp_path / "log.1", Times()
    writer = line_writer(LogFile(path, times))
    writer.write(b"one\n")
    path.rename(former)
    writer.write(b"two\n")
    assert former.read_bytes() == b"one\ntwo\n"
    if remove:
        former.unlink()
    times.now += 1
    writer.write(b"three\n")
    assert path.read_bytes() == b"three\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_file_begins_with_a_whole_line_though_the_former_one_ends_within_one(tmp_path: Path) -> None:
    path, times = tmp_path / "log", Times()
    log_file = LogFile(path, times)
    writer = line_writer(log_file)
    assert log_file.write(b"begi") == 4
    writer._partial_line = b"nning\n"
    path.unlink()
    times.now += 1
    writer.write(b"next\n")
    assert path.read_bytes() == b"next\n"


def test_a_folder_that_is_gone_drops_lines_until_it_is_back(tmp_path: Path) -> None:
    path, times = tmp_path / "folder" / "log", Times()
    path.parent.mkdir()
    writer = line_writer(LogFile(path, times))
    path.unlink()
    path.parent.rmdir()
    writer.write(b"one\n")
    writer.write(b"two\nthree\n")
    path.parent.mkdir()
    writer.write(b"four\n")
    report, line = path.read_bytes().splitlines()
    assert json.loads(report)["message"] == "log lines dropped because the file could not be written: 3"
    assert line == b"four"


def test_a_full_disk_is_reported_once_a_minute_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    monkeypatch.setattr("toolaccord.telemetry.log_file.STDERR", writing)
    times = Times()
    writer = line_writer(LogFile(FULL, times))
    for now in (0, 1, 59.9, 60, 61, 120):
        times.now = now
        writer.write(b"a line\n")
    os.close(writing)
    with os.fdopen(reading) as notices:
        messages = [json.loads(notice)["message"] for notice in notices]
    assert messages == ["the log file /dev/full cannot be written, and lines are dropped: No space left on device"] * 3


def test_a_full_disk_is_reported_though_the_name_of_the_file_is_not_utf8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/log\xff"))
    path.symlink_to(FULL)
    reading, writing = os.pipe()
    monkeypatch.setattr("toolaccord.telemetry.log_file.STDERR", writing)
    line_writer(LogFile(path)).write(b"a line\n")
    os.close(writing)
    with os.fdopen(reading) as notices:
        message = json.loads(notices.read())["message"]
    assert message.startswith(f"the log file {tmp_path}/log\\udcff cannot be written")


LIMITED = """
import resource, sys
from pathlib import Path
from toolaccord.telemetry.line_dropping import LineDroppingWriter
from toolaccord.telemetry.log_file import LogFile
writer = LineDroppingWriter(LogFile(Path(sys.argv[1])), "the file could not be written")
for step in range(40):
    if step % 10 == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (step * 30 + 95, resource.RLIM_INFINITY))
    writer.write(b"".join(b'{"number": %d}\\n' % (step * 3 + each) for each in range(3)))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
writer.write(b'{"number": 120}\\n')
"""


def test_every_line_is_whole_or_counted_while_a_file_system_refuses_bytes(tmp_path: Path) -> None:
    path = tmp_path / "log"
    subprocess.run([sys.executable, "-c", LIMITED, str(path)], check=True, cwd=ROOT, stderr=subprocess.DEVNULL)
    expected = 0
    lines: list[dict[str, Any]] = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        if "number" in line:
            assert line["number"] == expected
            expected += 1
        else:
            expected += int(line["message"].rpartition(": ")[2])
    assert expected == 121
    assert len(lines) < 100, "lines were dropped"


async def test_the_log_goes_to_the_file_alone_on_every_transport(tmp_path: Path) -> None:
    path = tmp_path / "log"
    async with started("--log-file", str(path)) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        await server.receive()
        server.close_input()
        assert await server.exit_code() == 0
        assert server.logged == b""
    async with framed("--log-file", str(path)) as relay:
        await relay.send(request(1, "echo", text="a"))
        await relay.receive()
        relay.close_input()
        assert await relay.exit_code() == 0
        assert relay.logged == b""
    async with started("--transport", "http", "--port", "0", "--log-file", str(path)) as web:
        await web.log_has("listening on http")
        url = re.search(rb"http://127\S+", web.logged)
        assert url
        async with httpx2.AsyncClient(trust_env=False) as client:
            await client.get(f"{url[0].decode()}/health")  # it listens before it serves
        web.signal(15)
        assert await web.exit_code() == 0
        assert web.logged.count(b"\n") == 1
    messages = [json.loads(line)["message"] for line in path.read_bytes().splitlines()]
    assert [message for message in messages if message in {"call", "request"}] == ["call", "call", "request"]
    assert any(message.startswith("listening on http") for message in messages)
    assert KEY.encode() not in path.read_bytes()


async def test_a_log_file_that_cannot_be_opened_refuses_to_start(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "log"
    async with started("--log-file", str(path)) as server:
        assert await server.exit_code() == 1
        assert f"cannot open the log file {path}: No such file or directory" in server.logged.decode()
        assert b"Traceback" not in server.logged


async def test_calls_go_on_while_the_disk_is_full_and_the_log_resumes(tmp_path: Path) -> None:
    path = tmp_path / "log"
    async with framed("--log-file", str(path)) as server:
        await server.send(request("first", "echo", text="a"))
        await server.receive()
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
        await server.send(*(request(number, "echo", text="a") for number in range(50)))
        assert all("result" in answer for answer in (await server.receive_all(*range(50))).values())
        await server.log_has("cannot be written, and lines are dropped: File too large")
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await server.send(request("last", "echo", text="a"))
        await server.receive()
        server.close_input()
        assert await server.exit_code() == 0
        assert server.logged.count(b"\n") == 1
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    dropped = [int(line["message"].rpartition(": ")[2]) for line in lines if "dropped" in line["message"]]
    assert dropped
    assert sum(line["message"] in {"call", "request"} for line in lines) + sum(dropped) == 2 * 52
    assert lines[-1]["request_id"] == "last"


async def test_a_file_without_any_room_stops_no_call() -> None:
    async with framed("--log-file", str(FULL)) as server:
        await server.send(*(request(number, "echo", text="a") for number in range(50)))
        assert all("result" in answer for answer in (await server.receive_all(*range(50))).values())
        await server.log_has("the log file /dev/full cannot be written")
        server.close_input()
        assert await server.exit_code() == 0
