"""The sandbox's TradeStream database, with sample data that stay current."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

from sandbox import postgresql, progress

DATABASE = "tradestream"
SEED = 1


@contextmanager
def serve() -> Iterator[str]:
    """Yield the URL of the database that a user's processes share. Raises SandboxError."""
    # asyncpg is slow to import.
    from sandbox.tradestream.database import prepare  # noqa: PLC0415
    from sandbox.tradestream.refresh import keep_fresh_in_thread  # noqa: PLC0415

    with postgresql.running() as cluster:
        with progress.step("Preparing the sandbox's TradeStream data"), ThreadPoolExecutor(1) as thread:
            # In a thread of its own, since the caller may run inside an event loop.
            thread.submit(lambda: asyncio.run(prepare(cluster, DATABASE, SEED, datetime.now(UTC)))).result()
        with keep_fresh_in_thread(cluster.url(DATABASE), SEED):
            yield cluster.url(DATABASE)
