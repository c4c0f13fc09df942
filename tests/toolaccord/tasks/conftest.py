"""Each store of tasks, as several processes open it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest

from tests.toolaccord.tasks.stores import QUEUE, OpenStore, in_memory
from toolaccord.tasks.store import TaskQueue, TaskStore


@pytest.fixture(params=["memory"])
def kind(request: pytest.FixtureRequest) -> Callable[[], AbstractAsyncContextManager[TaskStore]]:
    """Give a function that makes a store, each time as another process has it."""
    if request.param == "memory":
        return in_memory()
    raise AssertionError(request.param)


@pytest.fixture
async def open_store(kind: Callable[[], AbstractAsyncContextManager[TaskStore]]) -> AsyncIterator[OpenStore]:
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
