"""Prove the codes of invalid results and of missing handlers, in dialects that have them."""

from typing import Any

import pytest

from tests.contracts.reading import CONTRACTS, contracts, load, tools
from tests.servers.contracts import Observations, answers
from tests.servers.harness import Recorder, error_code, first_result_example, parse_body
from toolaccord.testing import connect

SERVERS = {name: server for server, name in tools()}
"""The server of each tool."""
OUTCOMES: dict[str, Any] = {"result": {"unknown": 1}, "handler": NotImplementedError()}
"""The outcome of a handler, for each occasion."""
DIALECTS = load(CONTRACTS / "dialects.json")
CASES = [
    pytest.param(name, occasion, code, marks=answers(name, code), id=f"{name}-{occasion}")
    for name, server in SERVERS.items()
    for occasion in OUTCOMES
    if (code := DIALECTS[contracts()[server]["dialect"]]["occasions"].get(occasion)) is not None
]


@pytest.mark.usefixtures("without_logs")
@pytest.mark.parametrize("name, occasion, code", CASES)
async def test_an_outcome_that_is_no_result_has_the_code_of_its_occasion(
    name: str, occasion: str, code: str, observations: Observations
) -> None:
    recorder = Recorder(SERVERS[name])
    arguments = first_result_example(recorder.tools[name])["arguments"]
    recorder.results[name] = OUTCOMES[occasion]
    async with connect(recorder.uncached_server()) as client:
        answered = await client.call_tool(name, arguments)
    assert error_code(parse_body(answered)) == code
    observations.answers.add((name, code))
