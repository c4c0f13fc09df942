"""Attacks on tasks from behind: by damaged records, by handlers, and by what is written."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import Any

import httpx2

from tests.attack.lab import TOKEN, HttpServer, Lab
from tests.attack.records import Attack, Tally
from tests.attack.tasks.caller import MODULE, OTHER_TOKEN, Jobs, TaskCaller, attacked, on_redis
from tests.attack.tasks.server import BLOCK, BLOCKED_S, HANG, HOSTILE, HOSTILE_TEXT, MARK, RULES, STORE
from tests.services.otlp import receiving
from tests.services.valkey import Valkey

_PREFIX = "toolaccord:tasks:{jobs-mcp}"
_SOON_S = 10.0
"""Seconds within which an unharmed task ends on a busy machine."""
LEASE_S = 3
_DEADLINE_S = 2
_COUNT = {"name": "count", "arguments": {"to": 4}}


@dataclass(frozen=True, slots=True)
class _Poison:
    """A way to damage a stored task."""

    name: str
    commands: Sequence[Sequence[Any]]
    """Commands of Redis, in which KEY and NAME stand for those of the task."""


def _signed(owner: str, task_id: str, members: object) -> bytes:
    """Return a record with a right digest, which whoever reads its key in Redis can compute."""
    text = members if isinstance(members, bytes) else json.dumps(members).encode()
    secret = sha256(f"{owner}\n{task_id}".encode()).digest()
    return blake2b(text, digest_size=16, key=secret).hexdigest().encode() + b" " + text


def damage_values(value: bytes, other: bytes, owner: str, task_id: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and damaged values of a task with *value*; *other* is that of another task."""
    yield from {
        "garbage": b"\x00\xff garbage",
        "nothing": b"",
        "a truncated value": value[:-10],
        "another task's value": other,
        "a digest alone": value.partition(b" ")[0],
        "a changed letter": value.replace(b"count", b"pay!!"),
        "900 KB": b"x" * 900_000,
    }.items()
    members = json.loads(value.partition(b" ")[2])
    changes: Sequence[Any] = (
        b"[]", b"null", b"7", b"{", b"[" * 100_000, {}, members | {"status": "lost"}, members | {"queue": "unknown"}, members | {"queue": 5},
        members | {"work": 5}, members | {"work": {}}, members | {"work": members["work"] | {"arguments": []}},
        members | {"work": members["work"] | {"identity": 5, "meta": 5, "caller": None}}, members | {"work": members["work"] | {"proven": {}}},
        members | {"ttl_s": 1e300}, members | {"ttl_s": "x"}, members | {"ttl_s": None}, members | {"created_at": 1e300},
        members | {"created_at": "x"}, members | {"updated_at": -1e300}, members | {"poll_ms": "x"}, members | {"poll_ms": [[]]},
        members | {"requests": 5}, members | {"requests": {"a": 5}, "status": "input_required"}, members | {"rounds": 5},
        members | {"rounds": {"keys": 5, "state": 5, "given": 5}}, members | {"attempt": "x"}, members | {"attempt": None, "is_running": True},
        members | {"progress": 5}, members | {"progress": ["x", {}]}, members | {"crashes": "x", "is_running": True}, members | {"leg": "x"},
        members | {"message": {"a": 5}}, members | {"result": 5, "status": "completed"}, members | {"result": {}, "status": "completed"},
        members | {"result": {"json": 5}, "status": "completed"}, members | {"error": 5, "status": "failed"}, members | {"further": 5},
    )  # fmt: skip
    for change in changes:
        yield f"a right digest of {_differences(members, change)}", _signed(owner, task_id, change)


def _poisons(value: bytes, other: bytes, owner: str, task_id: str) -> Iterator[_Poison]:
    """Yield damages of a task with *value*; *other* is the value of another task."""
    for name, text in (*damage_values(value, other, owner, task_id), ("4 MB", b"x" * (4 << 20))):
        yield _Poison(name, [["HSET", "KEY", "value", text]])
    yield _Poison("no value", [["HDEL", "KEY", "value"]])
    yield _Poison("no revision", [["HDEL", "KEY", "revision"]])
    yield _Poison("a revision of words", [["HSET", "KEY", "revision", "x"]])
    yield _Poison("a revision beyond numbers", [["HSET", "KEY", "revision", "9" * 400]])
    yield _Poison("a place of words", [["HSET", "KEY", "place", "x"]])
    yield _Poison("a key of text", [["DEL", "KEY"], ["SET", "KEY", "x"]])
    yield _Poison("a key of a list", [["DEL", "KEY"], ["RPUSH", "KEY", "x"]])
    yield _Poison("no key", [["DEL", "KEY"]])


def _differences(members: dict[str, Any], change: object) -> str:
    changed = change.items() if isinstance(change, dict) else ()
    text = {name: value for name, value in changed if members.get(name) != value} or change
    return str(text)[:60]


ENTRIES = (
    b"\xff\xfe",
    b"",
    b"x",
    b":",
    b"a:b",
    b"a:b:c",
    b"x" * (1 << 20),
    b"anonymous:" + b"A" * 43,
    b"a b",
    b"\x00",
    b"{}:*",
)
NEWS = (
    b"",
    b"\xff",
    b"x",
    b"1",
    b"1 ",
    b"1 a",
    b"1 a:b count",
    b"9" * 400 + b" a:b count",
    b"-1 a:b x",
    b"1 \xff:\xfe count",
    b"x" * (1 << 20),
)


def _poison(lab: Lab, tally: Tally) -> None:
    with on_redis(lab, tally, redeliver_after_s=LEASE_S, concurrency=2) as jobs:
        hanging = [jobs.ann.create("count", to=HANG) for _ in range(2)]
        for each in hanging:
            jobs.ann.wait_for(each, lambda _: jobs.metric("mcp_tasks_running") == len(hanging))
        harmless = jobs.eve.create("pay", amount=5)
        jobs.eve.wait_for(harmless, lambda task: task["status"] == "input_required")
        damaged = dict(_damage_all(lab, jobs))
        _poison_queues(jobs, harmless)
        for each in hanging:
            jobs.ann.send("tasks/cancel", {"taskId": each})
        check_goes_on(tally, jobs, "damaged tasks")
        for task_id, poison in damaged.items():
            ask_for_damaged(tally, jobs.ann, task_id, poison.name)
            tally.check(jobs.eve.get(harmless)["status"] == "input_required", f"{poison.name} harms another task")
        check_goes_on(tally, jobs, "damaged tasks and looks at them")
        tally.check(_is_empty_soon(jobs), f"come back for ever: {_list_leased(jobs, damaged)}")
        rejections = jobs.metric("mcp_source_rejections_total")
        tally.check(rejections == 0, f"the circuit breaker did not send {rejections} requests")
        _check_damaged_queue(tally, jobs)


def _damage_all(lab: Lab, jobs: Jobs) -> Iterator[tuple[str, _Poison]]:
    """Create waiting tasks, and damage each in another way; yield their ids."""
    assert jobs.valkey
    other_key, other, *_ = _read_task(jobs, jobs.ann.create("count", to=5))
    count = len(list(_poisons(other, b"", *_names(other_key))))
    for number in range(0, count, max(1, round(1 / lab.scale))):
        task_id = jobs.ann.create("count", to=3)
        key, value = _read_task(jobs, task_id)
        poison = list(_poisons(value, other, *_names(key)))[number]
        for command in poison.commands:
            jobs.valkey.command(*(key if word == "KEY" else word for word in command))
        yield task_id, poison


def _read_task(jobs: Jobs, task_id: str) -> tuple[bytes, bytes]:
    """Return key and value of a task in Redis."""
    assert jobs.valkey
    [key] = jobs.valkey.command("KEYS", f"{_PREFIX}:task:*{task_id}")
    return key, jobs.valkey.command("HGET", key, "value")


def _names(key: bytes) -> tuple[str, str]:
    """Return owner and id of the task with a *key* in Redis."""
    owner, task_id = key.decode().split(":")[-2:]
    return owner, task_id


def _poison_queues(jobs: Jobs, harmless: str) -> None:
    """Put entries into the queue that no server has written, and send such news."""
    assert jobs.valkey
    key, _ = _read_task(jobs, harmless)
    foreign = key.rpartition(b":task:")[2]
    for entry in (*ENTRIES, foreign, foreign):
        jobs.valkey.command("RPUSH", f"{_PREFIX}:ready:count", entry)
        for place in ("leased", "delayed"):
            jobs.valkey.command("ZADD", f"{_PREFIX}:{place}:count", "-inf", entry)
    for news in NEWS:
        jobs.valkey.command("PUBLISH", _PREFIX, news)


def ask_for_damaged(tally: Tally, caller: TaskCaller, task_id: str, name: str) -> None:
    """Check that all requests about a damaged task are answered, and with no result of its call."""
    for method in ("tasks/get", "tasks/update", "tasks/cancel", "tasks/get"):
        params: dict[str, Any] = {"taskId": task_id} | (
            {"inputResponses": {"approval": {}}} if method == "tasks/update" else {}
        )
        answer = caller.send(method, params)
        is_error = answer.get("error", {}).get("code") in {-32602, -32603}
        tally.check(is_error or "result" in answer, f"{name}: {method} has {answer}")
    for method in ("GET", "DELETE"):
        response = caller.rest(method, task_id)
        tally.check(response.status_code in {200, 202, 404, 500, 503}, f"{name}: {method} has {response.status_code}")


def check_goes_on(tally: Tally, jobs: Jobs, after: str) -> None:
    """Check that another task ends soon."""
    start = time.monotonic()
    task = jobs.eve.finish(jobs.eve.create("count", to=4))
    tally.check(task["status"] == "completed", f"after {after} a task has {task}")
    tally.check(time.monotonic() - start < _SOON_S, f"after {after} a task took {time.monotonic() - start:.0f} s")


def _queue_sizes(jobs: Jobs) -> tuple[int, ...]:
    assert jobs.valkey
    commands = (("LLEN", "ready"), ("ZCARD", "leased"), ("ZCARD", "delayed"))
    return tuple(jobs.valkey.command(command, f"{_PREFIX}:{place}:count") for command, place in commands)


def _list_leased(jobs: Jobs, damaged: Mapping[str, _Poison]) -> Sequence[str]:
    """Return the damages of the tasks with a lease."""
    assert jobs.valkey
    leased = jobs.valkey.command("ZRANGE", f"{_PREFIX}:leased:count", 0, -1)
    ids = [entry.decode(errors="replace").rpartition(":")[2] for entry in leased]
    return [damaged[each].name if each in damaged else each[:40] for each in ids]


def _is_empty_soon(jobs: Jobs) -> bool:
    """Return whether the queue is empty after a few leases."""
    end = time.monotonic() + 4 * LEASE_S
    while any(_queue_sizes(jobs)) and time.monotonic() < end:
        time.sleep(0.2)
    return not any(_queue_sizes(jobs))


def _check_damaged_queue(tally: Tally, jobs: Jobs) -> None:
    """Check that a queue of a wrong type is an outage, and over once it is gone."""
    assert jobs.valkey
    for place in ("ready", "leased", "delayed"):
        key = f"{_PREFIX}:{place}:count"
        jobs.valkey.command("DEL", key)
        jobs.valkey.command("SET", key, "x")
        answer = jobs.eve.send("tools/call", _COUNT)
        is_error = "error" in answer or answer["result"].get("isError") or answer["result"].get("taskId")
        tally.check(is_error, f"with {key} of text, a create has {answer}")
        jobs.valkey.command("DEL", key)
        end = time.monotonic() + 40  # a circuit breaker may be open
        while "taskId" not in jobs.eve.send("tools/call", _COUNT).get("result", {}):
            assert time.monotonic() < end, "the queue stays damaged"
            time.sleep(0.5)
        check_goes_on(tally, jobs, f"{place} of text")


def _hang(lab: Lab, tally: Tally) -> None:
    for is_shared in (True, False):
        rules = {"timeout_s": _DEADLINE_S}
        with on_redis(lab, tally, **rules) if is_shared else attacked(lab, tally, None, **rules) as jobs:
            ids = [jobs.ann.create("count", to=HANG) for _ in range(lab.count(6))]
            last = jobs.eve.create("count", to=4)
            for each in ids:
                task = jobs.ann.finish(each)
                is_late = task["status"] == "completed" and task["result"]["isError"]
                tally.check(is_late, f"a task that hangs ends as {task}")
            tally.check(jobs.eve.finish(last)["status"] == "completed", "a task behind those that hang has no end")


def _block(lab: Lab, tally: Tally) -> None:
    """Block the event loop of one of two processes by a task."""
    mark = lab.new_folder() / "blocked"
    settings = {
        "MCP_AUTH_TOKEN": f"{TOKEN},{OTHER_TOKEN}",
        RULES: json.dumps({"redeliver_after_s": LEASE_S}),
        MARK: str(mark),
    }
    with ExitStack() as stack:
        store = stack.enter_context(Valkey(lab.new_folder()).running())
        settings |= {STORE: store.url}
        servers = [stack.enter_context(lab.start_server(MODULE, settings)) for _ in range(2)]
        callers = [_caller(stack, server) for server in servers]
        task_id = callers[0].create("count", to=BLOCK)
        start = time.monotonic()
        while not mark.exists():
            assert time.monotonic() < start + _SOON_S, "no process takes the task"
            time.sleep(0.01)
        free = callers[1] if _is_blocked(servers[0]) else callers[0]
        task = free.finish(task_id)
        took_s = time.monotonic() - start
        tally.check(task["status"] == "completed" and not task["result"]["isError"], f"it ends as {task}")
        tally.check(took_s < BLOCKED_S, f"it took {took_s:.0f} s")
        others = [free.create("count", to=number) for number in range(5)]
        for each in others:
            tally.check(free.finish(each)["status"] == "completed", "another task has no end")
        time.sleep(max(0.0, start + BLOCKED_S + 1 - time.monotonic()))
        for caller in callers:
            tally.check(caller.get(task_id) == task, "the process that was blocked changed the task")


def _is_blocked(server: HttpServer) -> bool:
    try:
        return not httpx2.get(f"{server.url}/health", timeout=1, trust_env=False).is_success
    except httpx2.TimeoutException:
        return True


def _caller(stack: ExitStack, server: HttpServer) -> TaskCaller:
    http = stack.enter_context(httpx2.Client(base_url=server.url, timeout=60, trust_env=False))
    return TaskCaller(http, TOKEN)


def _send_texts(lab: Lab, tally: Tally) -> None:
    for is_shared in (True, False):
        with on_redis(lab, tally) if is_shared else attacked(lab, tally, None) as jobs:
            task_id = jobs.ann.create("count", to=HOSTILE)
            working = jobs.ann.wait_for(task_id, lambda task: "statusMessage" in task)
            tally.check(working.get("statusMessage") == HOSTILE_TEXT, f"the message of a task is {working}")
            with jobs.ann.listening([task_id]) as hear:
                heard = hear()
            tally.check(all("result" not in each for each in heard), f"a listener heard {heard}")
            states = [each["params"] for each in heard if each["method"] == "notifications/tasks"]
            tally.check(states[-1]["status"] == "completed" and _has(states[-1]), f"it ended as {states}")
            task = jobs.ann.finish(task_id)
            tally.check(_has(task), f"the text came as {task}")
            response = jobs.ann.rest("GET", task_id)
            tally.check(_has(response.json()), f"the text came as {response.text}")
            lines = [line for line in jobs.server.log_lines() if line and " listening on " not in line]
            tally.check(all(line.startswith('{"timestamp"') and json.loads(line) for line in lines), f"logged: {lines}")


def _has(value: Any) -> bool:
    """Return whether *value* has the hostile text somewhere, perhaps in JSON of a text."""
    if isinstance(value, str):
        if HOSTILE_TEXT in value:
            return True
        return value.startswith('{"error"') and _has(json.loads(value))
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_has(each) for each in members)


def _search(lab: Lab, tally: Tally) -> None:
    """Search all that servers write for the ids of tasks, also after faults of their store."""
    written, ids = asyncio.run(_collect(lab, tally))
    for task_id in ids:
        tally.check(task_id not in written and task_id[:20] not in written, "an id of a task is written")
    tally.check(len(re.findall('"task": ?true', written)) > 0 and "tools/call count" in written, "nothing is written")


async def _collect(lab: Lab, tally: Tally) -> tuple[str, list[str]]:
    """Return logs, metrics and spans of a server, and the ids of its tasks."""
    async with receiving() as receiver:
        written, ids = await asyncio.to_thread(_use, lab, tally, receiver.environ)
        return written + str(receiver.spans), ids


def _use(lab: Lab, tally: Tally, environ: dict[str, str]) -> tuple[str, list[str]]:
    """Use and damage tasks in all ways; return logs and metrics, and the ids of the tasks."""
    settings = {
        "MCP_AUTH_TOKEN": f"{TOKEN},{OTHER_TOKEN}",
        RULES: json.dumps({"redeliver_after_s": LEASE_S, "timeout_s": 1}),
    }
    with ExitStack() as stack:
        store = stack.enter_context(Valkey(lab.new_folder()).running())
        server = stack.enter_context(
            lab.start_server(MODULE, settings | environ | {STORE: store.url}, arguments=("--log-level", "debug"))
        )
        ann = _caller(stack, server)
        jobs = Jobs(server, store, ann, TaskCaller(ann.http, OTHER_TOKEN))
        ids = [ann.create("count", to=number) for number in (3, 13, HANG, HOSTILE)] + [ann.create("pay", amount=5)]
        for each in ids[:-1]:
            ann.finish(each)
        damaged = [ann.create("pay", amount=amount) for amount in (6, 7)]
        for each, poison in zip(damaged, ("value", "revision"), strict=True):
            ann.wait_for(each, lambda task: task["status"] == "input_required")
            store.command("HSET", _read_task(jobs, each)[0], poison, "x")
        ids += damaged
        store.kill()
        for _ in range(3):
            for each in ids:
                _ask_everywhere(jobs, each)
        store.start()
        for each in ids:
            _ask_everywhere(jobs, each)
        end = time.monotonic() + 40  # a circuit breaker may be open
        while "taskId" not in (created := ann.send("tools/call", _COUNT).get("result", {})):
            assert time.monotonic() < end, "the store stays away"
            time.sleep(0.2)
        ids.append(created["taskId"])
        ann.finish(ids[-1])
        metrics = ann.http.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
        ann.http.close()
        tally.peaks_mib.append(server.peak_mib())
        log = server.log
    return log.read_text(encoding="utf-8", errors="replace") + metrics, ids


def _ask_everywhere(jobs: Jobs, task_id: str) -> None:
    """Send all requests about a task, right and wrong ones, of both callers."""
    for caller in (jobs.ann, jobs.eve):
        for method in ("tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"):
            caller.send(
                method, {"taskId": task_id} | ({"inputResponses": {"x": {}}} if method == "tasks/update" else {})
            )
        for method in ("GET", "DELETE", "PUT", "POST"):
            caller.rest(method, task_id)
        caller.rest("GET", f"{task_id}/more")
        caller.rest("GET", f"{task_id}?x={task_id}")


ATTACKS = (
    Attack(
        "damaged records of tasks",
        "Damaged records, those of another task, entries of queues and news that nobody has written, and records of wrong "
        "types with a right digest harm no other task, no worker and no circuit breaker, and no worker takes them for ever.",
        _poison,
    ),
    Attack(
        "tasks that hang",
        "A task whose handler never ends has an error after its deadline, and those behind it run.",
        _hang,
        max_health_ms=100,
    ),
    Attack(
        "tasks that block their process",
        "Another process runs the task of one whose event loop is blocked; what that one does later changes nothing.",
        _block,
    ),
    Attack(
        "hostile texts of tasks",
        "Control characters and forged events in messages and errors of a task arrive as they are, in no event of their own.",
        _send_texts,
    ),
    Attack(
        "ids of tasks in what is written",
        "No log at level debug, no metric and no span has an id of a task, also after a killed store and damaged records.",
        _search,
    ),
)
