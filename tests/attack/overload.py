"""Attacks with more calls than a server can finish, and with a Redis that answers slowly."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import sandbox
from benchmarks.clients.paced import Response, offer, post
from tests.attack.lab import TOKEN, HttpServer, Lab
from tests.attack.records import Attack, Tally
from tests.services.valkey import Valkey
from toolaccord.json_values import JsonObject

_RISK = ("RISK_DATABASE_URL", "REDIS_URL", "NATS_URL")
_CHECK, _ALERT = "/mcp/tools/risk.position_limits_check", "/mcp/tools/risk.trigger_alert"
_UNLIMITED = {"RISK_POSITION_LIMITS_CHECK_RATE_LIMIT_CALLS": "0"}
_FLOOD, _FLOOD_A_SECOND, _CONNECTIONS = 4800, 800, 128
_RECOVERY_S = 60.0
_ACCEPTED, _LIMITED, _NO_SOURCE, _LATE, _REJECTED = "MCP-001", "MCP-006", "MCP-003", "MCP-004", "MCP-013"
"""Codes: invalid but counted, beyond its limit, two of a busy server, and never run."""
_LIMIT, _BURST, _CALLERS, _SLOW_S = 200, 600, 50, 0.04
"""A burst: limit, calls, connections, and Redis's delay, twice the source's timeout."""


def _flood(lab: Lab, tally: Tally) -> None:
    requests = [_request(_CHECK, _order(number)) for number in range(lab.count(_FLOOD))]
    with (
        sandbox.environment(_RISK) as settings,
        lab.server("platform.risk", tally, {**settings, **_UNLIMITED}) as server,
    ):
        for response in asyncio.run(offer(server.port, requests, _FLOOD_A_SECOND, _CONNECTIONS)):
            tally.check(_is_fair(response), f"a call has {response.status} {response.body[:200]!r}")
        tally.check(_recovers(server), f"no call has a result within {_RECOVERY_S:.0f} s after the flood")


def _is_fair(response: Response) -> bool:
    """Return whether *response* is a result, late, of a source, or says when to call again."""
    if (code := _code(response)) != _REJECTED:
        return code in {"result", _LATE, _NO_SOURCE}
    return response.status == 503 and json.loads(response.body)["error"]["details"]["retry_after_s"] >= 1


def _recovers(server: HttpServer) -> bool:
    """Return whether a call has a result before the time is over; a busy machine needs some."""
    end = time.monotonic() + _RECOVERY_S
    for number in range(_FLOOD, 2 * _FLOOD):
        [response] = asyncio.run(offer(server.port, [_request(_CHECK, _order(number))], 1, 1))
        if response.status == 200 or time.monotonic() > end:
            return response.status == 200
    return False


def _burst(lab: Lab, tally: Tally) -> None:
    """Call two replicas beyond a limit that they share in a slow Redis."""
    calls, limit = lab.count(_BURST), lab.count(_LIMIT)
    with sandbox.environment(_RISK) as settings, ExitStack() as stack:
        valkey = stack.enter_context(Valkey(lab.new_folder()).running())
        port = stack.enter_context(_slow(valkey.port))
        own = {"RISK_TRIGGER_ALERT_RATE_LIMIT_CALLS": str(limit), "REDIS_URL": f"redis://127.0.0.1:{port}"}
        servers = (lab.server("platform.risk", tally, {**settings, **own}) for _ in range(2))
        replicas = [stack.enter_context(server) for server in servers]
        codes = Counter(map(_code, asyncio.run(_call_at_once(replicas, calls))))
        is_alone = any("goes on without it" in line for replica in replicas for line in replica.log_lines())
    for code in codes.elements():
        tally.check(code in {_ACCEPTED, _LIMITED, _LATE, _REJECTED}, f"a call of the burst has {code}")
    bound = limit * len(replicas) if is_alone else limit
    tally.check(codes[_ACCEPTED] <= bound, f"a limit of {limit} accepted {codes[_ACCEPTED]}: {dict(codes)}")


async def _call_at_once(replicas: Sequence[HttpServer], calls: int) -> list[Response]:
    """Return the responses to invalid alerts, which count and which no handler publishes."""
    connections = _CALLERS // len(replicas)
    requests = [_request(_ALERT, {"violation_type": "none", "message": str(number)}) for number in range(calls)]
    shares = [requests[first :: len(replicas)] for first in range(len(replicas))]
    offers = (offer(each.port, share, 1e6, connections) for each, share in zip(replicas, shares, strict=True))
    return [response for responses in await asyncio.gather(*offers) for response in responses]


@contextmanager
def _slow(port: int) -> Iterator[int]:
    """Forward a port of this machine with late answers meanwhile."""
    command = [sys.executable, "-m", "toolaccord.testing.faults", str(port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii") as process:
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(f"delay {_SLOW_S}\n")
            process.stdin.flush()
            yield int(process.stdout.readline().rpartition(":")[2])
        finally:
            process.stdin.close()


def _request(path: str, arguments: JsonObject) -> bytes:
    return post(path, arguments, {"Authorization": f"Bearer {TOKEN}"})


def _order(number: int) -> dict[str, Any]:
    return {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": number + 1, "direction": "long"}


def _code(response: Response) -> str:
    """Return the code of an error, "result", or "lost"."""
    if not response.body:
        return "lost"
    return str(json.loads(response.body).get("error", {}).get("code", "result"))


ATTACKS = (
    Attack(
        "more calls than a server can finish",
        "4,800 distinct checks of limits at 800 a second are each answered, those that are not run with 503 and the "
        "seconds to wait, and calls have results again afterwards.",
        _flood,
    ),
    Attack(
        "bursts beyond a limit on a slow Redis",
        "600 calls on 50 connections to two replicas, whose Redis answers late by twice its timeout, never exceed the "
        "limit of 200 that they share, unless it is silent for a second.",
        _burst,
    ),
)
