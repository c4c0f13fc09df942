"""Contract against server: every mutant of a valid result is sent or withheld as another validator would have it."""

import json
from collections import Counter
from typing import Any, cast

import pytest
from mcp.types import RequestParamsMeta

from tests.conftest import Say
from tests.contracts.reading import tool, tools
from tests.servers.answers import body
from tests.servers.disagreements import RESULTS, reason
from tests.servers.mutants import Mutant, mutants
from tests.servers.oracle import Oracle, complete
from tests.servers.recorder import Recorder
from toolpact.testing import ManualClock, connect

LONGEST_TTL_S = 3600
CALL = cast(RequestParamsMeta, {"corr_id": "the-same"})


def examples(room: str, name: str) -> list[dict[str, Any]]:
    """The examples of a tool that have a result."""
    return [example for example in tool(room, name)["examples"] if "returns" in example]


def results(promised: dict[str, Any], example: dict[str, Any]) -> list[Mutant]:
    """The result of an example, and its different mutants that a handler can say."""
    valid = example["returns"]
    found = [Mutant("", "valid", valid), *mutants(promised["returns"], valid)]
    if "pagination" in promised:
        found = [as_paged(promised, example, mutant) for mutant in found if is_pageable(mutant)]
    return list({repr(mutant.value): mutant for mutant in reversed(found)}.values())


def is_pageable(mutant: Mutant) -> bool:
    """Whether a handler that returns items and a total can say so."""
    match mutant.value:
        case {"items": list(), "pagination": {"total": _}}:
            return mutant.at.startswith(("/items", "/pagination/total")) or not mutant.at
        case _:
            return False


def as_paged(promised: dict[str, Any], example: dict[str, Any], mutant: Mutant) -> Mutant:
    """Return *mutant* with the rest of the pagination as it follows from the arguments, the items and the total."""
    arguments, items = complete(promised["parameters"], example["arguments"]), mutant.value["items"]
    total = mutant.value["pagination"]["total"]
    more = isinstance(total, int | float) and arguments["offset"] + len(items) < total
    page = {"offset": arguments["offset"], "limit": arguments["limit"], "total": total, "has_more": more}
    return Mutant(mutant.at, mutant.how, {"items": items, "pagination": page})


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("room,name", tools(), ids=[name for _, name in tools()])
async def test_a_result_that_breaks_its_contract_is_answered_like_a_crash(room: str, name: str, say: Say) -> None:
    promised, recorder, clock = tool(room, name), Recorder(room), ManualClock()
    oracle, counts = Oracle(promised["returns"]), Counter[str]()
    async with connect(recorder.server(), clock=clock) as client:
        for example in examples(room, name):
            recorder.results[name] = RuntimeError("a crash")
            crash = await client.call_tool(name, example["arguments"], meta=CALL)
            for mutant in results(promised, example):
                clock.advance(LONGEST_TTL_S)
                recorder.results[name] = mutant.value
                answer = await client.call_tool(name, example["arguments"], meta=CALL)
                counts[verdict(oracle, mutant, refused=answer.is_error)] += 1
                if answer.is_error:
                    assert answer == crash
                else:
                    said = body(answer)
                    assert said == answer.structured_content
                    assert json.dumps(mutant.value) in {json.dumps(said), json.dumps(said.get("data"))}
    say(f"{name}: {counts.total()} results; {', '.join(f'{n} {what}' for what, n in counts.most_common())}")
    assert counts["sent"] >= 10
    assert counts["withheld"] >= 100


def verdict(oracle: Oracle, mutant: Mutant, *, refused: bool) -> str:
    """What both say of a result; fails where they disagree without a reason."""
    said = "withheld" if refused else "sent"
    if oracle.admits(mutant.value) == (not refused):
        return said
    why = reason(RESULTS, mutant.value, refused=refused)
    assert why, f"{mutant.at} {mutant.how} was {said}: {oracle.complaints(mutant.value)}"
    return f"{said} for a listed reason"
