"""Each store of tasks, as several processes open it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from functools import partial

import pytest

from tests.services import nats
from tests.services.nats import NatsServer, delete_streams, jetstream
from tests.services.valkey import Valkey
from tests.toolaccord.tasks.stores import QUEUE, Kind, OpenStore, RepeatingClient, in_memory, in_nats, in_redis
from toolaccord.tasks.store import TaskQueue, TaskStore


@pytest.fixture(scope="package")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture(scope="package")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    home = tmp_path_factory.mktemp("nats")
    configuration = home / "nats.conf"
    configuration.write_text("jetstream { max_file_store: 1TB }", encoding="utf-8")  # each bucket reserves 1 GiB
    with nats.running(home, "--config", str(configuration)) as server:
        yield server


@pytest.fixture
async def nats_url(nats_server: NatsServer) -> AsyncIterator[str]:
    """Address of a server without streams before and after."""
    yield nats_server.url
    async with jetstream(nats_server.url) as streams:
        await delete_streams(streams)


@pytest.fixture(params=["memory", "redis", "nats"])
def new_kind(request: pytest.FixtureRequest) -> Callable[[], Kind]:
    """Give a function whose results each have tasks of their own."""
    if request.param == "memory":
        return in_memory
    if request.param == "nats":
        return partial(in_nats, request.getfixturevalue("nats_url"))
    client = {"client": RepeatingClient} if request.param == "redis that repeats" else {}
    return partial(in_redis, request.getfixturevalue("valkey").url, **client)


@pytest.fixture
def kind(new_kind: Callable[[], Kind]) -> Kind:
    """Give a function that makes a store, each time as another process has it."""
    return new_kind()


@pytest.fixture
async def open_store(kind: Kind) -> AsyncIterator[OpenStore]:
    """Give a function that opens a store with its queues, which are QUEUE alone if it has none."""
    async with AsyncExitStack() as stack:

        async def opened(*queues: TaskQueue) -> TaskStore:
            store = await stack.enter_async_context(kind())
            await store.open(queues or (QUEUE,))
            stack.push_async_callback(store.close)
            return store

        yield opened


@pytest.fixture
async def store(open_store: OpenStore) -> TaskStore:
    """A store with QUEUE."""
    return await open_store()
