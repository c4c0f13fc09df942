"""A real PgBouncer on loopback, in front of a PostgreSQL."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from tests.services.served import free_port
from tests.services.service_process import PATIENCE_S
from toolaccord.testing.postgresql.account import choose

CONFIGURATION = """
[databases]
* = host={host} port={port} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
unix_socket_dir =
"""


@contextmanager
def pooling(program: Path, folder: Path, url: str, connections: int) -> Iterator[str]:
    """Give the URL of a pooler, which has some *connections* to the database at *url*."""
    parts, listen = urlsplit(url), free_port()
    query = dict(parse_qsl(parts.query))
    written = folder / "pgbouncer.ini"
    place = {
        "host": parts.hostname or query["host"],
        "port": parts.port or query["port"],
        "user": parts.username,
        "password": parts.password or "none",
    }
    written.write_text(CONFIGURATION.format(listen=listen, connections=connections, **place))
    log = folder / "pgbouncer.log"
    with log.open("wb") as stream:
        process = subprocess.Popen([*choose().prefix, program, written], stdout=stream, stderr=stream)
    try:
        end = time.monotonic() + PATIENCE_S
        while b"process up" not in log.read_bytes():
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PgBouncer did not start:\n{log.read_text()}")
            time.sleep(0.005)
        yield f"postgresql://{parts.username}@127.0.0.1:{listen}{parts.path}?pool_mode=transaction"
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
