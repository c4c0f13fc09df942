"""The same over real pipes: a process, lines, and what a client library would never write."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Say
from tests.contracts.reading import contracts, tool
from tests.servers.disagreements import REQUESTS, parts
from tests.servers.mutants import Mutant
from tests.servers.oracle import Oracle, complete
from tests.servers.test_requests import requests, verdict
from tests.servers.wire import talk
from toolpact.testing import Era

EVERY = 9
"""Of so many mutants, one is sent; those that no client library writes all are."""
SETTINGS = {
    "BACKTESTER_TARGET": "127.0.0.1:9",
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
    "INFLUXDB_URL": "http://127.0.0.1:9",
    "PORTFOLIO_ACCOUNT_ID": "nobody",
}
"""What a server needs to start; no handler of this test asks a source."""


def sample(room: str, name: str) -> list[Mutant]:
    """Arguments for a tool: some of all mutants, and all that JSON has no word for."""
    values = enumerate(requests(room, name))
    return [each for index, each in values if index % EVERY == 0 or is_unsayable(each.value)]


def is_unsayable(value: Any) -> bool:
    """Whether JSON has no word for a part of *value*; the line then says NaN, Infinity or half a surrogate pair."""
    not_finite = any(isinstance(part, float) and not math.isfinite(part) for part in parts(value))
    return not_finite or any(listed.explains(value) for listed in REQUESTS)


@pytest.mark.parametrize("era", ["stateless", "handshake"])
@pytest.mark.parametrize("room", contracts())
async def test_lines_are_judged_as_another_validator_judges_them(room: str, era: Era, tmp_path: Path, say: Say) -> None:
    file, counts = tmp_path / "seen", Counter[str]()
    sent = [(found["name"], each) for found in contracts()[room]["tools"] for each in sample(room, found["name"])]
    calls = [("tools/call", {"name": name, "arguments": each.value}) for name, each in sent]
    async with talk("tests.servers.recorder", room, str(file), era=era, environment=SETTINGS) as wire:
        answers = await wire.ask_all(calls)
    oracles = {
        found["name"]: Oracle(found["parameters"], found.get("conditions", ())) for found in contracts()[room]["tools"]
    }
    reached = []
    for (name, each), answer in zip(sent, answers, strict=True):
        refused = answer["result"]["isError"]
        counts[verdict(oracles[name], each, refused=refused)] += 1
        reached += [] if refused else [[name, complete(tool(room, name)["parameters"], as_read(each.value))]]
    said = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert in_order(said) == in_order(reached)
    say(f"{room} on stdio, {era}: {counts.total()} requests, {counts['accepted']} accepted")


def as_read(value: Any) -> Any:
    """Return *value* as it comes off a line: integers that need more than 64 bits are floats."""
    return json.loads(json.dumps(value), parse_int=lambda digits: _integer(int(digits)))


def _integer(number: int) -> int | float:
    return number if -(2**63) <= number < 2**64 else float(number)


def in_order(calls: list[Any]) -> list[str]:
    """Return *calls* as text, sorted: handlers may be reached in any order."""
    return sorted(json.dumps(call, sort_keys=True) for call in calls)


SPELLINGS = {
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
"""Arguments of get_top_strategies as text, and the limit that reaches the handler or the code of the refusal."""


async def test_numbers_have_many_spellings_and_one_meaning(tmp_path: Path) -> None:
    file = tmp_path / "seen"
    said: dict[str, Any] = {}
    async with talk("tests.servers.recorder", "tradestream.strategy", str(file), environment=SETTINGS) as wire:
        for arguments in SPELLINGS:
            result = (await wire.call_with("get_top_strategies", arguments))["result"]
            lines = file.read_text(encoding="utf-8").splitlines()
            code = result["structuredContent"].get("error", {}).get("code")
            said[arguments] = code or json.loads(lines[-1])[1]["limit"]
    assert json.dumps(said) == json.dumps(SPELLINGS)
