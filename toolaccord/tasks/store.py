"""Stores of tasks: what workers and callers on several machines share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeAlias

from toolaccord.tasks.task import TaskKey


class QueueFull(Exception):
    """As many tasks wait in a queue as may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskQueue:
    """A queue of tasks, from which workers take them."""

    name: str
    """Name of the queue: a tool, or an agent."""
    lease_s: float
    """Seconds after which a task whose worker is silent goes to another one."""
    max_waiting: int
    """Largest number of tasks that wait for a worker."""
    ttl_s: float
    """Longest time in seconds for which its tasks can be read."""


class StoredTask(NamedTuple):
    """A task as the store has it."""

    value: bytes
    """The encoded task."""
    revision: int
    """Number of this value; every write makes a greater one."""


class Delivery(NamedTuple):
    """A task that a worker has taken, and holds while it extends its lease."""

    key: TaskKey
    """The name of the task."""
    queue: TaskQueue
    """The queue that it came from."""
    receipt: Any
    """The lease, as the store knows it."""
    stored: StoredTask | None = None
    """The task as it was then; None if its worker has to read it."""


Listener: TypeAlias = Callable[[TaskKey, int], None]
"""Takes the key of a task that has changed, and its new revision."""


class TaskStore(Protocol):
    """Tasks and their queues.

    Every coroutine raises SourceError if the store does not answer. An acknowledged write is seen by every later read,
    of whatever process. Each write tells the listeners of all processes.
    """

    async def open(self, queues: Sequence[TaskQueue]) -> None:
        """Prepare the *queues*; called once, before anything else.

        Raises SourceError for a store that has them in another form.
        """

    async def close(self) -> None:
        """Release what the store holds in this process; leases run out by themselves."""

    async def create(self, key: TaskKey, value: bytes, queue: TaskQueue, expires_at: datetime) -> bool:
        """Store a task and put it into its queue; return False, without a change, if its key exists.

        Raises QueueFull. After any error the task is not run, or it can be read.
        """

    async def read(self, key: TaskKey) -> StoredTask | None:
        """Return a task; None if there is none, or it has expired."""

    async def write(
        self,
        key: TaskKey,
        value: bytes,
        revision: int,
        expires_at: datetime,
        *,
        enqueue: TaskQueue | None = None,
        release: Delivery | None = None,
    ) -> int | None:
        """Replace the value of *revision*; return the revision of the new one.

        None if another value is newer, or the task has expired, which changes nothing.

        With *enqueue*, the queue of its creation, also put the task into it, whatever its bound. Who had taken the task
        before has no lease of the new place. With *release*, take the task out of its queue instead, as `release` does.
        """

    async def list(self, owner: str, limit: int) -> Sequence[tuple[TaskKey, StoredTask]]:
        """Return up to *limit* tasks of *owner* that have not expired, those created last first."""

    async def take(self, queue: TaskQueue, limit: int) -> Sequence[Delivery]:
        """Return up to *limit* tasks of *queue*; wait about a second for the first.

        Each is leased to the caller. Those whose lease has run out are among them.
        """

    async def extend(self, delivery: Delivery) -> bool:
        """Begin the lease of *delivery* again; return False if it is no longer the caller's.

        Nobody has the lease of a task that has expired.
        """

    async def release(self, delivery: Delivery) -> None:
        """Take the task out of its queue, unless another worker has the lease."""

    async def give_back(self, delivery: Delivery, delay_s: float = 0) -> None:
        """Let any worker take the task after *delay_s* seconds, unless another one has the lease."""

    async def count_waiting(self, queue: TaskQueue) -> int:
        """Return the number of tasks in *queue* that nobody has taken; some omit returned ones."""

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* for each change of a task in any process; return what ends this.

        A change may be missed while the store is away, so a listener also looks from time to time.
        """
