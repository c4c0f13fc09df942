"""Prove that each tool of the platform answers each fault of Redis and NATS in time."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Any

import pytest

from tests.contracts.reading import contracts, tool
from tests.servers.backends import ALERT, SET_STATE
from tests.servers.contracts import Observations
from tests.servers.platform import SERVERS, PlatformTool, Stores, open_stores, open_tool

DELAYS_S = {"redis": 0.5, "nats": 5.0}
"""Real seconds by which a slow store is late: more than any timeout on the servers' clock."""
TURNS = 50
"""Turns of the event loop in which a broken connection is noticed."""
FAULTS = ("stopped", "frozen", "slow", "restarted")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory, limits_url: str) -> Iterator[Stores]:
    with open_stores(tmp_path_factory.mktemp("stores"), limits_url) as each:
        yield each


@asynccontextmanager
async def break_store(fault: str, kind: str, stores: Stores, opened: PlatformTool) -> AsyncIterator[None]:
    """Let the store of *kind* fail meanwhile."""
    server: Any = stores.valkey if kind == "redis" else stores.nats
    proxy = opened.proxies[kind]
    breaks: dict[str, AbstractContextManager[None]] = {
        "stopped": stop(server),
        "frozen": server.frozen(),
        "restarted": nullcontext(),
        "slow": nullcontext(),
    }
    if fault == "restarted":
        server.stop()
        server.start()
        proxy.cut()
        for _ in range(TURNS):  # the server under test sees its connections end before the next call
            await asyncio.sleep(0)
    proxy.delay_s = DELAYS_S[kind] if fault == "slow" else 0.0
    with breaks[fault]:
        yield
    if fault == "slow":
        proxy.delay_s = 0.0
        proxy.cut()


@contextmanager
def stop(server: Any) -> Iterator[None]:
    """Stop a server meanwhile."""
    server.stop()
    try:
        yield
    finally:
        server.start()


def needed_kinds(name: str) -> set[str]:
    """Return the kinds of sources without which a tool has no result."""
    contract, declared = contracts()[SERVERS[name]], tool(SERVERS[name], name)
    effects = declared["effects"]
    sources = {name for key in ("reads", "adds", "writes") for name in effects.get(key, ())}
    sources |= {contract["events"][event]["source"] for event in effects.get("publishes", ())}
    if "derived" in declared.get("idempotency", {}).get("key_from", ()):
        sources.add(declared["idempotency"]["store"])
    return {contract["sources"][source]["kind"] for source in sources}


def pair_with_stores() -> list[tuple[str, str]]:
    """Return each tool with the kinds of stores that its server has."""
    return [
        (name, kind)
        for name, server in SERVERS.items()
        for kind in DELAYS_S
        if any(source["kind"] == kind for source in contracts()[server]["sources"].values())
    ]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name, kind", pair_with_stores())
async def test_a_fault_of_a_store_has_the_promised_answer_within_the_deadline_and_the_next_call_works(
    name: str, fault: str, kind: str, stores: Stores, observations: Observations
) -> None:
    async with open_tool(name, stores, observations) as opened:
        assert (await opened.call()).code is None
        async with break_store(fault, kind, stores, opened):
            answer = await opened.call()
        is_failure = kind in needed_kinds(name) and fault != "restarted"
        assert answer.code == ("MCP-003" if is_failure else None)
        assert not is_failure or answer.details == {"service": kind}
        assert (await opened.call()).code is None


@pytest.mark.parametrize("name", [name for name, kind in pair_with_stores() if kind == "redis"])
async def test_a_full_redis_rejects_only_what_has_to_be_written_and_the_next_call_works(
    name: str, stores: Stores, observations: Observations
) -> None:
    async with open_tool(name, stores, observations) as opened:
        assert (await opened.call()).code is None
        with stores.valkey.full():
            answer = await opened.call()
        assert answer.code == {SET_STATE: "MCP-014", ALERT: "MCP-003"}.get(name)
        assert (await opened.call()).code is None
