"""Attacks on an agent over A2A, in both bindings and in both versions of JSON-RPC."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import httpx2

from tests.attack.lab import HttpServer, Lab
from tests.attack.records import Attack, Tally

_AGENT = "tests.attack.a2a_agent"
_ANN, _EVE = "open-5e5ame", "open-5e5ame-as-well"
_OF_TASKS = ("GetTask", "CancelTask", "SubscribeToTask")
_OF_TASKS_03 = ("tasks/get", "tasks/cancel", "tasks/resubscribe")
_OF_PUSH = (
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
)
_OF_PUSH_03 = tuple(f"tasks/pushNotificationConfig/{each}" for each in ("set", "get", "list", "delete"))
_ERRORS = {-32700, -32600, -32601, -32602, -32001, -32002, -32003, -32004, -32005, -32007, -32009}
"""Codes of JSON-RPC and A2A for faults of a caller."""
_STATUSES = {200, 400, 404, 405, 409, 411, 413, 414, 415, 431}
_LARGE = 300_000
"""Characters of a large text."""


@dataclass(frozen=True, slots=True)
class _Caller:
    """A caller with a token of its own."""

    http: httpx2.Client
    token: str

    def send(
        self, method: str, path: str, content: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        """Return the response to a request."""
        usual = {"Authorization": f"Bearer {self.token}", "A2A-Version": "1.0", "Content-Type": "application/json"}
        return self.http.request(method, path, content=content, headers=usual | dict(headers or {}))

    def call(self, method: str, params: Any, version: str = "1.0") -> dict[str, Any]:
        """Return the answer over JSON-RPC, or the last one of its stream."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        response = self.send("POST", "/a2a/v1", json.dumps(request).encode(), {"A2A-Version": version})
        answer: dict[str, Any] = _read(response)
        return answer

    def tell(self, text: str, *, waits: bool = True, **members: Any) -> dict[str, Any]:
        """Return the task of a message."""
        params = {"message": _say(text, **members), "configuration": {"returnImmediately": not waits}}
        task: dict[str, Any] = self.call("SendMessage", params)["result"]["task"]
        return task


class _Sent(NamedTuple):
    """A request."""

    method: str
    path: str
    content: bytes = b""
    headers: Mapping[str, str] | None = None


def _read(response: httpx2.Response) -> Any:
    """Return the JSON of a response, or of its last event."""
    events = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: ")]
    return json.loads(events[-1] if events else response.content)


def _say(text: str, **members: Any) -> dict[str, Any]:
    return {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}], **members}


@contextmanager
def _attacked(lab: Lab, tally: Tally) -> Iterator[tuple[HttpServer, _Caller, _Caller]]:
    """Run an agent; give it with two callers."""
    with ExitStack() as stack:
        agent = stack.enter_context(lab.agent(_AGENT, tally, {"MCP_AUTH_TOKEN": f"{_ANN},{_EVE}"}))
        http = stack.enter_context(httpx2.Client(base_url=agent.url, timeout=60, trust_env=False))
        yield agent, _Caller(http, _ANN), _Caller(http, _EVE)


def _attack_others(lab: Lab, tally: Tally) -> None:
    with _attacked(lab, tally) as (_, ann, eve):
        running, ended = ann.tell("wait", waits=False), ann.tell("the plan of Ann")
        expected = list(_ask_for(eve, secrets.token_urlsafe(32)))
        for task in (running, ended):
            for found, known in zip(_ask_for(eve, task["id"]), expected, strict=True):
                tally.check(found == known, f"another caller's task has {found}, an unknown one {known}")
        context = ended["contextId"]
        answers = eve.tell("Go on.", contextId=context), eve.tell("Again.", contextId=context, messageId="m")
        tally.check("plan of Ann" not in str(answers), f"a stranger goes on with a conversation: {answers}")
        tally.check(len({each["id"] for each in (*answers, ended)}) == 3, "messages with one id are one task")
        listed = (eve.call("ListTasks", {"contextId": context}), eve.call("ListTasks", {"includeArtifacts": True}))
        tally.check("plan of Ann" not in str(listed), f"a stranger lists {listed}")
        rest = eve.send("GET", f"/a2a/v1/tasks?contextId={context}&includeArtifacts=true").text
        tally.check("plan of Ann" not in rest and running["id"] not in rest, f"a stranger lists {rest}")
        mine = ann.tell("And now?", contextId=context)
        tally.check("Go on." not in str(mine) and "plan of Ann" in str(mine), f"a stranger wrote into {mine}")
        state = ann.call("GetTask", {"id": running["id"]})["result"]["status"]["state"]
        tally.check(state == "TASK_STATE_WORKING", f"a stranger changed a task: {state}")
        cancelled = ann.call("CancelTask", {"id": running["id"]})["result"]["status"]["state"]
        tally.check(cancelled == "TASK_STATE_CANCELED", f"a task is {cancelled}")


def _ask_for(caller: _Caller, task_id: str) -> Iterator[str]:
    """Yield the answers to all requests about a task, without its id."""
    push = {"taskId": task_id, "id": "x", "url": "http://127.0.0.1:9/"}
    requests: list[tuple[str, Any, str]] = [(each, {"id": task_id}, "1.0") for each in _OF_TASKS]
    requests += [(each, {"id": task_id}, "0.3") for each in _OF_TASKS_03]
    requests += [(each, push, "1.0") for each in _OF_PUSH]
    requests += [
        ("SendMessage", {"message": _say("x", taskId=task_id)}, "1.0"),
        ("SendStreamingMessage", {"message": _say("x", taskId=task_id)}, "1.0"),
    ]
    for method, params, version in requests:
        yield f"{method} {caller.call(method, params, version)}".replace(task_id, "ID")
    place = f"/a2a/v1/tasks/{task_id}"
    for method, path in (
        ("GET", place),
        ("POST", f"{place}:cancel"),
        ("GET", f"{place}:subscribe"),
        ("POST", f"{place}:subscribe"),
        ("GET", f"{place}/pushNotificationConfigs"),
        ("DELETE", f"{place}/pushNotificationConfigs/x"),
    ):
        response = caller.send(method, path)
        yield f"{method} {path} {response.status_code} {response.text}".replace(task_id, "ID")


def _attack_messages(lab: Lab, tally: Tally) -> None:
    with socket.create_server(("127.0.0.1", 0)) as callback, _attacked(lab, tally) as (agent, ann, _):
        callback.setblocking(False)
        url = f"http://127.0.0.1:{callback.getsockname()[1]}/x"
        for sent in list(_requests(url))[:: max(1, round(1 / lab.scale))]:
            _check_answer(tally, ann.send(*sent), sent)
        try:
            callback.accept()
        except BlockingIOError:
            tally.check(True, "")
        else:
            tally.check(False, "the agent sent a request to a URL of a message")
        answer = ann.tell("hi")
        tally.check("You said: hi" in str(answer), f"afterwards the agent answers {answer}")
        errors = [line for line in agent.log_lines() if '"ERROR"' in line or "Traceback" in line]
        tally.check(not errors, f"logged: {errors[:1]}")


def _requests(url: str) -> Iterator[_Sent]:
    """Yield odd requests, of which some name *url*."""
    for body in _bodies(url):
        version = "0.3" if b'"message/send"' in body or b'"tasks/' in body else "1.0"
        yield _Sent("POST", "/a2a/v1", body, {"A2A-Version": version})
    for params in _params(url):
        for path in ("v1/message:send", "v1/message:stream", "v1/tasks/x/pushNotificationConfigs", ""):
            yield _Sent("POST", f"/a2a/{path}".rstrip("/"), params)
    for path in _paths():
        for method in ("GET", "POST"):
            yield _Sent(method, path)
    for headers in _headers():
        yield _Sent("POST", "/a2a/v1", json.dumps(_request("GetTask", {"id": "x"})).encode(), headers)


def _check_answer(tally: Tally, response: httpx2.Response, sent: _Sent) -> None:
    """Check that a request has the error for its fault, or a task that tells of it."""
    status, text = response.status_code, response.text
    place = f"{sent.method} {sent.path[:80]} {sent.content[:80]!r} {str(sent.headers)[:80]}"
    tally.check(status in _STATUSES, f"{place} has {status} {text[:100]}")
    answer = _read(response) if text else {}
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict) and status == 200 and sent.path == "/a2a/v1":
        tally.check(error["code"] in _ERRORS, f"{place} has {error}")


def _request(method: Any, params: Any, **members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params} | members


def _bodies(url: str) -> Iterator[bytes]:
    """Yield bodies for JSON-RPC."""
    for params in _params(url):
        for method in ("SendMessage", "message/send"):
            yield json.dumps(_request(method, "HERE")).encode().replace(b'"HERE"', params)
    names = (
        *_OF_TASKS,
        *_OF_TASKS_03,
        *_OF_PUSH,
        *_OF_PUSH_03,
        "ListTasks",
        "GetExtendedAgentCard",
        "agent/getAuthenticatedExtendedCard",
    )
    odd: tuple[Any, ...] = (
        None,
        [],
        {},
        5,
        "x",
        {"id": None},
        {"id": []},
        {"id": "\x00"},
        {"id": "A" * _LARGE},
        {"id": "../x"},
        {"id": "\ud800"},
    )
    for name in names:
        for value in odd:
            yield json.dumps(_request(name, value)).encode()
        yield json.dumps(
            _request(name, {"id": "x", "taskId": "x", "pushNotificationConfig": {"url": url}, "url": url})
        ).encode()
    for paged in (
        {"pageSize": -1},
        {"pageSize": 10**9},
        {"pageToken": "\x00"},
        {"status": "X"},
        {"status": 99},
        {"historyLength": -1},
    ):
        yield json.dumps(_request("ListTasks", paged)).encode()
    methods: tuple[Any, ...] = ("", "\x00", "x" * _LARGE, 5, None, [], {}, "__class__", "constructor", "SendMessage\n")
    for method in methods:
        yield json.dumps(_request(method, {})).encode()
    ids: tuple[Any, ...] = ([], {}, True, 1.5, 10**400, "x" * _LARGE, "\ud800")
    for given in ids:
        yield json.dumps(_request("GetTask", {"id": "x"}, id=given)).encode()
    good = _request("SendMessage", {"message": _say("hi")})
    yield json.dumps([good, good]).encode()
    yield json.dumps(good | {"jsonrpc": "1.0"}).encode()
    yield from (b"", b"null", b"[]", b"7", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"x" * 10 * _LARGE)


def _params(url: str) -> Iterator[bytes]:
    """Yield parameters of a message, as JSON."""
    push: dict[str, Any] = {"url": url, "token": "x", "authentication": {"scheme": "Bearer", "credentials": "x"}}
    configurations: tuple[Any, ...] = (
        {"taskPushNotificationConfig": push},
        {"pushNotificationConfig": push},
        {"taskPushNotificationConfig": {"pushNotificationConfig": push}},
        {"acceptedOutputModes": ["\x00"] * 1000},
        {"historyLength": -5},
        {"historyLength": 10**30},
        {"blocking": "x"},
        5,
        [],
    )
    for configuration in configurations:
        yield json.dumps({"message": _say("hi"), "configuration": configuration}).encode()
    parts: tuple[Any, ...] = (
        [], None, 5, {}, [None], [5], [{}], [{"text": None}], [{"text": 5}], [{"text": "x", "data": {}}], [{"raw": "%%"}], [{"raw": "QUJD"}],
        [{"raw": "A" * _LARGE}], [{"url": url}], [{"url": "file:///etc/passwd"}], [{"url": "http://169.254.169.254/latest"}], [{"data": None}],
        [{"data": 5}], [{"data": {"input": {"messages": 5, "metadata": {"__proto__": 1}}}}], [{"data": {"x": 1e308}}], [{"text": "\ud800"}],
        [{"text": "\x00\x1b[2J\r\n\r\ndata: {}\r\n\r\n"}], [{"text": "x" * 3 * _LARGE}], [{"text": "x"}] * 2000, [{"text": "x", "mediaType": "\r\nX: y"}],
        [{"kind": "text", "text": "hi"}], [{"kind": "file", "file": {"uri": url}}], [{"kind": "data", "data": []}], [{"text": "x", "metadata": 5}],
    )  # fmt: skip
    for each in parts:
        yield json.dumps({"message": {"messageId": "m", "role": "ROLE_USER", "parts": each}}).encode()
    odd: tuple[dict[str, Any], ...] = (
        {"role": "ROLE_AGENT"}, {"role": 99}, {"role": "x"}, {"messageId": ""}, {"messageId": "x" * _LARGE}, {"contextId": "\x00"}, {"contextId": "x" * _LARGE},
        {"taskId": "x" * _LARGE}, {"taskId": 5}, {"referenceTaskIds": ["x"] * 3000}, {"extensions": [url] * 3000}, {"metadata": {"a": [[]] * 2000}},
        {"metadata": 5}, {"unknown": 1}, {"parts": [{"text": "hi"}], "Parts": []},
    )  # fmt: skip
    for members in odd:
        yield json.dumps({"message": _say("hi", **members)}).encode()
    yield b'{"message": {"messageId": "m", "messageId": "n", "role": "ROLE_USER", "parts": [{"text": "hi"}], "parts": [{"data": NaN}]}}'
    yield b'{"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": %b1%b}]}}' % (
        b"[" * 4000,
        b"]" * 4000,
    )
    yield b'{"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": ' + b"9" * 10_000 + b"}]}}"


def _paths() -> Iterator[str]:
    """Yield paths below that of HTTP+JSON."""
    for name in ("%00", "..%2f..%2fhealth", "a%0d%0ab", "%ff", "A" * 4000, ":cancel", "x:y:z", "x%3acancel", "%20"):
        for path in (
            "tasks/{}",
            "tasks/{}:cancel",
            "tasks/{}:subscribe",
            "{}/tasks/x",
            "tasks/{}/pushNotificationConfigs/{}",
        ):
            yield "/a2a/v1/" + path.replace("{}", name)
    for query in (
        "pageSize=-1",
        "pageSize=x",
        "pageToken=%00",
        "status=x",
        "historyLength=-1",
        "x=" + "y" * 4000,
        "contextId=%ff",
    ):
        yield f"/a2a/v1/tasks?{query}"
    yield from ("/a2a/v1/extendedAgentCard", "/a2a/v1/card", "/a2a/v1/", "/a2a/v1//", "/a2a/", "/a2a/v1/message:send/x")


def _headers() -> list[dict[str, str]]:
    versions = ("", "0.2", "9.9", "x" * 4000, "1.0,0.3", "-1")
    return [
        *({"A2A-Version": each} for each in versions),
        {"A2A-Extensions": ",".join(["https://x"] * 400)},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/a2a+json; charset=utf-7"},
    ]


ATTACKS = (
    Attack(
        "A2A tasks of other callers",
        "Who has another caller's id of a task or of a conversation of an agent finds nothing, changes nothing and hears "
        "nothing: the answers are those for an id that nobody has.",
        _attack_others,
    ),
    Attack(
        "hostile messages over A2A",
        "Odd messages, ids, versions, paths and URLs for notifications have the error for their fault, in both bindings; "
        "the agent sends nothing to a URL of a message, and logs no error.",
        _attack_messages,
        max_peak_mib=320,
        max_health_ms=100,
    ),
)
