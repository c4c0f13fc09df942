"""What is wrong with a spec that has the right shape: names that lead nowhere, and numbers that cannot be."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from generated.tradestream.errors import DuplicateName, InvalidConditions, InvalidIndicators, SchemaValidationError
from generated.tradestream.strategy_db.models import Condition, Indicator, Parameter, SubmitNewSpecRequest
from handlers.tradestream.registry import INDICATOR_OPERANDS, PRICES, RULES, Operand
from toolpact.json_values import JsonObject
from toolpact.schema.violations import Violation, json_pointer

Number = int | float

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
CHOICE = re.compile(r"\$\{(.*)\}", re.DOTALL)
"""A number that the implementation chooses, as the spec writes it."""

Refusal: TypeAlias = DuplicateName | InvalidIndicators | InvalidConditions | SchemaValidationError

ORDER: tuple[type[Refusal], ...] = (DuplicateName, InvalidIndicators, InvalidConditions, SchemaValidationError)
"""The contract's order of codes: of several findings the first one's is answered."""
MOST_SAID = 10

NEEDED: Mapping[Operand, str] = {
    Operand.INDICATOR: "must name an indicator as crosses or other",
    Operand.NUMBER: "must hold the number to compare with, as value",
    Operand.EITHER: "must hold what to compare with: an indicator as other, or a number as value",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, and the error it amounts to."""

    error: type[Refusal]
    violation: Violation


def refusal(findings: Sequence[Finding]) -> Refusal:
    """Return the error that *findings* make together; its details name them all."""
    violations = [finding.violation for finding in findings]
    said = [violation.sentence for violation in violations[:MOST_SAID]]
    if unsaid := len(violations) - len(said):
        said.append(f"and {unsaid} more")
    error = min((finding.error for finding in findings), key=ORDER.index)
    return error("; ".join(said) + ".", violations=[violation.as_json() for violation in violations])


def taken() -> Finding:
    """Return that the name is another spec's."""
    return Finding(DuplicateName, Violation("/name", "unique", "must be a name that no other spec has"))


def findings(spec: SubmitNewSpecRequest) -> Iterator[Finding]:
    """Yield everything that is wrong inside *spec*, in its order."""
    numbers = {parameter.name for parameter in spec.parameters}
    known = {indicator.id for indicator in spec.indicators}
    yield from _as(SchemaValidationError, _twice([indicator.id for indicator in spec.indicators], "/indicators", "id"))
    for index, indicator in enumerate(spec.indicators):
        yield from _as(InvalidIndicators, _in_input(indicator, f"/indicators/{index}/input", spec.indicators))
        yield from _as(SchemaValidationError, _in_settings(indicator, f"/indicators/{index}", numbers))
    for name, conditions in (("entry_conditions", spec.entry_conditions), ("exit_conditions", spec.exit_conditions)):
        for index, condition in enumerate(conditions):
            yield from _as(InvalidConditions, _in_condition(condition, f"/{name}/{index}", known, numbers))
    yield from _as(SchemaValidationError, _in_parameters(spec.parameters))


def warnings(spec: SubmitNewSpecRequest) -> Iterator[str]:
    """Yield what is odd about a sound *spec*, a sentence each: what it declares and does not use."""
    conditions = [*spec.entry_conditions, *spec.exit_conditions]
    params = [each.params for each in spec.indicators] + [each.params for each in conditions]
    said = {str(value) for each in params if each for value in each.values()}
    used = said | {condition.indicator for condition in conditions} | {each.input for each in spec.indicators}
    for index, indicator in enumerate(spec.indicators):
        if indicator.id not in used:
            yield f"/indicators/{index} is used by no condition and no indicator."
    for index, parameter in enumerate(spec.parameters):
        if f"${{{parameter.name}}}" not in said:
            yield f"/parameters/{index} is used by nothing."


def _as(error: type[Refusal], violations: Iterable[Violation]) -> Iterator[Finding]:
    return (Finding(error, violation) for violation in violations)


def _twice(names: Sequence[str], place: str, member: str) -> Iterator[Violation]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Violation(f"{place}/{index}/{member}", "unique", f"must be a {member} that stands here once")


def _in_input(indicator: Indicator, at: str, others: Sequence[Indicator]) -> Iterator[Violation]:
    if indicator.input is not None and indicator.input not in PRICES | {other.id for other in others}:
        prices = ", ".join(sorted(PRICES))
        yield Violation(at, "reference", f"must be the id of another indicator of this spec, or one of {prices}")
    elif _is_circular(indicator, others):
        yield Violation(at, "reference", "must not lead back to the indicator itself")


def _in_settings(indicator: Indicator, place: str, numbers: set[str]) -> Iterator[Violation]:
    for name, value in (indicator.params or {}).items():
        yield from _in_number(name, value, place, numbers)


def _is_circular(indicator: Indicator, others: Sequence[Indicator]) -> bool:
    """Whether *indicator* is computed from itself, over however many others."""
    inputs = {other.id: other.input for other in others}
    here = indicator.input
    for _ in others:
        if here is None or here == indicator.id:
            break
        here = inputs.get(here)
    return here == indicator.id


def _in_condition(condition: Condition, place: str, known: set[str], numbers: set[str]) -> Iterator[Violation]:
    if condition.indicator not in known:
        yield Violation(f"{place}/indicator", "reference", "must be the id of an indicator of this spec")
    params = condition.params or {}
    for name, value in params.items():
        if name not in INDICATOR_OPERANDS:
            yield from _in_number(name, value, place, numbers)
        elif value not in known:
            yield Violation(f"{place}/params/{name}", "reference", "must be the id of an indicator of this spec")
    needed = RULES[condition.type]
    if needed is not Operand.NOTHING and not _has(needed, params):
        yield Violation(f"{place}/params", "operand", NEEDED[needed])


def _has(needed: Operand, params: JsonObject) -> bool:
    if needed is Operand.INDICATOR:
        return not INDICATOR_OPERANDS.isdisjoint(params)
    if needed is Operand.NUMBER:
        return not INDICATOR_OPERANDS.issuperset(params)
    return bool(params)


def _in_number(name: str, value: Number | str, place: str, numbers: set[str]) -> Iterator[Violation]:
    """Yield what is wrong with the param *name* of what stands at *place*: a number, or one to be chosen."""
    at = place + json_pointer(["params", name])
    if not NAME.fullmatch(name):
        yield Violation(at, "pattern", "must have a name of letters, digits and _")
    if isinstance(value, str):
        chosen = CHOICE.fullmatch(value)
        if chosen is None or chosen[1] not in numbers:
            yield Violation(at, "reference", "must be a number, or ${name} of a parameter of this spec")


def _in_parameters(parameters: Sequence[Parameter]) -> Iterator[Violation]:
    yield from _twice([parameter.name for parameter in parameters], "/parameters", "name")
    for index, parameter in enumerate(parameters):
        yield from _in_parameter(parameter, f"/parameters/{index}")


def _in_parameter(parameter: Parameter, place: str) -> Iterator[Violation]:
    least, greatest, default = parameter.min, parameter.max, parameter.defaultValue
    if parameter.type == "INTEGER":
        for name, value in (("min", least), ("max", greatest), ("defaultValue", default)):
            if value != int(value):
                yield Violation(f"{place}/{name}", "type", "must be a whole number, as the parameter's type says")
    if least > greatest:
        yield Violation(f"{place}/max", "minimum", "must be at least min")
    elif not least <= default <= greatest:
        yield Violation(f"{place}/defaultValue", "minimum", "must lie between min and max")
