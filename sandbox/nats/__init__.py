"""A NATS server with ticks of a simulated market and a stream for alerts."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from toolaccord.testing import nats, progress


@contextmanager
def serve() -> Iterator[str]:
    """Yield the URL of a NATS server that ends with this process. Raises ProgramError."""
    with nats.serve() as url:
        from sandbox.nats import feed  # noqa: PLC0415 - nats-py is slow to import

        with ExitStack() as feeding:
            with progress.step("Preparing the sandbox's market data"):
                feeding.enter_context(feed.running(url, time.time))
            yield url
