import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

import pytest

from benchmarks.clients.messages import NUMBERED, AnswerError, Era, call, check_answer, number_lines, request, result
from benchmarks.clients.over_http import Reply, http_request
from benchmarks.clients.over_stdio import Pipes
from benchmarks.servers.contract import CACHED, contract, inline_references

ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"isError":false,"tools":[]}}'


def test_requests_are_numbered_and_otherwise_the_same() -> None:
    lines = number_lines(call("candles", symbol="ETH/USD"), 7, 3).splitlines()
    assert [json.loads(line)["id"] for line in lines] == [7, 8, 9]
    assert {json.dumps(json.loads(line)["params"]) for line in lines} == {
        '{"name": "candles", "arguments": {"symbol": "ETH/USD"}}'
    }


def test_a_numbered_text_differs_in_each_request() -> None:
    lines = number_lines(call("alert", message=NUMBERED), 7, 2).splitlines()
    assert [json.loads(line)["params"]["arguments"]["message"] for line in lines] == ["number 7", "number 8"]


@pytest.mark.parametrize(
    "answer",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: x"}}',
    ],
)
def test_an_error_is_no_answer(answer: bytes) -> None:
    with pytest.raises(AnswerError):
        check_answer(answer)
    with pytest.raises(AnswerError):
        result(answer)


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        b"event: message\r\ndata: " + ANSWER + b"\r\n\r\n",
        b"id: 1\r\ndata: \r\n\r\nevent: message\ndata: " + ANSWER + b"\n\n",
    ],
)
def test_a_result_is_found_in_json_and_in_an_event(answer: bytes) -> None:
    assert result(check_answer(answer)) == {"isError": False, "tools": []}


@pytest.mark.parametrize(
    "head, body", [("Content-Length: 4", b"abcd"), ("Transfer-Encoding: chunked", b"2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n")]
)
def test_a_response_is_complete_only_at_its_last_byte(head: str, body: bytes) -> None:
    reply, whole = Reply(), f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body
    assert [reply.add(whole[place : place + 1]) for place in range(len(whole) - 1)] == [None] * (len(whole) - 1)
    assert reply.add(whole[-1:]) == b"abcd"


def test_a_rejected_request_is_no_answer() -> None:
    with pytest.raises(AnswerError, match="421"):
        Reply().add(b"HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n")


@contextmanager
def answering() -> Iterator[tuple[Pipes, list[list[int]]]]:
    """Yield the pipes of a server that answers all requests, and the ids of each read."""
    (answers, writing), (reading, requests) = os.pipe(), os.pipe()
    seen: list[list[int]] = []

    def serve() -> None:
        while part := os.read(reading, 1 << 16):
            seen.append([json.loads(line)["id"] for line in part.splitlines()])
            os.write(writing, b"".join(ANSWER.replace(b'"id":1', b'"id":%d' % each) + b"\n" for each in seen[-1]))

    served = threading.Thread(target=serve)
    served.start()
    yield Pipes(answers, requests), seen
    os.close(requests)
    served.join()
    for end in (answers, writing, reading):
        os.close(end)


def test_every_pipelined_request_is_counted_and_the_window_is_never_exceeded() -> None:
    with answering() as (pipes, seen):
        answered, seconds = pipes.call_pipelined(request("tools/list"), 5, 0.05)
    assert list(chain(*seen)) == list(range(1, answered + 1))
    assert max(map(len, seen)) <= 5
    assert seconds >= 0.05


def test_each_concurrent_call_has_its_duration() -> None:
    with answering() as (pipes, seen):
        durations = pipes.call_concurrently(request("tools/list"), 5, 0.05)
    assert list(chain(*seen)) == list(range(1, len(durations) + 1))
    assert max(map(len, seen)) <= 5
    assert min(durations) > 0


def test_a_window_that_could_fill_a_pipe_is_rejected() -> None:
    with pytest.raises(ValueError, match="could fill a pipe"):
        Pipes(-1, -1).call_pipelined(b"x" * 1000, 1000, 1)


def test_each_measured_tool_exists_with_and_without_a_cache() -> None:
    tools = {tool["name"]: tool for tool in contract(2)["tools"]}
    assert list(tools)[:4] == [*CACHED, *CACHED.values()]
    assert [name for name, tool in tools.items() if "cache" in tool] == list(CACHED.values())
    assert len(tools) == 6


def test_references_of_a_published_schema_are_inlined() -> None:
    whole = contract()
    assert "$ref" in json.dumps(whole["tools"])
    assert "$ref" not in json.dumps([inline_references(tool["returns"], whole["$defs"]) for tool in whole["tools"]])


def test_over_http_a_request_has_the_headers_of_its_era() -> None:
    handshake = http_request(call("top"), 80).decode()
    assert "MCP-Protocol-Version: 2025-11-25\r\n" in handshake
    assert "Mcp-Method" not in handshake
    stateless = http_request(call("top", Era.STATELESS), 80).decode()
    for header in ("MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: top"):
        assert f"{header}\r\n" in stateless
    assert '"io.modelcontextprotocol/protocolVersion":"2026-07-28"' in stateless
