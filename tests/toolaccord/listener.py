"""The library as a process that listens for HTTP."""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from tests.toolaccord.process import PATIENCE_S, Process, started

_ADDRESS = re.compile(rb": listening on (https?://\S+)[ \n]")


@dataclass(frozen=True)
class Listener:
    """A server that listens."""

    process: Process
    client: httpx.AsyncClient
    """Speaks to it."""

    @property
    def port(self) -> int:
        port = self.client.base_url.port
        assert port
        return port


@asynccontextmanager
async def listening(
    *arguments: str,
    module: str = "tests.toolaccord.demo.library",
    environ: Mapping[str, str] | None = None,
    trust: ssl.SSLContext | None = None,
) -> AsyncIterator[Listener]:
    """Give a server that listens on a free port, with a client that sends its token if any."""
    given = dict(environ or {})
    headers = {"Authorization": f"Bearer {given['MCP_AUTH_TOKEN']}"} if "MCP_AUTH_TOKEN" in given else {}
    async with started("--transport", "http", "--port", "0", *arguments, module=module, environ=given) as process:
        await process.log_has(": listening on http")
        await process.log_has("\n")
        found = _ADDRESS.search(process.logged)
        assert found
        async with httpx.AsyncClient(
            base_url=found[1].decode(), headers=headers, timeout=PATIENCE_S, trust_env=False, verify=trust or False
        ) as client:
            yield Listener(process, client)
