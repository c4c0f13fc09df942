"""Processes that share a queue, with real NATS, Redis and a server of tools over HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from nats.js import JetStreamContext
from nats.js.api import StreamConfig
from nats.js.errors import NotFoundError

from tests.services import nats as service
from tests.services.nats import NatsServer, jetstream
from tests.services.valkey import Valkey
from tests.toolaccord.agent.test_main import listening_to
from tests.toolaccord.demo.scout import AT_GATE
from tests.toolaccord.listener import listening
from tests.toolaccord.process import PATIENCE_S, ROOT, Gate, Process, started

STREAM = "toolaccord-tasks-scout-agent"
"""The stream of the tasks of all queues of the agent."""
SCOUT = "tests.toolaccord.demo.scout"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    with Valkey(tmp_path).running() as running:
        yield running


@pytest.fixture
def nats(tmp_path: Path) -> Iterator[NatsServer]:
    with service.running(tmp_path) as server:
        yield server


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    gate = Gate(tmp_path)
    yield gate
    gate.close()


@pytest.fixture
async def environ(valkey: Valkey, nats: NatsServer, gate: Gate) -> AsyncIterator[dict[str, str]]:
    """The environment of workers, whose server of tools listens."""
    async with listening(environ=gate.environ) as library:
        yield {
            "REDIS_URL": valkey.url,
            "NATS_URL": nats.url,
            "LIBRARY_URL": f"http://127.0.0.1:{library.port}/mcp",
            "SCOUT_TIMEOUT_MS": "1500",
        }


def scouting(*arguments: str, environ: Mapping[str, str]) -> Any:
    return started(*arguments, module=SCOUT, environ=environ)


def run_scout(*arguments: str, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Return the ended agent, whose environment has nothing else for it."""
    return subprocess.run(
        [sys.executable, "-m", SCOUT, *arguments],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


async def taken(streams: JetStreamContext, count: int) -> None:
    """Wait until workers have *count* tasks."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(NotFoundError):  # the worker creates them
                if (await streams.consumer_info(STREAM, "BOOKS")).num_ack_pending == count:
                    return


async def stop(worker: Process) -> None:
    worker.signal(signal.SIGTERM)
    assert await worker.exit_code() == 0


async def test_the_messages_of_a_killed_worker_are_worked_on_by_others_and_published_once(
    environ: dict[str, str], valkey: Valkey, nats: NatsServer, gate: Gate
) -> None:
    books = [AT_GATE, *(str(number) for number in range(100, 120))]
    with listening_to(valkey, "findings") as received:
        async with jetstream(nats.url) as streams:
            async with scouting("--queue", "--enqueue", AT_GATE, environ=environ) as first:
                await first.log_has('"enqueued":1')
                await taken(streams, 1)
                first.signal(signal.SIGKILL)
                await first.exit_code()
            gate.open()
            async with scouting("--queue", "--enqueue", *books[1:], environ=environ) as second:
                found = [finding["book"] for _, finding in islice(received, len(books))]
                async with asyncio.timeout(PATIENCE_S):
                    while (await streams.consumer_info(STREAM, "BOOKS")).num_ack_pending:
                        pass
                await stop(second)
    assert sorted(found) == sorted(books)


async def test_a_worker_and_a_scheduler_wait_for_nats_and_go_on_after_it_was_away(
    environ: dict[str, str], valkey: Valkey, nats: NatsServer
) -> None:
    nats.kill()
    with listening_to(valkey, "findings") as received:
        async with scouting("--queue", "--enqueue", "--every", "1", "7", environ=environ) as agent:
            await agent.log_has("the queue does not answer")
            nats.start()
            next(received)
            await agent.log_has("source queue is available again")
            nats.kill()
            await agent.log_has("source queue is unavailable")
            del agent.logged[:]
            await agent.log_has("the queue does not answer")
            nats.start()
            await agent.log_has("source queue is available again")
            next(received)
            await stop(agent)


async def test_a_stopped_worker_gives_back_what_it_has_not_finished(
    environ: dict[str, str], nats: NatsServer, gate: Gate
) -> None:
    environ |= {"SCOUT_TIMEOUT_MS": "30000", "MCP_GRACE_S": "0.2"}
    async with jetstream(nats.url) as streams:
        async with scouting("--queue", "--enqueue", AT_GATE, environ=environ) as first:
            await taken(streams, 1)
            await stop(first)
        gate.open()
        async with scouting("--queue", environ=environ) as second:
            assert (await second.receive())["partial"] == []
            await stop(second)


def test_only_what_a_mode_needs_is_required(nats: NatsServer, valkey: Valkey) -> None:
    missing = run_scout("--queue", environ={"REDIS_URL": valkey.url})
    assert missing.returncode == 2
    assert "NATS_URL is required" in missing.stderr
    assert run_scout("--enqueue", "7", environ={"NATS_URL": nats.url}).returncode == 0
    listed = run_scout("--enqueue", "--all", environ={"NATS_URL": nats.url, "SCOUT_BOOKS": "8, 9"})
    assert '"enqueued":2' in listed.stderr


def test_a_value_that_is_no_utf_8_is_enqueued_for_a_worker_to_reject(nats: NatsServer) -> None:
    ended = run_scout("--enqueue", "7", "\udcff", environ={"NATS_URL": nats.url})
    assert (ended.returncode, '"enqueued":2' in ended.stderr) == (0, True), ended.stderr


async def test_an_agent_does_not_start_with_a_queue_that_does_not_fit(
    environ: dict[str, str], nats: NatsServer
) -> None:
    async with jetstream(nats.url) as streams:
        await streams.add_stream(StreamConfig(name=STREAM, subjects=["books.wanted"]))
    ended = run_scout("--queue", "--enqueue", "7", environ=environ)
    assert ended.returncode == 1
    assert (
        "the queue does not fit: the stream toolaccord-tasks-scout-agent has the retention limits, and needs workqueue"
        in ended.stderr
    )
