"""A caller of tasks that sends what it likes, and the server that it calls."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp.shared.inbound import encode_header_value

from tests.attack.lab import TOKEN, HttpServer, Lab
from tests.attack.records import Tally
from tests.attack.tasks.server import RULES, STORE
from tests.services.valkey import Valkey

EXTENSION = "io.modelcontextprotocol/tasks"
MODULE = "tests.attack.tasks.server"
OTHER_TOKEN = "open-5e5ame-as-well"
FINAL = {"completed", "failed", "cancelled"}
METHODS = ("tasks/get", "tasks/update", "tasks/cancel")
VERSION = "2026-07-28"
_MAX_NAME = 4000
"""Characters of a name in a header; a server closes the connection for longer ones."""
_UNLIMITED = httpx2.Limits(max_connections=None)
_PATIENCE_S, _POLL_S = 60.0, 0.05


def envelope(**further: Any) -> dict[str, Any]:
    """Return the `_meta` of a request of a client that handles tasks and answers questions."""
    capabilities: dict[str, Any] = {"extensions": {EXTENSION: {}}, "elicitation": {}}
    return {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "attack", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    } | further


def message(method: str, params: Mapping[str, Any], token: str, **meta: Any) -> tuple[dict[str, str], bytes]:
    """Return headers and body of a request; a header repeats the name of its subject."""
    name = params.get("name" if method == "tools/call" else "taskId")
    headers = {
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": method,
    }
    if isinstance(name, str):
        headers["Mcp-Name"] = encode_header_value(name[:_MAX_NAME].encode(errors="replace").decode())
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": envelope(**meta)}}
    return headers, json.dumps(body).encode()


@dataclass(frozen=True, slots=True)
class TaskCaller:
    """A caller with a token of its own."""

    http: httpx2.Client
    token: str

    def send(self, method: str, params: Mapping[str, Any], **meta: Any) -> dict[str, Any]:
        """Return the response to a request of MCP."""
        return self.post(*message(method, params, self.token, **meta))

    def post(self, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        """Return the response to any request of MCP."""
        return _read_message(self.http.post("/mcp", content=body, headers=headers))

    def create(self, tool: str, **arguments: Any) -> str:
        """Return the id of the task that a call becomes."""
        result = self.send("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert result["resultType"] == "task", result
        task_id: str = result["taskId"]
        return task_id

    def get(self, task_id: str) -> dict[str, Any]:
        """Return a task."""
        task: dict[str, Any] = self.send("tasks/get", {"taskId": task_id})["result"]
        return task

    def wait_for(self, task_id: str, is_reached: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
        """Return a task as soon as it is as *is_reached* says, or over."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            task = self.get(task_id)
            if is_reached(task) or task["status"] in FINAL:
                return task
            assert time.monotonic() < end, f"a task is {task['status']} for ever"
            time.sleep(_POLL_S)

    def finish(self, task_id: str) -> dict[str, Any]:
        """Return a task as soon as it is over."""
        return self.wait_for(task_id, lambda _: False)

    def rest(self, method: str, task_id: str, body: bytes = b"") -> httpx2.Response:
        """Return the response to a request about a task over plain HTTP."""
        headers = {"Authorization": f"Bearer {self.token}"} | ({"Content-Type": "application/json"} if body else {})
        return self.http.request(method, f"/mcp/tasks/{task_id}", content=body, headers=headers)

    @contextmanager
    def listening(self, task_ids: Sequence[Any]) -> Iterator[Callable[[], list[dict[str, Any]]]]:
        """Give a function that returns what a stream says until it is silent for two seconds."""
        headers, body = message("subscriptions/listen", {"notifications": {"taskIds": task_ids}}, self.token)
        timeout = httpx2.Timeout(60, read=2)
        with self.http.stream("POST", "/mcp", content=body, headers=headers, timeout=timeout) as response:
            yield lambda: list(_read_events(response))


def _read_events(response: httpx2.Response) -> Iterator[dict[str, Any]]:
    if not response.headers["content-type"].startswith("text/event-stream"):
        response.read()
        yield _read_message(response)
        return
    received = b""
    with suppress(httpx2.ReadTimeout):
        for part in response.iter_bytes():
            received += part
    for line in re.split(rb"\r\n|\r|\n", received):
        if line.startswith(b"data:") and line != b"data: ":
            yield json.loads(line.removeprefix(b"data:"))


def _read_message(response: httpx2.Response) -> dict[str, Any]:
    """Return the message in a body, or in the last event of a stream."""
    events = [line for line in response.text.split("\n") if line.startswith("data: {")]
    answer: dict[str, Any] = json.loads(events[-1].removeprefix("data: ") if events else response.content)
    return answer


@dataclass(frozen=True, slots=True)
class Jobs:
    """A server of tasks, its store, and two callers of it."""

    server: HttpServer
    valkey: Valkey | None
    """The store; None for another one."""
    ann: TaskCaller
    eve: TaskCaller
    """Another caller."""

    def metric(self, name: str) -> float:
        """Return the sum of a metric of the server."""
        text = self.ann.http.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
        lines = [line for line in text.splitlines() if line.startswith((f"{name}{{", f"{name} "))]
        return sum(float(line.rpartition(" ")[2]) for line in lines)

    def stored_bytes(self) -> int:
        """Return the memory that the Redis takes."""
        assert self.valkey
        used: int = self.valkey.command("INFO", "memory")["used_memory"]
        return used


@contextmanager
def attacked(lab: Lab, tally: Tally, store: Valkey | str | None, **rules: Any) -> Iterator[Jobs]:
    """Run a server with tasks in *store* under *rules*, and measure it.

    Without a store, its memory has the tasks.
    """
    settings = {"MCP_AUTH_TOKEN": f"{TOKEN},{OTHER_TOKEN}", RULES: json.dumps(rules)}
    if store:
        settings[STORE] = store if isinstance(store, str) else store.url
    with ExitStack() as stack:
        server = stack.enter_context(lab.server(MODULE, tally, settings))
        http = stack.enter_context(
            httpx2.Client(base_url=server.url, timeout=_PATIENCE_S, trust_env=False, limits=_UNLIMITED)
        )
        valkey = store if isinstance(store, Valkey) else None
        yield Jobs(server, valkey, TaskCaller(http, TOKEN), TaskCaller(http, OTHER_TOKEN))


@contextmanager
def on_redis(lab: Lab, tally: Tally, **rules: Any) -> Iterator[Jobs]:
    """Run a server with tasks in a Redis of its own, and measure it."""
    with Valkey(lab.new_folder()).running() as store, attacked(lab, tally, store, **rules) as jobs:
        yield jobs
