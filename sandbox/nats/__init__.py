"""A NATS server with JetStream of this process alone.

It has ticks of a simulated market and a stream for alerts.

It listens on a free port of loopback, and asks for a token that only its own process knows.
"""

import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox import child
from sandbox.nats.binary import find
from toolaccord.testing import progress

CONFIGURATION = """
listen: "127.0.0.1:-1"
ports_file_dir: "{home}"
jetstream {{ store_dir: "{home}", max_memory_store: 64MB, max_file_store: 256MB }}
authorization {{ token: "{token}" }}
"""


@contextmanager
def serve() -> Iterator[str]:
    """Yield the URL of a NATS server that ends with this process. Raises SandboxError."""
    with TemporaryDirectory(prefix="toolaccord-", ignore_cleanup_errors=True) as folder:
        home, token = Path(folder), secrets.token_hex(16)
        configuration = home / "nats.conf"
        configuration.write_text(CONFIGURATION.format(home=home, token=token), encoding="utf-8")
        command = [os.fspath(find()), "--config", os.fspath(configuration)]
        with child.running("NATS", command, home, lambda: _find_address(home) is not None):
            from sandbox.nats import feed  # noqa: PLC0415 - nats-py is slow to import

            url = f"nats://{token}@{_find_address(home)}"
            with ExitStack() as feeding:
                with progress.step("Preparing the sandbox's market data"):
                    feeding.enter_context(feed.running(url, time.time))
                yield url


def _find_address(home: Path) -> str | None:
    """Return the `host:port` that the server has written to its file of ports; None before."""
    for file in home.glob("*.ports"):
        if text := file.read_text(encoding="utf-8"):
            return str(json.loads(text)["nats"][0]).removeprefix("nats://")
    return None
