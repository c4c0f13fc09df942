"""Prove on real pipes that the server and `jsonschema` accept the same requests.

The lines include some that no client library sends.
"""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Say
from tests.contracts.reading import contracts, mcp_tools, one_server_per_dialect, tool
from tests.servers.clients import start_server
from tests.servers.contracts import REQUEST_DIFFERENCES, Oracle, drop_nulls, fill_defaults
from tests.servers.validation.mutations import Mutant, in_utc
from tests.servers.validation.test_requests import compare, generate_requests
from toolaccord.testing import Era

EVERY = 9
"""One of so many mutants is sent, and every mutant that no client library sends."""
SETTINGS = {
    "BACKTESTER_TARGET": "127.0.0.1:9",
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
    "INFLUXDB_URL": "http://127.0.0.1:9",
    "NATS_URL": "nats://127.0.0.1:9",
    "PORTFOLIO_ACCOUNT_ID": "nobody",
    "REDIS_URL": "redis://127.0.0.1:9",
    "RISK_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
    "SWIMMY_MCP_API_KEY": "nobodys",
    "SWIMMY_MCP_ZMQ_ENDPOINT": "tcp://127.0.0.1:9",
}
"""Settings that a server needs to start; no handler of these tests uses a source."""


SERVERS: list[tuple[str, Era]] = [
    *((server, "stateless") for server in contracts()),
    *((server, "handshake") for server in one_server_per_dialect()),
]
"""Every server in one era, and some in the other; in memory, every server is tested in both."""


def sample_requests(server: str, name: str) -> list[Mutant]:
    """Return some of all mutants of a tool's arguments, and all that JSON cannot represent."""
    values = enumerate(generate_requests(server, name))
    return [each for index, each in values if index % EVERY == 0 or is_not_representable(each.value)]


def is_not_representable(value: Any) -> bool:
    """Return True if JSON cannot represent a part of *value*: NaN, Infinity or a lone surrogate."""
    return any(accepted.matches(value) for accepted in REQUEST_DIFFERENCES)


@pytest.mark.parametrize("server,era", SERVERS)
async def test_the_server_and_jsonschema_accept_the_same_lines(server: str, era: Era, tmp_path: Path, say: Say) -> None:
    file, counts, tools = tmp_path / "requests", Counter[str](), mcp_tools(server)
    sent = [(found["name"], each) for found in tools for each in sample_requests(server, found["name"])]
    calls = [("tools/call", {"name": name, "arguments": each.value}) for name, each in sent]
    async with start_server("tests.servers.harness", server, str(file), era=era, environment=SETTINGS) as client:
        responses = await client.request_all(calls)
    oracles = {found["name"]: Oracle(found["parameters"], found.get("conditions", ())) for found in tools}
    expected = []
    for (name, each), response in zip(sent, responses, strict=True):
        is_rejected = response["result"]["isError"]
        parameters = tool(server, name)["parameters"]
        meant = drop_nulls(parameters, each.value)
        violations = oracles[name].violations(meant)
        counts[compare(replace(each, value=meant), violations, is_rejected=is_rejected)] += 1
        expected += [] if is_rejected else [[name, fill_defaults(parameters, read_back(meant))]]
    recorded = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert sort_calls(recorded) == sort_calls(expected)
    say(f"{server} on stdio, {era}: {counts.total()} requests, {counts['accepted']} accepted")


def read_back(value: Any) -> Any:
    """Return *value* as the server reads it: integers of more than 64 bits are floats."""
    return json.loads(json.dumps(value), parse_int=lambda digits: _read_integer(int(digits)))


def _read_integer(number: int) -> int | float:
    return number if -(2**63) <= number < 2**64 else float(number)


def sort_calls(calls: list[Any]) -> list[str]:
    """Return *calls* as sorted JSON: handlers run in any order, and get instants in UTC."""
    return sorted(json.dumps(in_utc(call), sort_keys=True) for call in calls)


NOTATIONS = {
    '{"symbol": "ETH/USD", "limit": 5.0}': 5,
    '{"symbol": "ETH/USD", "limit": 50e-1}': 5,
    '{"symbol": "ETH/USD", "limit": 0.5E1}': 5,
    '{"symbol": "ETH/USD", "limit": 7, "limit": 5}': 5,
    '{"symbol": "\\u0045TH\\/USD", "limit": 5}': 5,
    '{"symbol": "ETH/USD", "limit": 5.5}': "INVALID_PARAMETER",
    '{"symbol": "ETH/USD", "limit": "5"}': "INVALID_PARAMETER",
    '{"symbol": "ETH/USD", "limit": NaN}': "INVALID_PARAMETER",
    '{"symbol": "ETH/USD", "limit": -Infinity}': "INVALID_PARAMETER",
    '{"symbol": "ETH/USD", "limit": 1e999}': "INVALID_PARAMETER",
    '{"symbol": "ETH/USD", "limit": 100000000000000000000000000000}': "INVALID_PARAMETER",
    '{"symbol": "ETH/USD", "limit": true}': "INVALID_PARAMETER",
    '{"symbol": "ETH/USD\\ud800", "limit": 5}': "INVALID_SYMBOL",
    '{"symbol": null, "limit": 5}': "INVALID_SYMBOL",
    '{"limit": 5}': "INVALID_SYMBOL",
    '{"symbol": "ETH/USD", "metric": "Sharpe"}': "INVALID_METRIC",
}
"""Arguments of get_top_strategies as JSON text, and the handler's limit or the error code."""


async def test_every_notation_of_a_number_has_one_meaning(tmp_path: Path) -> None:
    file = tmp_path / "requests"
    received: dict[str, Any] = {}
    async with start_server("tests.servers.harness", "tradestream.strategy", str(file), environment=SETTINGS) as client:
        for arguments in NOTATIONS:
            result = (await client.call_with_text("get_top_strategies", arguments))["result"]
            lines = file.read_text(encoding="utf-8").splitlines()
            code = result["structuredContent"].get("error", {}).get("code")
            received[arguments] = code or json.loads(lines[-1])[1]["limit"]
    assert json.dumps(received) == json.dumps(NOTATIONS)
