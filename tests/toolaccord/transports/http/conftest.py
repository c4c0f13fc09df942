"""Fixtures of the tests of HTTP."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.toolaccord.listener import Listener
from tests.toolaccord.transports.http.secured_server import secured_server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[Listener]:
    """A server with tokens, for all tests of a module."""
    async with secured_server() as running:
        yield running
