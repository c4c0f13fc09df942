"""Prove that concurrent writers of two server processes never tear shared state."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.services.served import serving
from tests.services.valkey import Valkey

PATIENCE = {"STATE_CONNECTION_TIMEOUT_S": "60", "STATE_TIMEOUT_S": "60"}
"""Limits of the source on a busy machine; the deadlines of the tools stay."""
ABANDONED = {503, 504}
"""Statuses of calls that were late on a busy machine; such a write may have taken effect."""
CALLERS = 8


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as redis:
        yield redis


class Replicas:
    """Two servers on one Redis."""

    def __init__(self, session: aiohttp.ClientSession, urls: list[str]) -> None:
        self._session = session
        self._urls = urls

    async def call(self, replica: int, tool: str, **arguments: Any) -> dict[str, Any] | None:
        """Return the result of a call; None if it was abandoned."""
        url = f"{self._urls[replica]}/mcp/tools/storage.shared_state.{tool}"
        async with self._session.post(url, json={"corr_id": "task", **arguments}) as response:
            if response.status in ABANDONED:
                return None
            assert response.status == 200, await response.text()
            body: dict[str, Any] = await response.json()
            return body


@pytest.fixture
async def replicas(redis: Valkey, tmp_path: Path) -> AsyncIterator[Replicas]:
    env = {"REDIS_URL": redis.url, **PATIENCE}
    async with AsyncExitStack() as stack:
        both = [
            await stack.enter_async_context(serving("generated.platform.storage", tmp_path, env=env)) for _ in range(2)
        ]
        session = await stack.enter_async_context(aiohttp.ClientSession())
        for each in both:
            async with session.get(f"{each.url}/ready") as ready:
                assert ready.status == 200
        yield Replicas(session, [each.url for each in both])


class History:
    """Writes and reads of one key, which it checks against each other."""

    def __init__(self) -> None:
        self.expires_at: dict[int, datetime] = {}
        """Answered expiry of each written value, by its ttl, which is unique."""
        self.reads: list[dict[str, Any]] = []
        self.abandoned: Counter[str] = Counter()

    def assert_nothing_is_torn(self) -> None:
        """Check that metadata belong to the value beside them, and that no read was lost."""
        created = {read["metadata"]["created_at"] for read in self.reads}
        assert len(created) <= 1
        for read in self.reads:
            value, metadata = read["value"], read["metadata"]
            assert value == padded(value["ttl_seconds"])
            assert value["ttl_seconds"] - 60 < metadata["ttl_seconds"] <= value["ttl_seconds"]
            updated_at = datetime.fromisoformat(metadata["updated_at"])
            assert datetime.fromisoformat(metadata["created_at"]) <= updated_at
            if value["ttl_seconds"] in self.expires_at:
                expires_at = self.expires_at[value["ttl_seconds"]]
                assert updated_at + timedelta(seconds=value["ttl_seconds"]) == expires_at
        counts = sorted(read["metadata"]["access_count"] for read in self.reads)
        assert len(set(counts)) == len(counts)  # no two reads are counted as one
        assert not counts or counts[-1] <= len(counts) + self.abandoned["get"]


def padded(ttl_seconds: int) -> dict[str, Any]:
    """Return a value that its ttl determines, of up to 20 kB."""
    return {"ttl_seconds": ttl_seconds, "padding": str(ttl_seconds) * (ttl_seconds % 4000)}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    writes=st.lists(st.integers(2, 850), min_size=4, max_size=40, unique=True),
    reads=st.integers(10, 60),
    order=st.randoms(),
)
async def test_a_reader_never_sees_the_value_of_one_writer_with_the_metadata_of_another(
    redis: Valkey, replicas: Replicas, writes: list[int], reads: int, order: random.Random
) -> None:
    redis.command("FLUSHALL")
    history = History()
    work = [100 * each for each in writes] + [None] * reads  # ttls that differ by more than the test takes
    order.shuffle(work)
    queue = iter(work)

    async def caller(replica: int) -> None:
        for ttl_seconds in queue:
            await (read(replica) if ttl_seconds is None else write(replica, ttl_seconds))

    async def write(replica: int, ttl_seconds: int) -> None:
        value = padded(ttl_seconds)
        stored = await replicas.call(replica, "set", key="key", value=value, ttl_seconds=ttl_seconds)
        history.abandoned["set"] += stored is None
        if stored is not None:
            history.expires_at[ttl_seconds] = datetime.fromisoformat(stored["expires_at"])

    async def read(replica: int) -> None:
        found = await replicas.call(replica, "get", key="key")
        history.abandoned["get"] += found is None
        if found is not None and found["exists"]:
            history.reads.append(found)

    await asyncio.gather(*(caller(number % 2) for number in range(CALLERS)))
    history.assert_nothing_is_torn()
