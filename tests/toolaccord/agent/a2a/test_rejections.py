"""Requests that an agent over A2A rejects, each with an error in the form of its binding."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.toolaccord.agent.a2a.guide import serving
from tests.toolaccord.agent.a2a.served import Served, say
from toolaccord.testing import capture_logs

pytestmark = pytest.mark.asyncio(loop_scope="module")
DEEP = b"[" * 100_000 + b"]" * 100_000
WIDE = json.dumps([0] * 6000).encode()
SURROGATE = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": say("\ud800")}}
).encode()
GOOD = {"input": {"messages": [{"role": "user", "content": "hi"}]}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served() -> AsyncIterator[Served]:
    async with serving(MCP_MAX_BODY_BYTES="1000000") as (agent, _):
        yield agent


def rpc(method: Any, params: Any) -> dict[str, Any]:
    """Return a request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def old(*parts: Any, role: str = "user") -> dict[str, Any]:
    """Return a message of the protocol's version 0.3."""
    return {"message": {"kind": "message", "role": role, "messageId": "m", "parts": parts}}


@pytest.mark.parametrize(
    "body, status, code",
    [
        (b"", 200, -32700),
        (b"{", 200, -32700),
        (b"\xff", 200, -32700),
        (DEEP, 200, -32700),
        (SURROGATE, 200, -32700),
        (WIDE, 200, -32600),
        (b"x" * 1_000_001, 413, -32600),
        (b"null", 200, -32600),
        (b"[1]", 200, -32600),
        (json.dumps([rpc("GetTask", {"id": "x"})]).encode(), 200, -32600),
        (rpc("Dance", {}), 200, -32601),
        (rpc([], {}), 200, -32600),
        (rpc({}, {}), 200, -32600),
        (rpc("SendMessage", {}), 200, -32602),
        (rpc("SendMessage", {"message": 1}), 200, -32602),
        (rpc("SendMessage", {"message": say("hi", parts=[])}), 200, -32602),
        (rpc("SendMessage", {"message": say("")}), 200, -32602),
        (rpc("SendMessage", {"message": say("hi", role="ROLE_AGENT")}), 200, -32602),
        (rpc("SendMessage", {"message": say("hi", messageId="x" * 257)}), 200, -32602),
        (rpc("SendMessage", {"message": say("hi", contextId="x" * 257)}), 200, -32602),
        (rpc("SendMessage", {"message": say("hi", referenceTaskIds=["x" * 257])}), 200, -32602),
        (rpc("SendMessage", {"message": say("hi", parts=[{"data": 1}, {"data": 2}])}), 200, -32602),
        (rpc("SendMessage", {"message": say("hi", parts=[{"data": json.loads("[" * 200 + "]" * 200)}])}), 200, -32602),
        (rpc("SendMessage", {"message": say("hi", parts=[{"url": "http://x/"}])}), 200, -32005),
        (rpc("SendMessage", {"message": say("hi"), "configuration": {"historyLength": -1}}), 200, -32602),
        (
            rpc(
                "SendMessage",
                {"message": say("hi"), "configuration": {"taskPushNotificationConfig": {"url": "http://x/"}}},
            ),
            200,
            -32003,
        ),
        (rpc("GetTask", {"id": "nobody's"}), 200, -32001),
        (rpc("CancelTask", {"id": "nobody's"}), 200, -32001),
        (rpc("SubscribeToTask", {"id": "nobody's"}), 200, -32001),
        (rpc("ListTasks", {"pageSize": 0}), 200, -32602),
        (rpc("ListTasks", {"status": "DANCING"}), 200, -32602),
        (rpc("CreateTaskPushNotificationConfig", {"taskId": "x", "url": "http://x/"}), 200, -32003),
        (rpc("GetExtendedAgentCard", {}), 200, -32004),
    ],
)
async def test_a_broken_request_of_json_rpc_is_an_error_of_json_rpc(
    served: Served, body: Any, status: int, code: int
) -> None:
    response = await served.post("/a2a/v1", body)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert "x-correlation-id" in response.headers


@pytest.mark.parametrize(
    "method, params, code",
    [
        ("message/send", {}, -32600),
        ("message/send", {"message": 1}, -32600),
        ("message/send", old(), -32602),
        ("message/send", old({"kind": "text"}), -32600),
        ("message/send", old({"kind": "file", "file": {"uri": "http://x/"}}), -32005),
        ("message/send", old({"kind": "text", "text": "hi"}, role="agent"), -32602),
        ("message/stream", old({"kind": "text", "text": ""}), -32602),
        ("tasks/get", {"id": "nobody's"}, -32001),
        ("tasks/cancel", {"id": "nobody's"}, -32001),
        ("tasks/resubscribe", {"id": "nobody's"}, -32001),
        ("tasks/pushNotificationConfig/set", {"taskId": "x", "pushNotificationConfig": {"url": "http://x/"}}, -32003),
        ("agent/getAuthenticatedExtendedCard", None, -32004),
    ],
)
async def test_a_broken_request_of_version_0_3_is_an_error_of_json_rpc(
    served: Served, method: str, params: Any, code: int
) -> None:
    response = await served.post("/a2a/v1", rpc(method, params), **{"A2A-Version": "0.3"})
    text = response.text.removeprefix("data: ")
    assert (response.status_code, json.loads(text)["error"]["code"]) == (200, code)


@pytest.mark.parametrize(
    "method, version", [("message/send", "1.0"), ("message/stream", "1.0"), ("tasks/get", "2"), ("SendMessage", "0.3")]
)
async def test_a_method_of_another_version_than_the_header_names_is_minus_32009(
    served: Served, method: str, version: str
) -> None:
    response = await served.post("/a2a/v1", rpc(method, {"message": say("hi")}), **{"A2A-Version": version})
    answer = response.json()
    assert (response.status_code, answer["id"], answer["error"]["code"]) == (200, 1, -32009)
    assert answer["error"]["data"][0]["reason"] == "VERSION_NOT_SUPPORTED"


@pytest.mark.parametrize(
    "method, path, body, status",
    [
        ("POST", "/message:send", b"", 400),
        ("POST", "/message:send", b"{", 400),
        ("POST", "/message:send", DEEP, 400),
        ("POST", "/message:send", WIDE, 413),
        ("POST", "/message:send", b"x" * 1_000_001, 413),
        ("POST", "/message:send", {"message": 1}, 400),
        ("POST", "/message:stream", {"message": 1}, 400),
        ("POST", "/message:stream", {"message": say("")}, 400),
        ("GET", "/message:send", None, 405),
        ("PUT", "/message:send", {}, 405),
        ("POST", "/dance", {}, 404),
        ("GET", "/tasks/nobody's", None, 404),
        ("GET", "/tasks?status=DANCING", None, 400),
        ("GET", "/tasks?status=99", None, 400),
        ("GET", f"/tasks?status={'9' * 5000}", None, 400),
        ("GET", "/tasks/%ff%00", None, 404),
        ("POST", "/tasks/nobody's:cancel", None, 404),
        ("GET", "/tasks?pageSize=many", None, 400),
        ("GET", "/tasks?pageToken=%ff", None, 400),
    ],
)
async def test_a_broken_request_of_http_json_is_an_error_with_its_status(
    served: Served, method: str, path: str, body: Any, status: int
) -> None:
    content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    headers = {"A2A-Version": "1.0"} | ({} if content is None else {"Content-Type": "application/a2a+json"})
    response = await served.http.request(method, f"/a2a/v1{path}", content=content, headers=headers)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, status)
    assert error["message"]
    assert error["details"][0]["domain"] == "a2a-protocol.org"


@pytest.mark.parametrize(
    "body, status, code",
    [
        ({"input": {}}, 400, "INVALID_PARAMETERS"),
        ([], 400, "INVALID_PARAMETERS"),
        (b"{", 400, "INVALID_PARAMETERS"),
        (DEEP, 400, "INVALID_PARAMETERS"),
        (WIDE, 413, "INVALID_PARAMETERS"),
        (b"x" * 1_000_001, 413, "INVALID_PARAMETERS"),
        ({"input": {"messages": [{"role": "user", "content": "fail"}]}}, 500, "NO_WAY"),
    ],
)
async def test_a_broken_plain_request_is_an_error_with_code_message_and_details(
    served: Served, body: Any, status: int, code: str
) -> None:
    response = await served.post("/a2a", body)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, code)
    assert error.keys() == {"code", "message", "details"}


async def test_a_plain_request_is_answered_with_the_result_and_its_correlation_id(served: Served) -> None:
    response = await served.post("/a2a", GOOD, **{"X-Correlation-ID": "abc-1"})
    assert response.status_code == 200
    assert response.json()["output"] == {"text": "You said: hi", "seen": GOOD["input"], "corr_id": "abc-1"}
    assert response.headers["x-correlation-id"] == "abc-1"


@pytest.mark.parametrize(
    "path", ["/a2a", "/a2a/v1", "/a2a/v1/", "/a2a/v1/message:send", "/.well-known/agent-card.json", "/metrics"]
)
async def test_every_page_checks_host_and_origin(served: Served, path: str) -> None:
    statuses = {}
    for name, value in (("Host", "evil.example"), ("Origin", "http://evil.example")):
        response = await served.http.get(path, headers={name: value})
        statuses[name] = response.status_code
        assert response.json()["error"]["message"]
    assert statuses == {"Host": 421, "Origin": 403}


@pytest.mark.parametrize("path", ["/a2a", "/a2a/v1", "/a2a/v1/", "/a2a/v1/message:send"])
async def test_a_body_of_another_media_type_is_rejected(served: Served, path: str) -> None:
    response = await served.post(path, GOOD, **{"Content-Type": "text/plain"})
    assert response.status_code == 415
    error = response.json()["error"]
    assert "application/json" in error["message"]
    assert error["code"] == {"/a2a": "INVALID_PARAMETERS", "/a2a/v1/message:send": 415}.get(path, -32005)


async def test_operators_have_their_pages(served: Served) -> None:
    await served.post("/a2a", GOOD)
    health, ready, metrics = [await served.http.get(path) for path in ("/health", "/ready", "/metrics")]
    assert health.json() == {"status": "ok"}
    assert ready.json() == {"status": "ready", "sources": {}}
    assert "guide_agent_latency_ms_count" in metrics.text
    assert (await served.http.get("/nowhere")).json()["error"]["code"] == "NOT_FOUND"


async def test_mistakes_of_callers_are_no_errors_in_the_log(served: Served) -> None:
    with capture_logs() as records:
        for body in (b"[1]", rpc("SendMessage", {"message": 1}), rpc("GetExtendedAgentCard", {})):
            await served.post("/a2a/v1", body)
        await served.post("/a2a/v1", rpc("message/send", {}), **{"A2A-Version": "0.3"})
        await served.post("/a2a/v1/message:send", {"message": 1})
        await served.post("/a2a/v1", rpc("GetTask", {"id": "x"}), **{"A2A-Version": "9.0"})
    assert len(records) >= 6
    assert {(record.levelname, record.exc_info) for record in records} == {("INFO", None)}
