"""Fixtures of the tests of asks."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.toolaccord.listener import Listener, listening

KEY = "k" * 40


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk() -> AsyncIterator[Listener]:
    """A server that asks, with two tokens and a key that it could share with replicas."""
    environ = {"MCP_AUTH_TOKEN": "first,second", "MCP_STATE_KEY": KEY}
    async with listening(module="tests.toolaccord.demo.desk", environ=environ) as running:
        yield running
