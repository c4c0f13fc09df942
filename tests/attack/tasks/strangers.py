"""Attacks with ids of tasks of others, of nobody, and of the past."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2

from tests.attack.lab import Lab
from tests.attack.records import Attack, Tally
from tests.attack.tasks.caller import METHODS, Jobs, TaskCaller, attacked, on_redis
from tests.attack.tasks.server import HANG

_ANSWER = {"inputResponses": {"approval": {"action": "accept", "content": {"yes": True}}}}
_GUESSES = 500
_IDS: tuple[Any, ...] = (
    "", " ", ".", "..", "*", "?", "%", "%00", "\x00", "a\x00b", "a/b", "../x", "a\\b", "a b", "a\r\nb", "\n", "\ud800", "\udfffx",
    "\u0660", "\u00e9", "\U0001f680", "A" * 65, "A" * 129, "A" * 8000, "A" * 1_000_000, "\u20ac" * 300_000, "anonymous:x", ":",
    "x:y", "{}", "$(id)", "' OR 1=1 --", "tasks.>", "=?base64?QQ==?=", "null", "-1", None, True, 0, 1.5, -1e308, [], ["A"], {}, {"A": "B"},
    10**400,
)  # fmt: skip
"""Values that are no id, of all types of JSON."""
_LATIN = 0x100
_IN_PATH = (
    "a%2fb",
    "%2e%2e",
    "%00",
    "a%0d%0ab",
    "%ff%fe",
    "..%2f..%2fhealth",
    "a;b",
    "a//b",
    "A" * 7000,
    "%ed%a0%80",
    "",
)


class _Request(NamedTuple):
    """A request about a task, and a name for it."""

    name: str
    answer: Any
    """The part of the answer that can be compared."""


def _ask_for(caller: TaskCaller, task_id: Any) -> Iterator[_Request]:
    """Yield the answers to all requests about a task; further parameters reach the SDK."""
    for method in METHODS:
        params = {"taskId": task_id} | (_ANSWER if method == "tasks/update" else {})
        for further in ({}, {"further": 1}):
            answer = caller.send(method, params | further)
            yield _Request(f"{method} {further}", answer.get("error") or answer)


def _ask_over_rest(caller: TaskCaller, task_id: str) -> Iterator[_Request]:
    for method, body in (("GET", b""), ("POST", json.dumps(_ANSWER).encode()), ("DELETE", b"")):
        response = caller.rest(method, task_id, body)
        yield _Request(method, (response.status_code, response.json()["error"]["message"]))


def _attack_others(lab: Lab, tally: Tally) -> None:
    for is_shared in (True, False):
        with on_redis(lab, tally) if is_shared else attacked(lab, tally, None) as jobs:
            _attack_tasks_of_ann(tally, jobs)


def _attack_tasks_of_ann(tally: Tally, jobs: Jobs) -> None:
    ann, eve = jobs.ann, jobs.eve
    ids = ann.create("count", to=HANG), ann.create("pay", amount=5), ann.create("count", to=3)
    ann.finish(ids[2])
    ann.wait_for(ids[1], lambda task: task["status"] == "input_required")
    ann.wait_for(ids[0], lambda _: jobs.metric("mcp_tasks_running") == 1)
    before = [ann.get(each) for each in ids]
    nobody = secrets.token_urlsafe(32)
    expected = [*_ask_for(eve, nobody), *_ask_over_rest(eve, nobody)]
    tally.check(all(each.answer in _unknown(expected) for each in expected), f"an unknown id has {expected}")
    for each in ids:
        found = [*_ask_for(eve, each), *_ask_over_rest(eve, each)]
        for answer, known in zip(found, expected, strict=True):
            tally.check(answer == known, f"another caller's task has {answer}, an unknown one {known}")
    with eve.listening(ids) as hear:
        tally.check([ann.get(each) for each in ids] == before, "a stranger changed a task")
        ann.send("tasks/cancel", {"taskId": ids[0]})
        ann.send("tasks/update", {"taskId": ids[1]} | _ANSWER)
        tally.check(all(ann.finish(each) for each in ids), "no end")
        heard = hear()
    tally.check(not any(each in repr(heard) for each in ids), f"a stranger heard {heard}")
    with ann.listening(ids) as hear:
        heard = hear()
    tally.check(all(each in repr(heard) for each in ids), f"the owner heard {heard}")


def _unknown(answers: list[_Request]) -> tuple[Any, Any]:
    """Return the two answers to an unknown id: of MCP and over REST."""
    return answers[0].answer, answers[-1].answer


def _attack_guesses(lab: Lab, tally: Tally) -> None:
    with on_redis(lab, tally) as jobs:
        task_id = jobs.ann.create("count", to=HANG)
        guesses = (secrets.token_urlsafe(32) for _ in range(lab.count(_GUESSES)))
        near = (task_id[:-1] + letter for letter in "ABab01_-" if not task_id.endswith(letter))
        for guess in (*guesses, *near, task_id.swapcase(), task_id + "=", task_id + "\n", f" {task_id}", task_id[:-1]):
            _check_rejected(tally, jobs.ann, guess)
        for malformed in _IDS:
            _check_rejected(tally, jobs.ann, malformed)
        for path in _IN_PATH:
            _check_paths(tally, jobs.ann, path)
        with jobs.ann.listening([each for each in _IDS if isinstance(each, str) and len(each) < _LATIN]) as hear:
            heard = hear()
        tally.check(len(heard) == 1 and "taskIds" not in str(heard), f"a listener heard {heard}")
        failures = jobs.metric("mcp_source_failures_total"), jobs.metric("mcp_source_rejections_total")
        tally.check(failures == (0, 0), f"failures and rejections of the store: {failures}")
        errors = [line for line in jobs.server.log_lines() if '"ERROR"' in line or "Traceback" in line]
        tally.check(not errors, f"logged: {errors[:1]}")
        tally.check(jobs.ann.get(task_id)["status"] == "working", "a guess changed a task")


def _check_rejected(tally: Tally, caller: TaskCaller, task_id: Any) -> None:
    """Check that MCP and REST reject what is no id of a task."""
    for request in _ask_for(caller, task_id):
        code = request.answer.get("code")
        tally.check(code in {-32600, -32602, -32020, -32700}, f"{task_id!r:.40}: {request.name} has {request.answer}")
    if isinstance(task_id, str) and len(task_id) < _LATIN:
        _check_paths(tally, caller, quote(task_id, errors="replace"))


def _check_paths(tally: Tally, caller: TaskCaller, path: str) -> None:
    for method in ("GET", "DELETE"):
        try:
            status = caller.rest(method, path).status_code
        except httpx2.HTTPError as error:
            tally.check(False, f"{method} {path:.40}: {error!r}")
        else:
            tally.check(status in {400, 404, 405, 414, 431}, f"{method} {path:.40} has {status}")


def _attack_expired(lab: Lab, tally: Tally) -> None:
    for is_shared in (True, False):
        with on_redis(lab, tally, ttl_s=2) if is_shared else attacked(lab, tally, None, ttl_s=2) as jobs:
            ids = [jobs.ann.create("count", to=number) for number in (HANG, 3)] + [jobs.ann.create("pay", amount=5)]
            _wait_for_expiry(jobs.ann, ids[-1])
            nobody = secrets.token_urlsafe(32)
            expected = [*_ask_for(jobs.ann, nobody), *_ask_over_rest(jobs.ann, nobody)]
            for each in ids:
                found = [*_ask_for(jobs.ann, each), *_ask_over_rest(jobs.ann, each)]
                for answer, known in zip(found, expected, strict=True):
                    tally.check(answer == known, f"an expired task has {answer}")
            fresh = jobs.ann.finish(jobs.ann.create("count", to=4))
            tally.check(fresh["status"] == "completed", f"a task after those that expired is {fresh}")
            keys = [] if jobs.valkey is None else jobs.valkey.command("KEYS", "*:task:*")
            tally.check(len(keys) <= 1, f"{len(keys)} tasks are kept")


def _wait_for_expiry(caller: TaskCaller, task_id: str) -> None:
    end = time.monotonic() + 30
    while "result" in caller.send("tasks/get", {"taskId": task_id}):
        assert time.monotonic() < end, "a task never expires"
        time.sleep(0.1)


ATTACKS = (
    Attack(
        "tasks of other callers",
        "Who has another caller's id of a task finds nothing, changes nothing and hears nothing, over MCP and REST: the "
        "answers are those for an id that nobody has.",
        _attack_others,
    ),
    Attack(
        "ids that name no task",
        "Guessed and malformed ids of tasks, of all types of JSON, are rejected, and none fails in the store.",
        _attack_guesses,
    ),
    Attack(
        "tasks whose time is over",
        "An expired id is answered as one that never was; the store keeps nothing of it, and its worker goes on.",
        _attack_expired,
    ),
)
