"""Any sequence of operations of several processes, beside a model of a store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.toolaccord.tasks.stores import QUEUE, Kind, after
from toolaccord.tasks.store import Delivery, QueueFull, TaskStore
from toolaccord.tasks.task import TaskKey

T = TypeVar("T")

SMALL = replace(QUEUE, max_waiting=4)
KEYS = tuple(TaskKey(owner, f"{owner}-{number}") for owner in ("ann", "bob") for number in range(4))
PROCESSES = 3
VALUES = st.binary(max_size=8)


@dataclass
class Modelled:
    """A task, as it must be in the store."""

    value: bytes
    revision: int = 0
    """Revision that the store has told last."""
    is_ready: bool = True
    is_delayed: bool = False
    delivery: Delivery | None = None
    """The lease of the worker that has it."""
    lost: list[Delivery] = field(default_factory=list)
    """Leases of the past."""

    def leave(self) -> None:
        """Have no place in the queue any more."""
        self.is_ready = self.is_delayed = False
        if self.delivery:
            self.lost.append(self.delivery)
            self.delivery = None


class Processes(RuleBasedStateMachine):
    """Several processes that use one store in turn."""

    counts_returned = True
    """False for a store that may omit tasks that were given back."""

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.stores = [self.run(self.open(kind)) for _ in range(PROCESSES)]
        self.tasks: dict[TaskKey, Modelled] = {}

    async def open(self, kind: Kind) -> TaskStore:
        store = await self.stack.enter_async_context(kind())
        await store.open([SMALL])
        self.stack.push_async_callback(store.close)
        return store

    def run(self, coroutine: Awaitable[T]) -> T:
        async def wait() -> T:
            return await coroutine

        return self.runner.run(wait())

    def teardown(self) -> None:
        self.run(self.stack.aclose())
        self.runner.close()

    def count(self, **places: bool) -> int:
        return sum(all(getattr(task, name) == value for name, value in places.items()) for task in self.tasks.values())

    def key_of(self, data: st.DataObject, **places: bool) -> TaskKey:
        keys = [key for key, task in self.tasks.items() if all(getattr(task, name) for name in places)]
        return data.draw(st.sampled_from(keys))

    @rule(process=st.integers(0, PROCESSES - 1), key=st.sampled_from(KEYS), value=VALUES)
    def create(self, process: int, key: TaskKey, value: bytes) -> None:
        try:
            is_created = self.run(self.stores[process].create(key, value, SMALL, after(600)))
        except QueueFull:
            assert self.count(is_ready=True) + self.count(is_delayed=True) >= SMALL.max_waiting
            assert key not in self.tasks
            return
        assert is_created == (key not in self.tasks)
        if is_created:
            assert self.count(is_ready=True) < SMALL.max_waiting or not self.counts_returned
            self.tasks[key] = Modelled(value)

    @precondition(lambda self: self.tasks)
    @rule(
        process=st.integers(0, PROCESSES - 1), data=st.data(), value=VALUES, is_late=st.booleans(), again=st.booleans()
    )
    def write(self, process: int, data: st.DataObject, value: bytes, *, is_late: bool, again: bool) -> None:
        key = self.key_of(data)
        task = self.tasks[key]
        store = self.stores[process]
        found = self.run(store.read(key))
        assert found is not None
        revision = found.revision
        if is_late:
            task.value = b"first"
            newer = self.run(self.stores[0].write(key, task.value, revision, after(600)))
            assert newer is not None
            assert newer > revision
        enqueue = SMALL if again and not task.is_ready and not task.is_delayed else None
        written = self.run(store.write(key, value, revision, after(600), enqueue=enqueue))
        assert (written is None) == is_late
        if written is None:
            return
        assert written > revision
        task.value = value
        if enqueue:
            task.leave()
            task.is_ready = True

    @precondition(lambda self: self.count(is_ready=True))
    @rule(process=st.integers(0, PROCESSES - 1), limit=st.integers(1, 3))
    def take(self, process: int, limit: int) -> None:
        deliveries: list[Delivery] = []
        while not deliveries:
            deliveries += self.run(self.stores[process].take(SMALL, limit))
        assert len(deliveries) <= limit
        for delivery in deliveries:
            task = self.tasks[delivery.key]
            assert task.is_ready, "it was taken by nobody else"
            task.is_ready, task.delivery = False, delivery

    @precondition(lambda self: any(task.delivery for task in self.tasks.values()))
    @rule(
        process=st.integers(0, PROCESSES - 1),
        data=st.data(),
        end=st.sampled_from(["extend", "release", "give back", "delay"]),
    )
    def use_lease(self, process: int, data: st.DataObject, end: str) -> None:
        task = self.tasks[self.key_of(data, delivery=True)]
        store, delivery = self.stores[process], task.delivery
        assert delivery is not None
        if end == "extend":
            assert self.run(store.extend(delivery))
            return
        task.leave()
        if end == "release":
            self.run(store.release(delivery))
        else:
            task.is_ready, task.is_delayed = end == "give back", end == "delay"
            self.run(store.give_back(delivery, 600 if task.is_delayed else 0))

    @precondition(lambda self: any(task.lost for task in self.tasks.values()))
    @rule(process=st.integers(0, PROCESSES - 1), data=st.data(), gives_back=st.booleans())
    def use_lost_lease(self, process: int, data: st.DataObject, *, gives_back: bool) -> None:
        lost = data.draw(st.sampled_from(self.tasks[self.key_of(data, lost=True)].lost))
        store = self.stores[process]
        self.run(store.give_back(lost) if gives_back else store.release(lost))

    @invariant()
    def the_store_has_what_the_model_has(self) -> None:
        store = self.stores[len(self.tasks) % PROCESSES]
        waiting = self.run(store.count_waiting(SMALL))
        waiting_or_returned = self.count(is_ready=True) + self.count(is_delayed=True)
        assert waiting == waiting_or_returned or (waiting < waiting_or_returned and not self.counts_returned)
        for owner in ("ann", "bob"):
            listed = self.run(store.list(owner, 10))
            assert [key for key, _ in listed] == [key for key in reversed(self.tasks) if key.owner == owner]
            for key, stored in listed:
                task = self.tasks[key]
                assert stored.value == task.value
                assert stored.revision >= task.revision
                task.revision = stored.revision
            if listed:
                assert self.run(store.read(listed[0][0])) == listed[0][1]


@pytest.mark.parametrize("new_kind", ["memory", "redis", "redis that repeats", "nats"], indirect=True)
def test_a_store_answers_as_its_model(new_kind: Callable[[], Kind], request: pytest.FixtureRequest) -> None:
    class Started(Processes):
        counts_returned = "nats" not in request.node.name

        def __init__(self) -> None:
            super().__init__(new_kind())

    run_state_machine_as_test(Started, settings=settings(max_examples=10, stateful_step_count=25, deadline=None))
