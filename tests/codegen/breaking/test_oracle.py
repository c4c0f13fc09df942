"""Compare the checker's findings with the values that random schemas admit.

Small schemas are drawn and changed in a few places. The checker must have a witness for a break, and jsonschema, which
the checker does not use, confirms each witness. Where the checker finds nothing, no generated value may distinguish the
schemas. The same holds for conditions between arguments.

The suite tries 100 pairs in both directions; `./run oracle` tries 25,000.
"""

import json
from collections import Counter
from functools import cache
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.breaking.oracle.pairs import NAME, Schema
from tests.codegen.breaking.oracle.rounds import judge_round
from tests.conftest import Say
from toolaccord.call.conditions import broken_conditions
from toolaccord.contract.tools import Condition as DeclaredCondition
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.tools.conditions import condition_changes
from toolaccord_codegen.breaking.rule import Level, Profile
from toolaccord_codegen.ir.shared_records import build_condition
from toolaccord_codegen.loading.reading import parse_document
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place

EXAMPLES = 100
"""Pairs that the suite tries."""


def test_every_break_has_a_broken_value_and_every_pass_has_none(say: Say) -> None:
    tally, fault = judge_round(0, EXAMPLES)
    assert fault == ""
    assert tally.counts["verdicts"] == 2 * EXAMPLES
    print_counts(say, "Changes of schemas", tally.counts + Counter({"false alarms": tally.alarms.total()}))


def print_counts(say: Say, title: str, counts: Counter[str]) -> None:
    """Print the counts at the end of the run."""
    say(f"{title}: {', '.join(f'{number} {name}' for name, number in counts.items())}")


CONDITIONS: list[dict[str, Any]] = [
    *({"ordered": operands, "strict": strict, "code": code} for operands in (["/low", "/high"], ["/from", "/to"]) for strict in (False, True) for code in "AB"),
    *({"span": ["/from", "/to"], "at_most": at_most, "code": "A"} for at_most in ("P1D", "P2D", "P30D")),
]  # fmt: skip
PARAMETERS: Schema = {
    "type": "object",
    "properties": {
        **{name: {"type": "integer"} for name in ("low", "high")},
        **{name: {"type": "string", "format": "date"} for name in ("from", "to")},
    },
    "additionalProperties": False,
}
CONDITION_LISTS = st.lists(
    st.sampled_from(CONDITIONS), max_size=3, unique_by=lambda rule: str(rule.get("ordered", "span"))
)


def test_a_stricter_condition_rejects_arguments_and_a_looser_one_none(say: Say) -> None:
    counts: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES, derandomize=True, deadline=None)
    @given(CONDITION_LISTS, CONDITION_LISTS)
    def check_pair(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
        rules = [[build_condition(read_record(DeclaredCondition, rule)) for rule in each] for each in (before, after)]
        counts["pairs of rules"] += 1
        found = list(condition_changes(ContractPair(old=side(before), new=side(after))))
        breaks = [
            each
            for each in found
            if RULES[each.rule].impact(Profile.DEFAULT, each.direction, "").level is Level.BREAKING
        ]
        for change in breaks:
            assert [bool(broken_conditions(each, change.lost_value)) for each in rules] == [False, True]
        counts["witnesses confirmed"] += len(breaks)
        counts["passed"] += not breaks
        assert breaks or not [
            each
            for each in argument_grid()
            if not broken_conditions(rules[0], each) and broken_conditions(rules[1], each)
        ]

    check_pair()
    print_counts(say, "Changes of rules between arguments", counts)


def side(rules: list[dict[str, Any]]) -> ContractValue:
    """Return a tool with parameters and conditions only."""
    value = {"parameters": PARAMETERS, "conditions": rules}
    document = parse_document(json.dumps(value), NAME, NAME, [])
    assert document
    return ContractValue(SchemaLibrary({}), Place(document, ""), value)


@cache
def argument_grid() -> list[dict[str, Any]]:
    """Return arguments of every kind: absent, equal, in order and not, near and far."""
    numbers, days = [None, 0, 1], [None, "2026-01-01", "2026-01-02", "2026-01-03", "2026-03-01"]
    grid = product(numbers, numbers, days, days)
    names = ("low", "high", "from", "to")
    return [{name: part for name, part in zip(names, parts, strict=True) if part is not None} for parts in grid]
