"""Attacks on tasks in NATS, by whoever may publish to the subjects that their server reads."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import nats
from nats.aio.client import Client

from tests.attack.lab import Lab
from tests.attack.records import Attack, Tally
from tests.attack.tasks.caller import Jobs, attacked
from tests.attack.tasks.damage import ENTRIES, LEASE_S, NEWS, ask_for_damaged, check_goes_on, damage_values
from tests.attack.tasks.server import HANG
from toolaccord.testing.nats import serve

_STREAM = "toolaccord-tasks-jobs-mcp"
_CHANGES = "toolaccord.changes.jobs-mcp"
_QUEUE = "toolaccord.tasks.jobs-mcp.count"
_MARK = "Toolaccord-Task"
_LARGE_BYTES, _LARGE_NEWS = 900_000, 300
_TICKETS = (
    b"anonymous x 0 1e400",
    b"anonymous x 0 nan",
    b"anonymous x -1 9e15",
    b"anonymous x " + b"9" * 5000 + b" 9e15",
    b"> * 0 9e15",
    b"a.b c.d 0 9e15",
    b"\xd9\xa0 x 0 9e15",
)
"""Entries of a queue that name no task, in the form of one that does."""
_MARKS = ("", "x", "nan 1 1", "inf 1 1", "1e400 -1 -1", "0 0 0", "9e15 1 " + "9" * 5000, "9e15 0 0", "9e15 1 999999")
"""Facts beside a value: until when it can be read, and which entry of the queue it has."""


class _Stored(NamedTuple):
    """A task as NATS has it."""

    subject: str
    value: bytes
    mark: str

    @property
    def owner(self) -> str:
        return self.subject.split(".")[-2]

    @property
    def id(self) -> str:
        return self.subject.split(".")[-1]


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Client]:
    client = await nats.connect(url)
    yield client
    await client.close()


async def _read(client: Client, task_id: str) -> _Stored:
    """Return a stored task."""
    request = {"subjects_filter": f"$KV.{_STREAM}.*.{task_id}"}
    answer = await client.request(f"$JS.API.STREAM.INFO.KV_{_STREAM}", json.dumps(request).encode(), timeout=30)
    (subject,) = json.loads(answer.data)["state"]["subjects"]
    found = await client.jetstream().get_last_msg(f"KV_{_STREAM}", subject)
    return _Stored(subject, found.data or b"", (found.headers or {})[_MARK])


def _list_damages(task: _Stored, other: _Stored) -> Iterator[tuple[str, bytes, str | None]]:
    """Yield names, values and marks that *task* may get."""
    for name, value in damage_values(task.value, other.value, task.owner, task.id):
        yield name, value, task.mark
    for mark in _MARKS:
        yield f"the mark {mark[:20]!r}", task.value, mark
    yield "no mark", task.value, None
    yield "the mark of another task", task.value, other.mark


def _attack(lab: Lab, tally: Tally) -> None:
    with serve() as url, attacked(lab, tally, url, redeliver_after_s=LEASE_S, concurrency=2) as jobs:
        while not jobs.ann.http.get("/ready").is_success:  # the server connects after its start
            time.sleep(0.05)
        hanging = [jobs.ann.create("count", to=HANG) for _ in range(2)]
        for each in hanging:
            jobs.ann.wait_for(each, lambda _: jobs.metric("mcp_tasks_running") == len(hanging))
        harmless = jobs.eve.create("pay", amount=5)
        jobs.eve.wait_for(harmless, lambda task: task["status"] == "input_required")
        with jobs.eve.listening([harmless]) as hear:
            damaged = asyncio.run(_damage_all(url, lab, jobs, harmless))
            heard = hear()
        tally.check("input_required" in str(heard), f"a listener heard {heard}")
        for each in hanging:
            jobs.ann.send("tasks/cancel", {"taskId": each})
        check_goes_on(tally, jobs, "damaged tasks")
        for task_id, name in damaged:
            ask_for_damaged(tally, jobs.ann, task_id, name)
            tally.check(jobs.eve.get(harmless)["status"] == "input_required", f"{name} harms another task")
        check_goes_on(tally, jobs, "damaged tasks and looks at them")
        rejections = jobs.metric("mcp_source_rejections_total")
        tally.check(rejections == 0, f"the circuit breaker did not send {rejections} requests")


async def _damage_all(url: str, lab: Lab, jobs: Jobs, harmless: str) -> Sequence[tuple[str, str]]:
    """Damage waiting tasks, and send news and entries of queues that no server has written.

    Return the ids of the tasks, and what was done to each.
    """
    damaged = []
    async with _connected(url) as client:
        foreign, other = await _read(client, harmless), await _read(client, _create(jobs))
        for number in range(0, len(list(_list_damages(other, other))), max(1, round(1 / lab.scale))):
            task = await _read(client, _create(jobs))
            name, value, mark = list(_list_damages(task, other))[number]
            await client.publish(task.subject, value, headers=None if mark is None else {_MARK: mark})
            damaged.append((task.id, name))
        for news in (*NEWS, f"{foreign.owner} {foreign.id} x".encode(), f"{foreign.owner} {foreign.id} -1".encode()):
            await client.publish(_CHANGES, news[:_LARGE_BYTES])
        entries = f"{foreign.owner} {foreign.id} 0 9e15", f"{foreign.owner} {foreign.id} 999999 9e15"
        for entry in (*ENTRIES, *_TICKETS, *(each.encode() for each in entries)):
            for subject in (_QUEUE, "toolaccord.tasks.jobs-mcp.unknown"):
                await client.publish(subject, entry[:_LARGE_BYTES])
        for _ in range(lab.count(_LARGE_NEWS)):
            await client.publish(_CHANGES, b"x" * _LARGE_BYTES)
        await client.flush()
    return damaged


def _create(jobs: Jobs) -> str:
    """Return the id of a task that waits."""
    return jobs.ann.create("count", to=3)


ATTACKS = (
    Attack(
        "hostile messages on NATS",
        "Damaged values and marks of tasks in NATS, entries of queues and news that no server has written harm no other "
        "task, no worker, no listener and no circuit breaker; 300 news of 900 KB leave nothing in memory.",
        _attack,
        max_peak_mib=180,
        max_health_ms=100,
    ),
)
