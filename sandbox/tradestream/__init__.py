"""A TradeStream database for a laptop: migrated, and with sample data that stay fresh while it is open."""

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
    """The URL of the sandbox's TradeStream database, which every process of this user shares. Raises SandboxError."""
    # asyncpg is slow to import; only who serves needs it.
    from sandbox.tradestream.database import prepare  # noqa: PLC0415
    from sandbox.tradestream.refresh import refreshed  # noqa: PLC0415

    with postgresql.running() as cluster:
        with progress.step("Preparing the sandbox's TradeStream data"), ThreadPoolExecutor(1) as apart:
            # In a thread of its own, since the caller may be inside an event loop.
            apart.submit(lambda: asyncio.run(prepare(cluster, DATABASE, SEED, datetime.now(UTC)))).result()
        with refreshed(cluster.url(DATABASE), SEED):
            yield cluster.url(DATABASE)
