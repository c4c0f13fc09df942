"""Prove that every tool rejects a call at once while those ahead take too long."""

from typing import Any

import pytest

from tests.contracts.reading import CONTRACTS, contracts, load, tools
from tests.servers.contracts import Observations, answers
from tests.servers.harness import Recorder, error_code, first_result_example
from tests.toolaccord.overload import saturate
from toolaccord.testing import ManualClock, pipeline

DIALECTS = load(CONTRACTS / "dialects.json")
CODES = {name: DIALECTS[contract["dialect"]]["occasions"]["overload"] for name, contract in contracts().items()}
CASES = [pytest.param(server, name, marks=answers(name, CODES[server]), id=name) for server, name in tools()]


@pytest.mark.parametrize("server, name", CASES)
async def test_a_call_behind_too_many_is_rejected_with_503_and_the_time_to_wait(
    server: str, name: str, observations: Observations
) -> None:
    recorder, clock = Recorder(server), ManualClock()
    declared = recorder.uncached_server()
    calls = pipeline(declared, clock=clock)
    tool = next(each for each in declared.tools if each.name == name)
    saturate(calls, name, clock, tool.timeout_ms / 1000)
    answer = await calls.call(name, first_result_example(recorder.tools[name])["arguments"])
    assert (answer.code, answer.http) == (CODES[server], 503)
    assert (answer.retry_after_s or 0) >= 1
    assert error_code(answer.body) == CODES[server]
    assert recorder.requests == []
    observations.answers.add((name, CODES[server]))


def test_every_dialect_has_a_code_for_overload_that_is_retryable_and_503() -> None:
    for dialect in DIALECTS.values():
        if isinstance(dialect, dict):
            code: Any = dialect["codes"][dialect["occasions"]["overload"]]
            assert (code["http"], code["retryable"]) == (503, True)
