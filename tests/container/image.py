"""Build, run and call the image of a server without a container engine: `./run image`."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import orjson
from httpx2 import AsyncClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.pace import log_progress
from tests.container.buildah import (
    CACHE,
    ImageError,
    build,
    container_of,
    locate,
    make_base,
    measure_mb,
    run_buildah,
)
from tests.contracts.shipped import generated_paths
from tests.services.served import free_port

PROGRAMS = ("buildah", "mmdebstrap")
"""Programs that the session needs, which are packages of Debian with the same names."""
USER = 10001
BOUNDS_MB = {"features-mcp": 220}
"""The largest sizes of /opt, which holds all that an image adds to its base.

numpy and TA-Lib are large.
"""
BOUND_MB = 110
"""The bound of any other server."""
TOKEN = "a-token-of-this-session-alone"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
VALUES = {
    "DATABASE_URL": "postgresql://nobody:nothing@127.0.0.1:1/none",
    "INFLUXDB_URL": "http://127.0.0.1:1",
    "NATS_URL": "nats://127.0.0.1:1",
    "REDIS_URL": "redis://127.0.0.1:1",
    "_ID": "main",
    "_KEY": TOKEN,
    "_TARGET": "127.0.0.1:1",
    "_TOKEN": TOKEN,
}
"""Values of required settings, by the ends of their names; nobody listens at the addresses."""


@dataclass(frozen=True)
class Answers:
    """Answers of a running image."""

    tools: tuple[str, ...]
    rejection: str
    """The text of the result of a call with an argument that does not exist."""
    ready: str
    """The body of /ready, which names the sources."""


def main() -> int:
    """Build, run and call the image of a server; return 1 if it is not as promised."""
    arguments = _parse()
    try:
        require_programs()
        check_image(arguments.server)
    except ImageError as error:
        sys.stderr.write(f"image: {error}\n")
        return 1
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run image", description=__doc__)
    parser.add_argument("server", nargs="?", default="strategy-mcp", choices=sorted(read_settings()))
    return parser.parse_args()


def require_programs(path: str | None = None) -> None:
    """Raise ImageError with the programs that are not on *path*, by default the process's."""
    missing = [program for program in PROGRAMS if shutil.which(program, path=path) is None]
    if missing:
        raise ImageError(f"{' and '.join(missing)} not found; on Debian and Ubuntu: apt install {' '.join(missing)}")


def read_settings() -> dict[str, dict[str, str]]:
    """Return a value for each setting that a server requires over HTTP, by server."""
    entries = [orjson.loads(path.read_bytes()) for path in generated_paths("server.json")]
    return {
        entry["name"].partition("/")[2]: {
            each["name"]: choose_value(each["name"])
            for each in entry["packages"][-1]["environmentVariables"]
            if each["isRequired"]
        }
        for entry in entries
    }


def choose_value(name: str) -> str:
    """Return a value for the required setting *name*."""
    return next(value for end, value in VALUES.items() if name.endswith(end))


def check_image(server: str) -> None:
    """Build the image of *server*, measure it, and call it. Raises ImageError."""
    start = time.perf_counter()
    make_base()
    log_progress(f"base ready, {time.perf_counter() - start:.0f} s")
    start = time.perf_counter()
    image = f"localhost/{server}"
    build(image, server)
    log_progress(f"{image} built, {time.perf_counter() - start:.0f} s")
    with container_of(image) as name:
        size = measure_mb(Path(run_buildah("mount", name)) / "opt")
        bound = BOUNDS_MB.get(server, BOUND_MB)
        log_progress(f"/opt has {size:.1f} MB of at most {bound}")
        with serving(name, read_settings()[server]) as port:
            answers = asyncio.run(call(port))
            check_user(port)
            run_buildah(
                "run", "--isolation", "chroot", name, "--", "python", "-m", "toolaccord.server.healthcheck", str(port)
            )
        check_migration(name, server)
    log_progress(f"tools/list: {', '.join(answers.tools)}")
    log_progress(f"rejected: {answers.rejection}")
    log_progress(f"/ready: {answers.ready}")
    if size > bound:
        raise ImageError(f"/opt has {size:.1f} MB, and at most {bound} are promised")


@contextmanager
def serving(container: str, settings: Mapping[str, str]) -> Iterator[int]:
    """Run a container's entry point as its user, and provide its port on loopback.

    Raises ImageError.
    """
    port = free_port()
    config = orjson.loads(run_buildah("inspect", container))["Docker"]["config"]
    variables = [f"--env={name}={value}" for name, value in settings.items()]
    command = [*config["Entrypoint"], "--transport", "http", "--host", "127.0.0.1", "--port", str(port)]
    started = [
        *locate(),
        "run",
        "--isolation",
        "chroot",
        "--user",
        config["User"],
        *variables,
        container,
        "--",
        *command,
    ]
    log = CACHE / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(started, stdout=output, stderr=output, start_new_session=True)
    try:
        wait_until_healthy(process, port, log)
        yield port
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=60)


def wait_until_healthy(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until /health answers 200.

    Raises ImageError if the process ends, or after a minute.
    """
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            if fetch(port, "/health")[0] == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise ImageError(f"the server does not answer:\n{log.read_text(encoding='utf-8')}")


def fetch(port: int, path: str) -> tuple[int, str]:
    """Return the status and the body of a GET request."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path, headers=HEADERS)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


async def call(port: int) -> Answers:
    """List the tools with MCP's SDK, and call the first with an unknown argument.

    Raises ImageError if the call succeeds.
    """
    url = f"http://127.0.0.1:{port}/mcp"
    async with AsyncClient(headers=HEADERS) as http, Client(streamable_http_client(url, http_client=http)) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        rejected = await client.call_tool(tools[0], {"an_unknown_argument": 1})
    text = "".join(getattr(part, "text", "") for part in rejected.content)
    if not rejected.is_error or "an_unknown_argument" not in text:
        raise ImageError(f"{tools[0]} accepts an unknown argument: {text}")
    return Answers(tools=tuple(tools), rejection=text, ready=(await asyncio.to_thread(fetch, port, "/ready"))[1])


def check_migration(container: str, server: str) -> None:
    """Raise ImageError unless `toolaccord migrate` reaches the address of the database.

    Only servers with PostgreSQL are checked.
    """
    for role in generated_paths(f"*/{server.removesuffix('-mcp').replace('-', '_')}/*_role.sql"):
        system = role.parts[-3]
        variables = [f"--env={name}={value}" for name, value in read_settings()[server].items()]
        command = ("run", "--isolation", "chroot", *variables, container, "--", "toolaccord", "migrate", system)
        ended = subprocess.run([*locate(), *command], capture_output=True, encoding="utf-8", check=False)
        if "does not answer" not in ended.stderr:
            raise ImageError(f"toolaccord migrate {system}: {ended.stdout}{ended.stderr}")


def check_user(port: int) -> None:
    """Raise ImageError unless the socket that listens on *port* belongs to the image's user."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    owners = {int(row[7]) for row in rows if row[1] == f"0100007F:{port:04X}" and row[3] == "0A"}
    if owners != {USER}:
        raise ImageError(f"the server runs as {owners}, not as {USER}")


if __name__ == "__main__":
    raise SystemExit(main())
