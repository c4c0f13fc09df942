"""Attacks on the memory of sessions: requests that wait, events that are stored."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from typing import Any

from tests.attack.lab import HttpServer, Lab
from tests.attack.raw_http import exchange, parse_responses, request
from tests.attack.records import Attack, Tally

_SERVER = "tests.toolaccord.demo.desk"
_ACCEPT = "application/json, text/event-stream"
_PADDING = "x" * 3_900_000
_SLOGAN = "x" * 900_000
"""A text that the response repeats."""
_ARGUMENTS = {"city": "Rome"}
_ANSWERS: Mapping[str, Any] = {
    "elicitation/create": {"action": "decline"},
    "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": _SLOGAN}, "model": "m"},
    "roots/list": {"roots": []},
}
_CAPABILITIES: Mapping[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}
_EVENT = re.compile(rb"data: (\{[^\r]*)\r\n\r\n")
_ANSWER_S = 5.0
_SOON_S = 0.5
"""Seconds within which a rejection follows its head, and after which a call waits."""
_MAX_WAITING = 2
"""Calls of this size that fit into a session."""
_END_OF_HEAD = b"\r\n\r\n"
_LIMIT = re.compile(rb"The running requests of this (session|caller|server) would take more than \d+ bytes")


def _attack(lab: Lab, tally: Tally) -> None:
    with lab.server(_SERVER, tally) as server, ExitStack() as stack:
        for session in _open_sessions(server, lab.count(8)):
            for number in range(lab.count(100)):
                connection = stack.enter_context(_connect(server))
                connection.sendall(
                    _message("tools/call", number, session, _PADDING, name="wait", arguments={"name": "Ann"})
                )
                answer = _read_answer(connection)
                is_rejected = bool(_LIMIT.search(answer))
                may_wait = number < _MAX_WAITING and answer.endswith(_END_OF_HEAD)
                tally.check(answer.startswith(b"HTTP/1.1 200") and (is_rejected or may_wait), repr(answer[-600:]))


def _attack_events(lab: Lab, tally: Tally) -> None:
    with lab.server(_SERVER, tally) as server:
        for session in _open_sessions(server, lab.count(40)):
            for number in range(lab.count(20)):
                with _connect(server) as connection:
                    connection.sendall(_message("tools/call", number, session, name="plan_trip", arguments=_ARGUMENTS))
                    asks = _read_events(connection, 3)
                    for ask in asks:
                        answer = {"jsonrpc": "2.0", "id": ask["id"], "result": _ANSWERS[ask["method"]]}
                        exchange(server.port, _post(json.dumps(answer).encode(), session, "close"))
                    (response,) = _read_events(connection, 1)
                    tally.check(len(json.dumps(response)) > len(_SLOGAN), repr(response)[:200])


def _attack_questions(lab: Lab, tally: Tally) -> None:
    with lab.server(_SERVER, tally) as server, ExitStack() as stack:
        for session in _open_sessions(server, 5):
            for number in range(lab.count(100)):
                connection = stack.enter_context(_connect(server))
                connection.sendall(_message("tools/call", number, session, name="plan_trip", arguments=_ARGUMENTS))
                tally.check(len(_read_events(connection, 3)) == 3, "a question is missing")


def _connect(server: HttpServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), _ANSWER_S)


def _read_events(connection: socket.socket, count: int) -> list[Any]:
    """Return the next *count* messages of a stream, which have come to their ends."""
    received = b""
    while len(found := _EVENT.findall(received)) < count:
        received += connection.recv(1 << 20)
    return [json.loads(each) for each in found]


def _open_sessions(server: HttpServer, count: int) -> Iterator[str]:
    """Open *count* sessions; yield the id of each."""
    client = {"name": "attack", "version": "1"}
    for _ in range(count):
        opening = _message(
            "initialize", 0, "", protocolVersion="2025-11-25", capabilities=_CAPABILITIES, clientInfo=client
        )
        (response,) = parse_responses(exchange(server.port, opening, quiet_s=_ANSWER_S))
        yield response.headers["mcp-session-id"]


def _message(method: str, number: int, session: str, padding: str = "", **params: Any) -> bytes:
    meta = {"_meta": {"padding": padding}} if padding else {}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params | meta}).encode()
    return _post(body, session, "" if session else "close")


def _post(body: bytes, session: str, ending: str = "") -> bytes:
    return request("POST", "/mcp", body, Accept=_ACCEPT, Mcp_Session_Id=session, Connection=ending)


def _read_answer(connection: socket.socket) -> bytes:
    """Return the head of the answer, and an event if one follows soon."""
    received = b""
    while _END_OF_HEAD not in received:
        received += connection.recv(65_536)
    connection.settimeout(_SOON_S)
    with suppress(TimeoutError):
        while not _LIMIT.search(received):
            received += connection.recv(65_536)
    return received


ATTACKS = (
    Attack(
        "large requests that wait in sessions",
        "Of 100 calls of 3.9 MB in each of 8 sessions, those above the bytes of the session, the caller or the server are"
        " rejected; `/health` stays fast.",
        _attack,
        max_peak_mib=512,
        max_health_ms=100,
    ),
    Attack(
        "questions that wait in sessions",
        "1,500 questions of 500 calls in 5 sessions wait for their answers, and `/health` stays fast.",
        _attack_questions,
        max_peak_mib=160,
        max_health_ms=100,
    ),
    Attack(
        "large events of sessions",
        "800 responses of 900 KB in 40 sessions, each stored for a client that resumes its stream, take 64 MiB at most.",
        _attack_events,
        max_peak_mib=320,
        max_health_ms=100,
    ),
)
