"""Judge the checker's verdicts on pairs of schemas by the values that the schemas admit.

jsonschema, which the checker does not use, confirms each witness. Values generated without the checker show what it
missed. A verdict counts as a false alarm if it is a break that no value shows.
"""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from typing import Any

import jsonschema

from tests.codegen.breaking.oracle.pairs import NAMES, WORD_BOUNDARY, Schema, Written
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.rule import Direction, Level, Profile
from toolaccord_codegen.breaking.witnesses import Witness, find_witness
from toolaccord_codegen.schema_sets.samples import boundary_values
from toolaccord_codegen.schema_sets.validators import compile_validator

SCALARS: list[Any] = [None, True, False, 0, 1, 2, 3, 5, -1, -3, 2.5, 0.5, 1.5, 1e3, "", "a", "ab", "AB", "x1", "a\nb", "2026-01-31", "2026-01-31T12:00:00Z", "0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01", "9999-99-99", {"a": 1}, {"a": True}]  # fmt: skip
GENERATED = 300
"""Values generated from each schema of a pair."""
READ_BY_CALLERS = frozenset(
    {"CONST_CHANGED", "ENUM_VALUE_REMOVED", "FIELD_REMOVED", "FIELD_RENAMED", "UNION_MEMBER_REMOVED"}
)
"""Rules of losses that callers of a result notice although each value was possible before."""
CLAIMED_NAME = "FIELD_ADDED_OPTIONAL"
"""The rule of a new name in an open object.

It is a warning, because the member had no meaning before.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A change that the checker reports, in the default profile."""

    rule: str
    level: Level
    witness: Witness | None


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of verdicts, and the shortest example of each kind of false alarm."""

    counts: Counter[str] = field(default_factory=Counter)
    alarms: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, other: "Tally") -> None:
        """Add the counts and examples of another tally."""
        self.counts.update(other.counts)
        self.alarms.update(other.alarms)
        for kind, example in other.examples.items():
            self.keep_example(kind, example)

    def keep_example(self, kind: str, example: str) -> None:
        """Store an example if it is the shortest of its kind."""
        self.examples[kind] = min(self.examples.get(kind, example), example, key=lambda text: (len(text), text))


@dataclass(frozen=True)
class Values:
    """The values that distinguish two schemas, as far as samples show."""

    old: Schema
    new: Schema

    @cached_property
    def lost(self) -> Any:
        """The values that only the old schema admits."""
        return [value for value, before, after in self._verdicts if before and not after]

    @cached_property
    def gained(self) -> Any:
        """The values that only the new schema admits."""
        return [value for value, before, after in self._verdicts if after and not before]

    @property
    def is_one_empty(self) -> bool:
        """True if one of the schemas seems to admit nothing."""
        return not all(any(verdict[side] for verdict in self._verdicts) for side in (1, 2))

    @cached_property
    def _verdicts(self) -> list[tuple[Any, bool, bool]]:
        """Values, and whether the old and the new schema admit each.

        The generator gets each pattern without the word boundary, which has the same texts.
        """
        old, new = (json.loads(json.dumps(schema).replace(WORD_BOUNDARY, "")) for schema in (self.old, self.new))
        generated = (islice(boundary_values(*each), GENERATED) for each in ((old, [new]), (new, [old])))
        candidates = [*sampled(), *(value for each in generated for value in each)]
        before, after = (compile_validator(schema) for schema in (self.old, self.new))
        return [(value, before.is_valid(value), after.is_valid(value)) for value in candidates]


def judge(pair: tuple[Written, Written], tally: Tally) -> None:
    """Count the checker's verdicts on a pair in both directions.

    Raises AssertionError for a missed change, and for a witness that jsonschema contradicts.
    """
    old, new = pair
    values = Values(old.inlined, new.inlined)
    tally.counts["pairs with references"] += bool(old.defs or new.defs)
    for direction in Direction:
        found = reports(direction, *pair)
        tally.counts["verdicts"] += 1
        for report in found:
            confirm_witness(pair, report)
            tally.counts["witnesses"] += report.witness is not None
        breaks = [report for report in found if report.level is Level.BREAKING]
        if not breaks:
            check_pass(values, direction, found)
            tally.counts["passes"] += 1
        elif not any(is_shown(report, direction) for report in breaks) and not breaking_values(values, direction):
            kind = kind_of_alarm(values, {report.rule for report in breaks})
            tally.alarms[kind] += 1
            tally.keep_example(kind, f"{direction.value}: {json.dumps(old.inlined)} → {json.dumps(new.inlined)}")


def kind_of_alarm(values: Values, rules: set[str]) -> str:
    """Return the reason of a false alarm, or its rules."""
    text = json.dumps([values.old, values.new])
    if values.is_one_empty:
        return "a schema that admits nothing"
    if WORD_BOUNDARY in text:
        return "a pattern with a word boundary"
    return "alternatives of oneOf" if "oneOf" in text else " and ".join(sorted(rules))


def reports(direction: Direction, old: Written, new: Written) -> list[Report]:
    """Return the checker's changes of two schemas."""
    topic = Topic(direction=direction, noun="argument", whole="arguments")
    found = []
    for change in schema_changes(topic, old.node, new.node):
        level = RULES[change.rule].impact(Profile.DEFAULT, direction, change.circumstance).level
        witness = find_witness(change.difference) if change.difference else None
        found.append(Report(rule=change.rule, level=level, witness=witness))
    return found


def confirm_witness(pair: tuple[Written, Written], report: Report) -> None:
    """Check that jsonschema agrees with a witness."""
    if report.witness:
        verdicts = [is_admitted(each.inlined, report.witness.value) for each in pair]
        assert verdicts == [report.witness.is_loss, not report.witness.is_loss], f"contradicted witness: {report}"


def check_pass(values: Values, direction: Direction, found: list[Report]) -> None:
    """Check that no value shows a break, or any change, that the checker missed."""
    is_claimed = direction is Direction.INPUT and CLAIMED_NAME in {report.rule for report in found}
    missed = [] if is_claimed else breaking_values(values, direction)
    assert missed == [], f"missed break of an {direction.value}"
    assert found or not values.lost + values.gained, f"missed change of an {direction.value}"


def breaking_values(values: Values, direction: Direction) -> Any:
    """Return values that break callers: lost ones of arguments, gained ones of results."""
    return values.lost if direction is Direction.INPUT else values.gained


def is_shown(report: Report, direction: Direction) -> bool:
    """Return True if a break has a witness that breaks callers, or is a loss that they notice."""
    if direction is Direction.OUTPUT and report.rule in READ_BY_CALLERS:
        return True
    return report.witness is not None and report.witness.is_loss is (direction is Direction.INPUT)


def is_admitted(schema: Schema, value: Any) -> bool:
    """Return True if jsonschema admits a value, with formats asserted."""
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    return bool(validator.is_valid(value))


@cache
def sampled() -> list[Any]:
    """Return values of all kinds, generated without any schema."""
    chooser = random.Random(7)

    def value(depth: int) -> Any:
        kind = chooser.random()
        if depth == 0 or kind < 0.5:
            return chooser.choice(SCALARS)
        if kind < 0.7:
            return [value(depth - 1) for _ in range(chooser.randrange(4))]
        return {name: value(depth - 1) for name in chooser.sample([*NAMES, "d", "e"], chooser.randrange(4))}

    return [*SCALARS, *(value(3) for _ in range(700))]
