import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.toolaccord.process import started
from toolaccord import shutdown
from toolaccord.config.process_settings import StopTimeouts
from toolaccord.shutdown import StopSignal
from toolaccord.telemetry import correlation

STUBBORN = """
import asyncio
from toolaccord import shutdown
from toolaccord.telemetry import correlation, json_logs, redaction
from toolaccord.config.process_settings import StopTimeouts

kept = []

async def stubborn():
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass

async def serve(stop):
    kept.append(asyncio.create_task(stubborn()))
    await asyncio.sleep(0)

json_logs.configure("INFO", redaction.Redactor([]))
loop = asyncio.new_event_loop()
loop.run_until_complete(shutdown.run_until_stopped(serve, {}, StopTimeouts(drain_s=0, grace_s=0)))
loop.close()
"""


@pytest.fixture
def stop(monkeypatch: pytest.MonkeyPatch) -> Iterator[StopSignal]:
    """Stop signals in a process that goes on."""
    monkeypatch.setattr(shutdown, "_end_by_force_after", lambda _seconds: None)
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    yield StopSignal(StopTimeouts(drain_s=0, grace_s=0))
    for each, handler in before.items():
        signal.signal(each, handler)


async def test_a_signal_during_a_call_does_not_inherit_its_correlation_id(
    stop: StopSignal, monkeypatch: pytest.MonkeyPatch
) -> None:
    inherited = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(stop.requested, "set", lambda: inherited.set_result(correlation.current_corr_id()))
    stop.listen()
    with correlation.CorrelationScope("abc"):
        signal.raise_signal(signal.SIGTERM)
    assert await inherited is None


async def test_a_process_that_nohup_started_goes_on_ignoring_sighup(stop: StopSignal) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    stop.listen()
    signal.raise_signal(signal.SIGHUP)
    await asyncio.sleep(0)
    assert not stop.requested.is_set()


async def test_a_server_of_the_tests_stops_on_sighup_also_where_nohup_started_them(stop: StopSignal) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    async with started() as server:
        await server.shake_hands()
        server.signal(signal.SIGHUP)
        assert await server.exit_code() == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert not stop.requested.is_set()


def test_tasks_that_outlive_the_process_are_logged_in_one_line() -> None:
    ended = subprocess.run([sys.executable, "-c", STUBBORN], stderr=subprocess.PIPE, check=True)
    (line,) = ended.stderr.splitlines()
    assert json.loads(line)["message"] == "tasks that ignored their cancellation, and are left running: 1"


START_OF_LOOP = """
import asyncio, signal, sys
from toolaccord import shutdown
from toolaccord.server import startup

new_event_loop, make_self_pipe = asyncio.new_event_loop, asyncio.SelectorEventLoop._make_self_pipe

def stop_at(moment):
    if moment == sys.argv[1]:
        signal.raise_signal(signal.SIGTERM)

def make_pipe(loop):
    stop_at("half made")
    make_self_pipe(loop)

def make_loop():
    stop_at("not made")
    loop = new_event_loop()
    stop_at("made")
    return loop

async def work():
    stop_at("running")
    print("not stopped")

asyncio.SelectorEventLoop._make_self_pipe, asyncio.new_event_loop = make_pipe, make_loop
shutdown.exit_on_signals()
raise SystemExit(startup.run_loop(work(), "server"))
"""


@pytest.mark.parametrize("moment", ["not made", "half made", "made", "running"])
def test_a_signal_at_any_moment_of_the_start_of_the_event_loop_ends_the_process_silently(moment: str) -> None:
    command = [sys.executable, "-c", START_OF_LOOP, moment]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "Traceback" not in ended.stderr
    assert "never awaited" not in ended.stderr
