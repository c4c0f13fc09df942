"""Prove that the server and `jsonschema` accept the same mutants of valid requests.

A rejection names every violation, and has the code that the contract binds to the first one.
"""

import functools
import itertools
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import jsonschema_rs
import pytest

from tests.conftest import Say
from tests.contracts.reading import CONTRACTS, contracts, load, tool, tools
from tests.servers.contracts import (
    REQUEST_DIFFERENCES,
    RESULT_DIFFERENCES,
    Oracle,
    ValidatorDifference,
    drop_nulls,
    fill_defaults,
    find_reason,
    is_incomparable,
)
from tests.servers.harness import Recorder, error_code, error_details, parse_body
from tests.servers.validation.mutations import Mutant, generate_mutants, generate_valid_requests, in_utc
from toolaccord.schema.validator import SchemaValidator
from toolaccord.testing import Era, ManualClock, connect

LONGEST_TTL_S = 3600
MUTATED_REQUESTS = 5
"""Number of valid requests that are mutated; the others differ from them in one value."""
LEAST_BROKEN = 597
"""Pairs of a place and a keyword that the requests of all tools break."""
OF_NAMES = ("additionalProperties", "required")
"""Keywords whose violations are of an object; the kind is that of the member."""
LONGEST_POINTER = 199
"""Characters after which a server truncates a JSON pointer."""


@functools.cache
def generate_requests(server: str, name: str) -> list[Mutant]:
    """Return valid requests of a tool, mutants of some, and requests with several faults."""
    contract, valid = tool(server, name), generate_valid_requests(tool(server, name))
    schema = contract["parameters"]
    found = [Mutant("", "valid", request) for request in valid]
    found += [mutant for request in valid[:MUTATED_REQUESTS] for mutant in generate_mutants(schema, request)]
    found += [Mutant("", "several faults", valid[0] | faults) for faults in combine_faults(schema)]
    different = {json.dumps(mutant.value, sort_keys=True): mutant for mutant in reversed(found)}
    drop = functools.partial(drop_nulls, schema)
    return list(choose_mutants(schema, different.values(), drop, contract.get("conditions", ())))


def choose_mutants(
    schema: dict[str, Any],
    mutants: Iterable[Mutant],
    read: Callable[[Any], Any],
    conditions: Iterable[Any] = (),
    seen: set[Hashable] | None = None,
) -> Iterator[Mutant]:
    """Yield valid values, and mutants that differ in kind once they are *read*.

    These break each keyword at each place, also alone and where all violations are compared, and make each change with
    each outcome. A quick validator chooses; its verdicts judge nothing. Kinds that were *seen* before do not count.
    """
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    oracle, seen = Oracle({}, conditions), set[Hashable]() if seen is None else seen
    for mutant in mutants:
        meant = read(mutant.value)
        found = list_broken(validator, meant)
        broken = (found if is_representable(meant) else [((), "not finite")]) or sorted(oracle.violations(meant))
        kinds: set[Hashable] = {(mutant.change, bool(broken)), *broken, ("alone", *broken[: len(broken) < 2])}
        kinds |= {(mutant.pointer, keyword, mutant.change[:10]) for _, keyword in found if keyword in OF_NAMES}
        if not kinds <= seen and is_incomparable(meant):
            kinds = {("not compared", kind) for kind in kinds}
        if mutant.change == "valid" or not kinds <= seen:
            yield mutant
        seen |= kinds


def list_broken(validator: jsonschema_rs.Draft202012Validator, value: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the places and keywords that *value* breaks."""
    try:
        return [(tuple(each.instance_path), each.kind.name) for each in validator.iter_errors(value)]
    except ValueError:  # this validator represents no lone surrogate
        return [((), "not representable")]


def combine_faults(schema: dict[str, Any]) -> Iterator[dict[str, None]]:
    """Yield every combination of two or more properties, all null; one property is unknown."""
    names = ["unknown", *schema["properties"]]
    for count in range(2, len(names) + 1):
        yield from (dict.fromkeys(chosen) for chosen in itertools.combinations(names, count))


def is_representable(value: Any) -> bool:
    """Return True if the client sends *value* unchanged; it writes null for NaN and Infinity."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def test_requests_break_each_keyword_at_as_many_places_as_ever() -> None:
    broken = {
        (server, name, *violation)
        for server, name in tools()
        for schema in [tool(server, name)["parameters"]]
        for validator in [jsonschema_rs.Draft202012Validator(schema, validate_formats=True)]
        for mutant in generate_requests(server, name)
        if is_representable(mutant.value)
        for violation in list_broken(validator, drop_nulls(schema, mutant.value))
    }
    assert len(broken) >= LEAST_BROKEN


@pytest.mark.usefixtures("without_logs")
@pytest.mark.parametrize("era,every", [("stateless", 1), ("handshake", 5)], ids=["stateless", "handshake"])
@pytest.mark.parametrize("server,name", tools(), ids=[name for _, name in tools()])
async def test_the_server_and_jsonschema_accept_the_same_requests(
    server: str, name: str, era: Era, every: int, say: Say
) -> None:
    contract, recorder, clock = tool(server, name), Recorder(server), ManualClock()
    schema, oracle = contract["parameters"], Oracle(contract["parameters"], contract.get("conditions", ()))
    counts: Counter[str] = Counter()
    async with connect(recorder.server(), clock=clock, era=era) as client:
        representable = [mutant for mutant in generate_requests(server, name) if is_representable(mutant.value)]
        for mutant in representable[::every]:  # the eras differ in the form of a call, and share its validation
            recorder.requests.clear()
            clock.advance(LONGEST_TTL_S)
            result = await client.call_tool(name, mutant.value)
            meant = drop_nulls(schema, mutant.value)
            violations = oracle.violations(meant)
            counts[compare(replace(mutant, value=meant), violations, is_rejected=result.is_error)] += 1
            expected = [] if result.is_error else [[name, round_down(contract, in_utc(fill_defaults(schema, meant)))]]
            assert json.dumps(in_utc(recorder.requests), sort_keys=True) == json.dumps(expected, sort_keys=True)
            if result.is_error and not is_incomparable(meant):
                check_rejection(server, contract, violations, parse_body(result))
    say(f"{name}, {era}: {counts.total()} requests; {', '.join(f'{n} {what}' for what, n in counts.most_common())}")
    assert counts["accepted"] >= len(generate_valid_requests(contract)) // every
    assert counts["rejected"] >= (80 if schema["properties"] else 7) // every


def round_down(contract: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return *arguments* with the instants that the contract rounds to minutes, in UTC."""
    precision = contract.get("cache", {}).get("precision", {})
    assert set(precision.values()) <= {"minute"}
    rounded = {name: f"{arguments[name][:16]}:00+00:00" for name in precision if name in arguments}
    return arguments | rounded


def compare(mutant: Mutant, violations: set[tuple[str, str]], *, is_rejected: bool) -> str:
    """Return the outcome of a request; fail on a difference without an accepted reason."""
    outcome = "rejected" if is_rejected else "accepted"
    if bool(violations) == is_rejected:
        return outcome
    reason = find_reason(REQUEST_DIFFERENCES, mutant.value, is_rejected=is_rejected)
    assert reason, f"{mutant.pointer} {mutant.change} was {outcome}, and breaks {violations}"
    return f"{outcome} for an accepted reason"


def check_rejection(
    server: str, contract: dict[str, Any], violations: set[tuple[str, str]], body: dict[str, Any]
) -> None:
    """Check that a rejection names all *violations* and has the code of the first one."""
    named = {(violation["at"], violation["keyword"]) for violation in error_details(body)["violations"]}
    assert {truncate(*each) for each in named} == {truncate(*each) for each in violations}
    arguments = load(CONTRACTS / "dialects.json")[contracts()[server]["dialect"]]["occasions"]["arguments"]
    bound = [each["code"] for each in contract["errors"] if is_bound(each, violations)]
    broken = [each["code"] for each in contract.get("conditions", ()) if is_broken(each, violations)]
    assert error_code(body) == next(iter(broken or bound), arguments)


def truncate(pointer: str, keyword: str) -> tuple[str, str]:
    """Return a violation with its pointer as the server truncates it."""
    return pointer[:LONGEST_POINTER], keyword


def is_broken(condition: dict[str, Any], violations: set[tuple[str, str]]) -> bool:
    """Return True if one of *violations* is of *condition*."""
    return any((at, key) in violations for key in condition.keys() & {"ordered", "span"} for at in condition[key])


def is_bound(error: dict[str, Any], violations: set[tuple[str, str]]) -> bool:
    """Return True if the contract binds *error* to one of *violations*."""
    when = error.get("when", {})
    pointers = {pointer for pointer, keyword in violations if when.get("keyword", keyword) == keyword}
    return any(pointer == at or pointer.startswith(f"{at}/") for at in when.get("at", []) for pointer in pointers)


@pytest.mark.parametrize("accepted", RESULT_DIFFERENCES, ids=lambda accepted: accepted.reason[:40])
def test_every_accepted_difference_exists(accepted: ValidatorDifference) -> None:
    schema, value = accepted.example
    assert accepted.matches(value)
    assert Oracle(schema).is_valid(value) == accepted.is_rejected
    assert bool(SchemaValidator(schema).violations(value)) == accepted.is_rejected
