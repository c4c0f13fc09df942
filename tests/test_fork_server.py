"""Forked programs have what executed ones have."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fork_server import ROOT

PROBE = """
import json, os, signal, sys, threading
found = {
    "arguments": sys.argv[1:], "name": __name__, "file": sys.argv[0], "folder": os.getcwd(), "path": sys.path[:3],
    "variable": os.environ.get("PROBE"), "parent": os.getppid(), "session": os.getsid(0) == os.getpid(),
    "hangup": signal.getsignal(signal.SIGHUP).name, "interrupt": signal.getsignal(signal.SIGINT).__name__,
    "threads": threading.active_count(), "read": sys.stdin.read(), "descriptors": len(os.listdir("/proc/self/fd")) - 1,
    "is_forked": "toolaccord.server.main" in sys.modules,
}
print(json.dumps(found))
print("errors", file=sys.stderr)
if sys.argv[1:] == ["fail"]:
    raise SystemExit("failed")
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux alone")


STARTER = """
import os, subprocess, sys
ended = subprocess.run([sys.executable, "-m", "tests.probe", str(os.getpid())], input="", stdout=subprocess.PIPE, text=True)
print(ended.stdout)
"""
ENDING = """
import atexit, sys, threading

async def forgotten(): ...

atexit.register(print, "registered")
threading.Thread(target=lambda: (threading.main_thread().join(), print("thread"))).start()
forgotten()
sys.exit(3)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the program `tests.probe`."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/probe.py").write_text(PROBE)
    return tmp_path


def probe(folder: Path, *arguments: str, options: tuple[str, ...] = (), **how: Any) -> dict[str, Any]:
    """Return what the program found."""
    command = [sys.executable, *options, "-m", "tests.probe", *arguments]
    ended = subprocess.run(command, cwd=folder, input="sent", capture_output=True, text=True, check=True, **how)
    found: dict[str, Any] = json.loads(ended.stdout)
    assert ended.stderr == "errors\n"
    return found


def test_a_forked_program_finds_what_an_executed_one_finds(folder: Path) -> None:
    environment = os.environ | {"PROBE": "\udcff =", "PYTHONPATH": f"{folder / 'one'}:{folder / 'two'}"}
    forked = probe(folder, "a", "\udcff", env=environment)
    executed = probe(folder, "a", "\udcff", options=("-X", "utf8"), env=environment)
    assert (forked.pop("is_forked"), executed.pop("is_forked")) == (True, False)
    assert forked == executed
    assert (forked["parent"], forked["read"], forked["descriptors"]) == (os.getpid(), "sent", 3)


def test_a_process_ends_with_its_fork_servers_and_leaves_nothing_open(folder: Path) -> None:
    code = "import subprocess, sys; from tests import fork_server; fork_server.install()"
    call = f"subprocess.run([sys.executable, '-m', 'tests.probe'], cwd={os.fspath(folder)!r}, input=b'')"
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-c", f"{code}; {call}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stderr == "errors\n"
    assert json.loads(ended.stdout)["is_forked"]


def test_a_program_that_the_interpreter_runs_otherwise_is_executed(folder: Path) -> None:
    assert not probe(folder, env=os.environ | {"PYTHONHASHSEED": "1"})["is_forked"]
    assert not probe(folder, umask=0o77)["is_forked"]
    (folder / "toolaccord").mkdir()
    assert not probe(folder)["is_forked"], "it may have another library"


def test_a_program_that_lacks_variables_of_the_interpreter_is_forked(folder: Path) -> None:
    assert probe(folder, env={"PATH": os.defpath})["is_forked"]


def test_a_session_and_an_ignored_signal_are_those_of_the_command(folder: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        found = probe(folder, start_new_session=True)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (found["session"], found["hangup"], found["is_forked"]) == (True, "SIG_IGN", True)


def test_a_failure_has_its_exit_code_and_its_sentence(folder: Path) -> None:
    command = [sys.executable, "-m", "tests.probe", "fail"]
    ended = subprocess.run(command, cwd=folder, input="", capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "errors\nfailed\n")


async def test_asyncio_waits_for_a_program_that_a_signal_ends(folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.probe", cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    process.terminate()
    assert await process.wait() == -signal.SIGTERM
    assert process.stdin
    process.stdin.close()
    await process.communicate()


def test_a_program_that_starts_others_forks_its_own_children(folder: Path) -> None:
    starter = folder / "tests/toolaccord/demo/scout.py"
    starter.parent.mkdir(parents=True)
    starter.write_text(STARTER)
    command = [sys.executable, "-m", "tests.toolaccord.demo.scout"]
    ended = subprocess.run(command, cwd=folder, input="", capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    assert (found["is_forked"], found["arguments"], ended.stderr) == (True, [str(found["parent"])], "errors\n")


def test_a_program_ends_after_its_threads_and_all_that_it_registered(folder: Path) -> None:
    (folder / "tests/ending.py").write_text(ENDING)
    command = [sys.executable, "-m", "tests.ending"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (3, "thread\nregistered\n")
    assert "'forgotten' was never awaited" in ended.stderr
