"""Attacks with more, and with larger, than a caller of tasks should send."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from benchmarks.clients.paced import Response, offer
from tests.attack.lab import TOKEN, Lab
from tests.attack.records import Attack, Tally
from tests.attack.tasks.caller import OTHER_TOKEN, Jobs, attacked, message, on_redis
from tests.attack.tasks.server import FLOOD, HANG

_CREATES, _CONNECTIONS, _MAX_WAITING, _CONCURRENCY = 10_000, 64, 1000, 2
_TASK_BYTES = 4096
"""Most bytes that a Redis may take for a task of these attacks."""
_MIB = 1 << 20
_LARGE, _LARGE_CREATES = 3_900_000, 40
_STREAMS = 200
_ANSWER = {"approval": {"action": "accept", "content": {"yes": True}}}
_MAX_NEWS = 60
"""Most notifications of a task that runs for some seconds: two a second are stored."""


def _flood(lab: Lab, tally: Tally) -> None:
    creates = lab.count(_CREATES)
    rules = {"max_waiting": lab.count(_MAX_WAITING), "concurrency": _CONCURRENCY}
    for is_shared in (True, False):
        with on_redis(lab, tally, **rules) if is_shared else attacked(lab, tally, None, **rules) as jobs:
            own = jobs.eve.create("pay", amount=5)
            jobs.eve.wait_for(own, lambda task: task["status"] == "input_required")
            before = jobs.stored_bytes() if is_shared else 0
            with _served_meanwhile(tally, jobs, own):
                responses = asyncio.run(_create_all(jobs, creates))
            accepted = _count_accepted(tally, responses)
            bound = rules["max_waiting"] + _CONCURRENCY
            is_bounded = min(creates, rules["max_waiting"]) <= accepted <= bound
            tally.check(is_bounded, f"{accepted} of {creates} creates were accepted")
            if is_shared:
                used = jobs.stored_bytes() - before
                tally.check(used < accepted * _TASK_BYTES + _MIB, f"{accepted} tasks take {used} bytes in Redis")


async def _create_all(jobs: Jobs, number: int) -> list[Response]:
    """Return the responses to calls that become tasks without an end."""
    headers, body = message("tools/call", {"name": "count", "arguments": {"to": HANG}}, TOKEN)
    fields = {"Host": "127.0.0.1", "Content-Length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return await offer(
        jobs.server.port, [f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body] * number, 1e6, _CONNECTIONS
    )


def _count_accepted(tally: Tally, responses: list[Response]) -> int:
    """Check that each call is a task or was rejected with the seconds to wait; count tasks."""
    accepted = 0
    for response in responses:
        result = json.loads(response.body or b"{}").get("result", {})
        is_task = result.get("resultType") == "task"
        error = {} if is_task else json.loads(result.get("content", [{}])[0].get("text", "{}")).get("error", {})
        is_rejection = "was not run; call again in" in error.get("message", "")
        tally.check(is_task or is_rejection, f"a create has {response.status} {response.body[:200]!r}")
        accepted += is_task
    return accepted


@contextmanager
def _served_meanwhile(tally: Tally, jobs: Jobs, own: str) -> Iterator[None]:
    """Let the other caller count and look at its task meanwhile; check that it can."""
    is_over, outcomes = threading.Event(), Counter[str]()

    def call() -> None:
        while not is_over.is_set():
            status = jobs.eve.get(own)["status"]
            headers = {"Authorization": f"Bearer {OTHER_TOKEN}", "Content-Type": "application/json"}
            counted = jobs.eve.http.post("/mcp/tools/count", content=b'{"to": 4}', headers=headers)
            outcomes[f"{status} {counted.status_code}"] += 1

    thread = threading.Thread(target=call)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        tally.check(set(outcomes) == {"input_required 200"}, f"another caller had {dict(outcomes)} meanwhile")


def _create_large(lab: Lab, tally: Tally) -> None:
    """Create tasks with much beside their arguments, which alone their tool needs."""
    padding = "x" * _LARGE
    client = {"name": padding, "version": "1"}
    variants: tuple[dict[str, Any], ...] = (
        {"tracestate": padding},
        {"tracestate": f"a={padding}", "traceparent": f"00-{'a' * 32}-{'b' * 16}-01-{padding}"},
        {"traceparent": padding},
        {"corr_id": padding},
        {"padding": padding},
        {"io.modelcontextprotocol/clientInfo": client},
        {"progressToken": padding},
        {"tracestate": ["x"] * 900},
        {"tracestate": {"x": "x" * 100_000}},
    )
    with on_redis(lab, tally, concurrency=1) as jobs:
        jobs.ann.create("count", to=HANG)
        for number in range(lab.count(_LARGE_CREATES)):
            meta = variants[number % len(variants)]
            answer = jobs.ann.send("tools/call", {"name": "count", "arguments": {"to": HANG}}, **meta)
            is_task = answer.get("result", {}).get("resultType") == "task"
            tally.check(is_task or "error" in answer, f"{list(meta)}: {answer}")
            if is_task:
                [key] = jobs.valkey.command("KEYS", f"*{answer['result']['taskId']}") if jobs.valkey else []
                size = jobs.valkey.command("HSTRLEN", key, "value") if jobs.valkey else 0
                tally.check(0 < size < _TASK_BYTES, f"a task takes {size} bytes with {list(meta)}")


def _answers() -> Iterator[tuple[str, str]]:
    """Yield JSON of answers that nobody asked for, and of what no answer is, with names."""
    large = "x" * _LARGE
    yield "an unknown key of 4 MB", json.dumps({large: {}})
    yield "an unknown answer of 4 MB", json.dumps({"x": {"a": large}})
    yield "a known answer of 4 MB", json.dumps({"approval": {"action": "accept", "content": {"yes": large}}})
    for number in (900, 5000, 200_000):
        yield f"{number} unknown keys", json.dumps({f"key{each}": {} for each in range(number)})
    for depth in (20, 200, 254, 300, 900, 50_000, 400_000):
        for name in ("x", "approval"):
            yield f"{name} with depth {depth}", f'{{"{name}": {{"action": ' + '{"a":' * depth + "1" + "}" * depth + "}}"
    for value in ('"\\ud800"', "1" + "0" * 400, "1e999", "NaN", "-0", '"\\u0000"', "[[]]", "null"):
        yield f"an answer with {value:.9}", f'{{"approval": {{"action": {value}, "content": {{"yes": {value}}}}}}}'
    yield "a lone surrogate as a key", '{"\\ud800": {}, "approval\\udc00": {}}'
    yield "the same key twice", '{"approval": {"action": "decline"}, "approval": {"action": "x"}}'
    for value in ("null", "true", "0", '"yes"', "[]", "[1]", "{}"):
        yield f"an answer {value}", f'{{"approval": {value}}}'
        yield f"answers {value}", value


_REJECTIONS = {-32600, -32602, -32700}


def _update(lab: Lab, tally: Tally) -> None:
    answers = list(_answers())
    with on_redis(lab, tally) as jobs:
        over = jobs.ann.create("count", to=3)
        end = jobs.ann.finish(over)
        for name, text in answers[:: max(1, round(1 / lab.scale))]:
            asking = jobs.ann.create("pay", amount=5)
            jobs.ann.wait_for(asking, lambda task: task["status"] == "input_required")
            before = jobs.stored_bytes()
            for task_id in (asking, over):
                for further in ({}, {"further": 1}):
                    code = _send_update(jobs, task_id, text, further)
                    tally.check(code is None or code in _REJECTIONS, f"{name} has {code}")
                response = jobs.ann.rest("POST", task_id, f'{{"inputResponses": {text}}}'.encode())
                is_fair = response.status_code in {202, 400, 404, 413}
                tally.check(is_fair, f"{name} over REST has {response.status_code} {response.text[:200]}")
            used = jobs.stored_bytes() - before
            tally.check(used < _MIB, f"{name} takes {used} bytes in Redis")
            task = jobs.ann.get(asking)
            if task["status"] == "input_required":
                jobs.ann.send("tasks/update", {"taskId": asking, "inputResponses": _ANSWER})
            ended = jobs.ann.finish(asking)
            tally.check(ended["status"] == "completed", f"after {name} the task is {ended}")
        tally.check(jobs.ann.get(over) == end, "an update changed a task that is over")
        errors = [line for line in jobs.server.log_lines() if "Traceback" in line]
        tally.check(not errors, f"logged: {errors[:1]}")


def _send_update(jobs: Jobs, task_id: str, answers: str, further: dict[str, Any]) -> int | None:
    """Return the code of the error that answers an update; None without one."""
    headers, body = message("tasks/update", {"taskId": task_id, "inputResponses": "HERE", **further}, TOKEN)
    answer = jobs.ann.post(headers, body.replace(b'"HERE"', answers.encode()))
    code: int | None = answer.get("error", {}).get("code")
    return code


def _listen(lab: Lab, tally: Tally) -> None:
    with on_redis(lab, tally) as jobs, ExitStack() as stack:
        own = jobs.ann.create("pay", amount=5)
        for ids in (
            [own] * 100_000,
            [own] * 900,
            [own] * 101,
            ["x" * 64] * 101,
            list(range(900)),
            [[own]] * 900,
            [None],
            own,
            {"a": own},
        ):
            with jobs.ann.listening(ids) as hear:  # type: ignore[arg-type]
                heard = hear()
            codes = [each.get("error", {}).get("code") for each in heard]
            tally.check(len(codes) == 1 and codes[0] in _REJECTIONS, f"{ids!s:.40} has {heard!s:.200}")
        for _ in range(lab.count(_STREAMS)):
            stack.enter_context(jobs.ann.listening([own] * 100))
        with jobs.ann.listening([own] * 100) as hear:
            jobs.ann.send("tasks/update", {"taskId": own, "inputResponses": _ANSWER})
            tally.check(jobs.ann.finish(own)["status"] == "completed", "the task did not go on")
            news = [each for each in hear() if each.get("method") == "notifications/tasks"]
        tally.check(0 < len(news) < _MAX_NEWS, f"a listener heard {len(news)} times")


def _report(lab: Lab, tally: Tally) -> None:
    for is_shared in (True, False):
        with on_redis(lab, tally) if is_shared else attacked(lab, tally, None) as jobs:
            task_id = jobs.ann.create("count", to=FLOOD)
            with jobs.ann.listening([task_id]) as hear:
                ended = jobs.ann.finish(task_id)
                news = [each for each in hear() if each.get("method") == "notifications/tasks"]
            tally.check(ended["status"] == "completed" and "result" in ended, f"it ended as {ended}")
            tally.check(0 < len(news) < _MAX_NEWS, f"a listener heard of {len(news)} changes")
            if jobs.valkey:
                [key] = jobs.valkey.command("KEYS", "*:task:*")
                revision = int(jobs.valkey.command("HGET", key, "revision"))
                tally.check(revision < _MAX_NEWS, f"{revision} values of one task were stored")


ATTACKS = (
    Attack(
        "10,000 tasks at once",
        "Of 10,000 calls that become tasks without an end, `max_waiting` are stored and the others rejected with the "
        "seconds to wait, in Redis and in memory; another caller is served meanwhile.",
        _flood,
        max_peak_mib=200,
        max_health_ms=100,
    ),
    Attack(
        "large requests for tasks",
        "4 MB beside the arguments of a call are in no record of its task.",
        _create_large,
        max_peak_mib=320,
    ),
    Attack(
        "answers to no question of a task",
        "Updates of 4 MB, of 400,000 levels and of 200,000 unknown keys, and those of tasks that are over, change no "
        "task and fail in no store; the task goes on with a valid answer.",
        _update,
        max_peak_mib=512,
        max_health_ms=100,
    ),
    Attack(
        "listeners to many tasks",
        "Listening to more than 100 tasks is rejected, and one of 200 listeners to a task hears of its end in few words.",
        _listen,
        max_peak_mib=200,
    ),
    Attack(
        "floods of progress",
        "A task with 100,000 reports of progress ends with its result, and stores and tells at most two a second.",
        _report,
        max_health_ms=100,
    ),
)
