"""The health check of a container tells a server that answers from one that does not."""

import os
import subprocess
import sys
from collections.abc import Mapping

from tests.toolpact.listener import listening


def checked(port: int, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What comes of checking a port, in the environment of the server."""
    return subprocess.run(
        [sys.executable, "-m", "toolpact.server.healthcheck", str(port)],
        env=os.environ | environ, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip


async def test_a_server_that_needs_no_token_is_healthy() -> None:
    async with listening() as server:
        assert checked(server.port, {}).returncode == 0


async def test_of_several_tokens_the_first_is_shown() -> None:
    async with listening(environ={"MCP_AUTH_TOKEN": "new,old"}) as server:
        assert checked(server.port, {"MCP_AUTH_TOKEN": "new,old"}).returncode == 0
        done = checked(server.port, {"MCP_AUTH_TOKEN": "other"})
        assert (done.returncode, done.stdout, done.stderr) == (1, "", "/health answers 401\n")


async def test_a_server_that_is_gone_is_not_healthy() -> None:
    async with listening() as server:
        port = server.port
    done = checked(port, {})
    assert done.returncode == 1
    assert done.stderr.startswith(f"no answer on port {port}: ")
