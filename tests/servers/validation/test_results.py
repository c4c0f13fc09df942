"""Prove that the server sends exactly the mutants of results that `jsonschema` accepts."""

import json
from collections import Counter
from collections.abc import Hashable
from typing import Any, cast

import pytest
from mcp.types import RequestParamsMeta

from tests.conftest import Say
from tests.contracts.reading import CONTRACTS, contracts, load, tool, tools
from tests.servers.contracts import RESULT_DIFFERENCES, Oracle, fill_defaults, find_reason
from tests.servers.harness import Recorder, parse_body
from tests.servers.validation.mutations import Mutant, generate_mutants
from tests.servers.validation.test_requests import choose_mutants
from toolaccord.testing import ManualClock, connect

LONGEST_TTL_S = 3600
META = cast(RequestParamsMeta, {"corr_id": "the-same"})


def read_result_examples(server: str, name: str) -> list[dict[str, Any]]:
    """Return the examples of a tool that have a result."""
    return [example for example in tool(server, name)["examples"] if "returns" in example]


def generate_results(contract: dict[str, Any], example: dict[str, Any], seen: set[Hashable]) -> list[Mutant]:
    """Return the result of an example, and returnable mutants of kinds that nobody has *seen*.

    Their kinds are added to *seen*.
    """
    valid = example["returns"]
    found = [Mutant("", "valid", valid), *generate_mutants(contract["returns"], valid)]
    if "pagination" in contract:
        found = [complete_pagination(contract, example, mutant) for mutant in found if is_page(mutant)]
    different = {repr(mutant.value): mutant for mutant in reversed(found)}
    return list(choose_mutants(contract["returns"], different.values(), lambda value: value, seen=seen))


def body_without_result(server: str) -> dict[str, Any] | None:
    """Return the body that replaces a result; None if it is that of a crash."""
    code = load(CONTRACTS / "dialects.json")[contracts()[server]["dialect"]]["occasions"].get("result")
    message = "The result of the tool breaks its contract."
    return {"error": {"code": code, "message": message, "details": {}}} if code else None


def is_page(mutant: Mutant) -> bool:
    """Return True if a handler can return *mutant* as items and a total."""
    match mutant.value:
        case {"items": list(), "pagination": {"total": _}}:
            return mutant.pointer.startswith(("/items", "/pagination/total")) or not mutant.pointer
        case _:
            return False


def complete_pagination(contract: dict[str, Any], example: dict[str, Any], mutant: Mutant) -> Mutant:
    """Return *mutant* with the pagination that follows from arguments, items and total."""
    arguments, items = fill_defaults(contract["parameters"], example["arguments"]), mutant.value["items"]
    total = mutant.value["pagination"]["total"]
    more = isinstance(total, int | float) and arguments["offset"] + len(items) < total
    page = {"offset": arguments["offset"], "limit": arguments["limit"], "total": total, "has_more": more}
    return Mutant(mutant.pointer, mutant.change, {"items": items, "pagination": page})


@pytest.mark.usefixtures("without_logs")
@pytest.mark.parametrize("server,name", tools(), ids=[name for _, name in tools()])
async def test_a_result_that_breaks_its_contract_is_never_sent(server: str, name: str, say: Say) -> None:
    contract, recorder, clock = tool(server, name), Recorder(server), ManualClock()
    oracle, counts, seen = Oracle(contract["returns"]), Counter[str](), set[Hashable]()
    withheld = body_without_result(server)
    async with connect(recorder.server(), clock=clock) as client:
        for example in read_result_examples(server, name):
            recorder.results[name] = RuntimeError("a crash")
            crash = await client.call_tool(name, example["arguments"], meta=META)
            for mutant in generate_results(contract, example, seen):
                clock.advance(LONGEST_TTL_S)
                recorder.results[name] = mutant.value
                result = await client.call_tool(name, example["arguments"], meta=META)
                counts[compare(oracle, mutant, is_rejected=result.is_error)] += 1
                if result.is_error:
                    assert parse_body(result) == (withheld or parse_body(crash))
                else:
                    body = parse_body(result)
                    assert body == result.structured_content
                    assert json.dumps(mutant.value) in {json.dumps(body), json.dumps(body.get("data"))}
    say(f"{name}: {counts.total()} results; {', '.join(f'{n} {what}' for what, n in counts.most_common())}")
    assert counts.total() >= 100
    assert counts["sent"] >= 1
    assert counts["withheld"] >= 90 or contract["returns"]["additionalProperties"] is True


def compare(oracle: Oracle, mutant: Mutant, *, is_rejected: bool) -> str:
    """Return the outcome of a result; fail on a difference without an accepted reason."""
    outcome = "withheld" if is_rejected else "sent"
    violations = oracle.violations(mutant.value)
    if bool(violations) == is_rejected:
        return outcome
    reason = find_reason(RESULT_DIFFERENCES, mutant.value, is_rejected=is_rejected)
    assert reason, f"{mutant.pointer} {mutant.change} was {outcome}, and breaks {violations}"
    return f"{outcome} for an accepted reason"
