"""An attack on acknowledged writes: kills of the server and of its database."""

from __future__ import annotations

import asyncio
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import httpx2

from sandbox.tradestream.database import SCHEMA
from tests.attack.lab import TOKEN, Lab
from tests.attack.records import Attack, Tally
from tests.servers.backends import SAVE, connect_database
from tests.services.postgresql import PostgresqlServer
from tests.services.served import free_port

_KILLS, _WRITERS = 30, 8
_RETRY_S, _PATIENCE_S = 0.02, 30.0


@dataclass(slots=True)
class _Writers:
    """Clients that save decisions, each under its key until the server acknowledges it."""

    port: int
    acknowledged: dict[str, str] = field(default_factory=dict)
    """The identifier that the server answered, by key."""
    ended: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Write meanwhile; each writer ends with an acknowledged write."""
        threads = [threading.Thread(target=self._write) for _ in range(_WRITERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.ended.set()
            for thread in threads:
                thread.join()

    def _write(self) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx2.Client(
            base_url=f"http://127.0.0.1:{self.port}", headers=headers, timeout=10, trust_env=False
        ) as client:
            while not self.ended.is_set():
                self._save(client, str(uuid.uuid4()))

    def _save(self, client: httpx2.Client, key: str) -> None:
        """Send one decision until it is acknowledged, or for half a minute."""
        decision = {"symbol": "ETH/USD", "action": "HOLD", "confidence": 0.5, "reasoning": key}
        end = time.monotonic() + _PATIENCE_S
        while key not in self.acknowledged and time.monotonic() < end:
            try:
                response = client.post(f"/mcp/tools/{SAVE}", json=decision, headers={"Idempotency-Key": key})
                if response.status_code == 200:
                    self.acknowledged[key] = response.json()["data"]["decision_id"]
                    return
            except httpx2.HTTPError:
                pass  # killed; the write may have happened
            time.sleep(_RETRY_S)


def _attack(lab: Lab, tally: Tally) -> None:
    home, chance = lab.new_folder() / "postgresql", random.Random(1)
    writers = _Writers(free_port())
    with PostgresqlServer(home).running() as database:
        url = database.cluster.url()
        asyncio.run(SCHEMA.migrate(url))
        settings = {"DATABASE_URL": url}
        with ExitStack() as servers, writers.running():
            process = servers.enter_context(
                lab.start_server("tradestream.decisions", settings, port=writers.port)
            ).process
            for number in range(lab.count(_KILLS)):
                time.sleep(chance.uniform(0.2, 0.8))
                if number % 2:
                    process.kill()
                    process.wait()
                    started = lab.start_server("tradestream.decisions", settings, port=writers.port)
                    process = servers.enter_context(started).process
                else:
                    database.kill()
                    database.start()
            time.sleep(chance.uniform(0.2, 0.8))
            writers.ended.set()
        stored = asyncio.run(_read_decisions(url))
    _check_writes(tally, writers.acknowledged, stored)


async def _read_decisions(url: str) -> list[tuple[str, str]]:
    """Return key and identifier of every decision."""
    async with connect_database(url) as connection:
        rows = await connection.fetch("SELECT reasoning, decision_id::text FROM agent_decisions")
        return [(row["reasoning"], row["decision_id"]) for row in rows]


def _check_writes(tally: Tally, acknowledged: Mapping[str, str], stored: list[tuple[str, str]]) -> None:
    counts, found = Counter(key for key, _ in stored), set(stored)
    for key, identifier in acknowledged.items():
        tally.check((key, identifier) in found and counts[key] == 1, f"{key}: stored {counts[key]} times, {identifier}")
    for key in counts.keys() - acknowledged.keys():
        tally.check(counts[key] == 1, f"{key}, never acknowledged: stored {counts[key]} times")
    tally.check(acknowledged, "nothing was acknowledged")


ATTACKS = (
    Attack(
        "kills of server and database",
        "Each write with a key that was acknowledged during 30 kills, on a PostgreSQL with `synchronous_commit = off`, is"
        " stored once.",
        _attack,
    ),
)
