"""Contract against server: every mutant of a valid request is judged alike by the live server and by another validator."""

import functools
import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Say
from tests.contracts.reading import CONTRACTS, contracts, load, tool, tools
from tests.servers.answers import body, code
from tests.servers.disagreements import REQUESTS, RESULTS, Disagreement, parts, reason
from tests.servers.mutants import Mutant, mutants
from tests.servers.oracle import Oracle, complete
from tests.servers.recorder import Recorder
from tests.servers.requests import valid_requests
from toolpact.schema.validator import SchemaValidator
from toolpact.testing import Era, ManualClock, connect

LONGEST_TTL_S = 3600
MUTATED = 4
"""How many of the valid requests are mutated; the rest differ from them in one value."""
MOST = 1200
"""How many requests are sent at most; of more than that, every second, third ... is."""
LONGEST_POINTER = 199
"""Characters after which a server cuts a pointer."""


@functools.cache
def requests(room: str, name: str) -> list[Mutant]:
    """The valid requests of a tool, the different mutants of the first few, and some with several faults."""
    schema, valid = tool(room, name)["parameters"], valid_requests(tool(room, name))
    found = [Mutant("", "valid", request) for request in valid]
    found += [mutant for request in valid[:MUTATED] for mutant in mutants(schema, request)]
    found += [Mutant("", "several faults", valid[0] | faults) for faults in several_faults(schema)]
    different = list({json.dumps(mutant.value, sort_keys=True): mutant for mutant in reversed(found)}.values())
    others = [mutant for mutant in different if mutant.how != "valid"]
    return [mutant for mutant in different if mutant.how == "valid"] + others[:: len(others) // MOST + 1]


def several_faults(schema: dict[str, Any]) -> Iterator[dict[str, None]]:
    """Yield every choice of properties, all null; one of them nobody knows."""
    names = ["unknown", *schema["properties"]]
    for count in range(2, len(names) + 1):
        yield from (dict.fromkeys(chosen) for chosen in itertools.combinations(names, count))


def is_sayable(value: Any) -> bool:
    """Whether the client says *value* as it is: in the place of NaN and Infinity it writes null."""
    return not any(isinstance(part, float) and not math.isfinite(part) for part in parts(value))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("era,every", [("stateless", 1), ("handshake", 5)], ids=["stateless", "handshake"])
@pytest.mark.parametrize("room,name", tools(), ids=[name for _, name in tools()])
async def test_a_request_is_judged_as_another_validator_judges_it(
    room: str, name: str, era: Era, every: int, say: Say
) -> None:
    promised, recorder, clock = tool(room, name), Recorder(room), ManualClock()
    schema, oracle = promised["parameters"], Oracle(promised["parameters"], promised.get("conditions", ()))
    counts: Counter[str] = Counter()
    async with connect(recorder.server(), clock=clock, era=era) as client:
        sayable = [mutant for mutant in requests(room, name) if is_sayable(mutant.value)]
        for mutant in sayable[::every]:  # the eras differ in how a call is wrapped, and share what judges it
            recorder.seen.clear()
            clock.advance(LONGEST_TTL_S)
            answer = await client.call_tool(name, mutant.value)
            counts[verdict(oracle, mutant, refused=answer.is_error)] += 1
            reached = [] if answer.is_error else [(name, complete(schema, mutant.value))]
            assert json.dumps(recorder.seen, sort_keys=True) == json.dumps(reached, sort_keys=True)
            if answer.is_error and not any(listed.explains(mutant.value) for listed in RESULTS):
                check_refusal(room, promised, oracle.violations(mutant.value), body(answer))
    say(f"{name}, {era}: {counts.total()} requests; {', '.join(f'{n} {what}' for what, n in counts.most_common())}")
    assert counts["accepted"] >= len(valid_requests(promised)) // every
    assert counts["refused"] >= (100 if schema["properties"] else 7) // every


def verdict(oracle: Oracle, mutant: Mutant, *, refused: bool) -> str:
    """What both say of a request; fails where they disagree without a reason."""
    said = "refused" if refused else "accepted"
    if oracle.admits(mutant.value) == (not refused):
        return said
    why = reason(REQUESTS, mutant.value, refused=refused)
    assert why, f"{mutant.at} {mutant.how} was {said}: {oracle.complaints(mutant.value)}"
    return f"{said} for a listed reason"


def check_refusal(room: str, promised: dict[str, Any], due: set[tuple[str, str]], said: dict[str, Any]) -> None:
    """Check that a refusal names every violation that is *due*, and has the code that the contract binds to the first of them."""
    named = {(violation["at"], violation["keyword"]) for violation in said["error"]["details"]["violations"]}
    assert {(at[:LONGEST_POINTER], keyword) for at, keyword in named} == {(at[:LONGEST_POINTER], of) for at, of in due}
    arguments = load(CONTRACTS / "dialects.json")[contracts()[room]["dialect"]]["occasions"]["arguments"]
    bound = [each["code"] for each in promised["errors"] if guards(each, due)]
    broken = [each["code"] for each in promised.get("conditions", ()) if is_broken(each, due)]
    assert code(said) == next(iter(broken or bound), arguments)


def is_broken(condition: dict[str, Any], due: set[tuple[str, str]]) -> bool:
    """Whether *condition* is one of the rules whose violations are *due*; they are looked at once the schema has no complaints."""
    return any((place, key) in due for key in condition.keys() & {"ordered", "span"} for place in condition[key])


def guards(error: dict[str, Any], due: set[tuple[str, str]]) -> bool:
    """Whether the contract binds *error* to one of the violations that are *due*."""
    when = error.get("when", {})
    places = {place for place, keyword in due if when.get("keyword", keyword) == keyword}
    return any(place == at or place.startswith(f"{at}/") for at in when.get("at", []) for place in places)


@pytest.mark.parametrize("listed", RESULTS, ids=lambda listed: listed.reason[:40])
def test_every_disagreement_on_the_list_is_there(listed: Disagreement) -> None:
    schema, value = listed.witness
    assert listed.explains(value)
    assert Oracle(schema).admits(value) == listed.refused
    assert bool(SchemaValidator(schema).violations(value)) == listed.refused
