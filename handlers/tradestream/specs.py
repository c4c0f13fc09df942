"""What is wrong with a spec that has the right shape: names that lead nowhere, and numbers that cannot be."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from generated.tradestream.errors import DuplicateName, InvalidConditions, InvalidIndicators, SchemaValidationError
from handlers.tradestream.registry import INDICATOR_OPERANDS, PRICES, RULES, Operand
from handlers.tradestream.spec_forms import CHOICE, Condition, Indicator, Number, Parameter, Params, Spec
from toolpact.schema.violations import Violation

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")

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


def findings(spec: Spec) -> Iterator[Finding]:
    """Yield everything that is wrong inside *spec*: what has no form, then the rest in its order."""
    yield from (Finding(_of_form(violation), violation) for violation in spec.violations)
    numbers = {parameter.name for parameter in spec.parameters}
    known = {indicator.id for indicator in spec.indicators}
    yield from _as(SchemaValidationError, _twice([(each.id, f"{each.at}/id") for each in spec.indicators], "id"))
    for indicator in spec.indicators:
        yield from _as(InvalidIndicators, _in_input(indicator, spec.indicators))
        yield from _as(SchemaValidationError, _in_settings(indicator, numbers))
    for condition in (*spec.entry_conditions, *spec.exit_conditions):
        yield from _as(InvalidConditions, _in_condition(condition, known, numbers))
    yield from _as(SchemaValidationError, _in_parameters(spec.parameters))


def warnings(spec: Spec) -> Iterator[str]:
    """Yield what is odd about a sound *spec*, a sentence each: what it declares and does not use."""
    conditions = [*spec.entry_conditions, *spec.exit_conditions]
    params = [each.params for each in spec.indicators] + [each.params for each in conditions]
    said = {str(value) for each in params if each for value in each.values()}
    used = said | {condition.indicator for condition in conditions} | {each.input for each in spec.indicators}
    for indicator in spec.indicators:
        if indicator.id not in used:
            yield f"{indicator.at} is used by no condition and no indicator."
    for parameter in spec.parameters:
        if f"${{{parameter.name}}}" not in said:
            yield f"{parameter.at} is used by nothing."


def _as(error: type[Refusal], violations: Iterable[Violation]) -> Iterator[Finding]:
    return (Finding(error, violation) for violation in violations)


def _of_form(violation: Violation) -> type[Refusal]:
    return SchemaValidationError if violation.at.startswith("/indicators/") else InvalidConditions


def _twice(names: Sequence[tuple[str, str]], member: str) -> Iterator[Violation]:
    """Yield a violation for each of *names*, which stand beside their pointers, that came before."""
    seen: set[str] = set()
    for name, at in names:
        if name in seen:
            yield Violation(at, "unique", f"must be a {member} that stands here once")
        seen.add(name)


def _in_input(indicator: Indicator, others: Sequence[Indicator]) -> Iterator[Violation]:
    at = f"{indicator.at}/input"
    if indicator.input is not None and indicator.input not in PRICES | {other.id for other in others}:
        prices = ", ".join(sorted(PRICES))
        yield Violation(at, "reference", f"must be the id of another indicator of this spec, or one of {prices}")
    elif _is_circular(indicator, others):
        yield Violation(at, "reference", "must not lead back to the indicator itself")


def _in_settings(indicator: Indicator, numbers: set[str]) -> Iterator[Violation]:
    for name, value in (indicator.params or {}).items():
        yield from _in_number(name, value, indicator.param_at[name], numbers)


def _is_circular(indicator: Indicator, others: Sequence[Indicator]) -> bool:
    """Whether *indicator* is computed from itself, over however many others."""
    inputs = {other.id: other.input for other in others}
    here = indicator.input
    for _ in others:
        if here is None or here == indicator.id:
            break
        here = inputs.get(here)
    return here == indicator.id


def _in_condition(condition: Condition, known: set[str], numbers: set[str]) -> Iterator[Violation]:
    if condition.indicator not in known:
        yield Violation(condition.indicator_at, "reference", "must be the id of an indicator of this spec")
    params = condition.params or {}
    for name, value in params.items():
        if name not in INDICATOR_OPERANDS:
            yield from _in_number(name, value, condition.param_at[name], numbers)
        elif value not in known:
            yield Violation(condition.param_at[name], "reference", "must be the id of an indicator of this spec")
    needed = RULES[condition.type]
    if needed is not Operand.NOTHING and not _has(needed, params):
        yield Violation(f"{condition.at}/params", "operand", NEEDED[needed])


def _has(needed: Operand, params: Params) -> bool:
    if needed is Operand.INDICATOR:
        return not INDICATOR_OPERANDS.isdisjoint(params)
    if needed is Operand.NUMBER:
        return not INDICATOR_OPERANDS.issuperset(params)
    return bool(params)


def _in_number(name: str, value: Number | str, at: str, numbers: set[str]) -> Iterator[Violation]:
    """Yield what is wrong with the param *name* at the pointer *at*: a number, or one to be chosen."""
    if not NAME.fullmatch(name):
        yield Violation(at, "pattern", "must have a name of letters, digits and _")
    if isinstance(value, str):
        chosen = CHOICE.fullmatch(value)
        if chosen is None or chosen[1] not in numbers:
            yield Violation(at, "reference", "must be a number, or ${name} of a parameter of this spec")


def _in_parameters(parameters: Sequence[Parameter]) -> Iterator[Violation]:
    yield from _twice([(parameter.name, f"{parameter.at}/name") for parameter in parameters], "name")
    for parameter in parameters:
        yield from _in_parameter(parameter)


def _in_parameter(parameter: Parameter) -> Iterator[Violation]:
    least, greatest, default = parameter.min, parameter.max, parameter.default
    if parameter.type == "INTEGER":
        places = ((f"{parameter.at}/min", least), (f"{parameter.at}/max", greatest), (parameter.default_at, default))
        for at, value in places:
            if value != int(value):
                yield Violation(at, "type", "must be a whole number, as the parameter's type says")
    if least > greatest:
        yield Violation(f"{parameter.at}/max", "minimum", "must be at least min")
    elif not least <= default <= greatest:
        yield Violation(parameter.default_at, "minimum", "must lie between min and max of its parameter")
