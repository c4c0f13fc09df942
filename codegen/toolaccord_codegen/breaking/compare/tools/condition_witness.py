"""Find arguments that violate only a new condition, or prove that there are none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import MAXYEAR, datetime, timedelta
from itertools import islice, product
from typing import Any

from toolaccord.contract.tools import Condition as DeclaredCondition
from toolaccord.semantics.conditions import Condition, Ordered, Span, is_broken
from toolaccord.semantics.json_pointers import split_pointer
from toolaccord_codegen.ir.shared_records import build_condition
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.schema_sets.containment import NOTHING, covers
from toolaccord_codegen.schema_sets.samples import boundary_values, minimal_value
from toolaccord_codegen.schema_sets.validators import admits

MAX_CANDIDATES = 200
"""Values tried for an argument."""
MOMENTS = {
    "date": ("2026-01-31", "2026-02-01", "2026-03-31", "2020-01-01", "1990-01-01"),
    "date-time": ("2026-01-31T00:00:00Z", "2026-01-31T00:00:01Z", "2026-03-31T00:00:00Z", "2020-01-01T00:00:00Z"),
}


def find_violation(
    parameters: tuple[Schema, Schema], before: Sequence[DeclaredCondition], condition: DeclaredCondition, hint: Any
) -> dict[str, Any] | None:
    """Return arguments that violate a condition and satisfy all conditions *before*, or None.

    The old and the new parameters both admit them. Conditions without operands do not count.
    """
    added, kept = _valid_conditions([condition]), _valid_conditions(before)
    old, new = parameters
    for rule in added:
        minimal = as_object(minimal_value(old, hint))
        for values in product(*(_candidates(old, pointer, rule) for pointer in rule.pointers)):
            arguments = minimal
            for pointer, value in zip(rule.pointers, values, strict=True):
                arguments = _with_value(arguments, split_pointer(pointer), value)
            fits = admits(old, arguments) and admits(new, arguments)
            if fits and _is_violated(rule, arguments) and not any(_is_violated(other, arguments) for other in kept):
                return arguments
    return None


def is_implied(parameters: Schema, condition: DeclaredCondition, others: Sequence[DeclaredCondition] = ()) -> bool:
    """Return True if a schema and other conditions provably imply a condition.

    The other conditions have to lead to the same error code.
    """
    known = _valid_conditions(others)
    for rule in _valid_conditions([condition]):
        if any(covers(_schema_at(pointer, NOTHING), parameters) for pointer in rule.pointers):
            return True
        alike = [other for other in known if other.code == rule.code]
        if isinstance(rule, Span):
            spans = [other for other in alike if isinstance(other, Span) and other.pointers == rule.pointers]
            return any(other.at_most <= rule.at_most for other in spans)
        orders = [other for other in alike if isinstance(other, Ordered)]
        return _has_chain(parameters, rule, orders) or _is_separated(parameters, rule)
    return False


def _has_chain(parameters: Schema, condition: Ordered, others: Sequence[Ordered]) -> bool:
    """Return True if other orders chain the operands by arguments that are always present."""
    first, last = condition.pointers
    todo, seen = [(first, False)], {(first, False)}
    while todo:
        pointer, is_strict = todo.pop()
        if pointer == last and (is_strict or not condition.strict):
            return True
        if pointer == first or covers(_schema_at(pointer, {"type": ["number", "string"]}, required=True), parameters):
            steps = {(each.pointers[1], is_strict or each.strict) for each in others if each.pointers[0] == pointer}
            todo += steps - seen
            seen |= steps
    return False


def _is_separated(parameters: Schema, condition: Ordered) -> bool:
    """Return True if a number provably separates the operands in all arguments."""
    above = "exclusiveMinimum" if condition.strict else "minimum"
    earlier, later = condition.pointers
    number = {"type": "number"}  # else the limit would say nothing about a text
    return any(
        covers(
            {"allOf": [_schema_at(earlier, number | {"maximum": limit}), _schema_at(later, number | {above: limit})]},
            parameters,
        )
        for limit in _candidates(parameters, earlier, condition)
        if isinstance(limit, int | float) and not isinstance(limit, bool)
    )


def _schema_at(pointer: str, part: Schema, *, required: bool = False) -> Schema:
    """Return the schema of arguments that have a part at a pointer, if anything or always."""
    for name in reversed(split_pointer(pointer)):
        part = {"properties": {name: part}} | ({"type": "object", "required": [name]} if required else {})
    return part


def _valid_conditions(conditions: Sequence[DeclaredCondition]) -> list[Condition]:
    """Return conditions as a running server has them; those of a base may lack their operands."""
    return [build_condition(condition) for condition in conditions if condition.ordered or condition.span]


def _candidates(schema: Schema, pointer: str, condition: Condition) -> list[Any]:
    """Return values of an argument, some of them just beyond the limit or a constant."""
    part, parts = _part_at(schema, pointer), [_part_at(schema, each) for each in condition.pointers]
    constants = [each["const"] for each in parts if "const" in each]
    moments = [*MOMENTS.get(str(part.get("format")), ()), *(each for each in constants if isinstance(each, str))]
    limit = condition.at_most if isinstance(condition, Span) else timedelta()
    too_late = [_after_limit(each, limit) for each in moments if _is_moment(each)]
    rivals = [{"minimum": each} for each in constants if isinstance(each, int | float)]
    found = [*moments, *too_late, *islice(boundary_values(part, rivals), MAX_CANDIDATES)]
    return found[:MAX_CANDIDATES] if part else []


def _part_at(schema: Schema, pointer: str) -> Schema:
    """Return the schema of an argument; one that admits everything where there is none."""
    for name in split_pointer(pointer):
        schema = as_object(as_object(schema.get("properties")).get(name))
    return schema


def _is_moment(text: str) -> bool:
    """Return True for a date or a time that has a day after it."""
    try:
        return datetime.fromisoformat(text).year < MAXYEAR
    except ValueError:
        return False


def _after_limit(first: str, at_most: timedelta) -> str:
    """Return a date or time that exceeds a duration after another one."""
    found = (datetime.fromisoformat(first) + timedelta(days=1) + at_most).isoformat()
    return found.replace("+00:00", "Z") if "T" in first else found[: len(first)]


def _with_value(value: dict[str, Any], names: Sequence[str], leaf: Any) -> dict[str, Any]:
    """Return a copy of an object with a value at a path."""
    first, *rest = names
    return {**value, first: _with_value(as_object(value.get(first)), rest, leaf) if rest else leaf}


def _is_violated(condition: Condition, arguments: dict[str, Any]) -> bool:
    """Return True if arguments violate a condition. Operands that cannot be compared satisfy it."""
    try:
        return is_broken(condition, arguments)
    except (TypeError, ValueError):
        return False
