"""Health check of a container."""

import os
import subprocess
import sys
from collections.abc import Mapping

from tests.toolaccord.listener import listening


def check(port: int, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the health check of a port, in the environment of the server."""
    return subprocess.run(
        [sys.executable, "-m", "toolaccord.server.healthcheck", str(port)],
        env=os.environ | environ, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip


async def test_a_server_without_tokens_is_healthy() -> None:
    async with listening() as server:
        assert check(server.port, {}).returncode == 0


async def test_the_health_check_sends_the_first_of_several_tokens() -> None:
    async with listening(environ={"MCP_AUTH_TOKEN": "new,old", "MCP_OPEN_PATHS": "none"}) as server:
        assert check(server.port, {"MCP_AUTH_TOKEN": "new,old"}).returncode == 0
        done = check(server.port, {"MCP_AUTH_TOKEN": "other"})
        assert (done.returncode, done.stdout, done.stderr) == (1, "", "/health answers 401\n")


async def test_a_stopped_server_is_not_healthy() -> None:
    async with listening() as server:
        port = server.port
    done = check(port, {})
    assert done.returncode == 1
    assert done.stderr.startswith(f"no answer on port {port}: ")
