"""The checks of a spec that its schema cannot express: references, numbers, unique names."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from generated.tradestream.errors import DuplicateName, InvalidConditions, InvalidIndicators, SchemaValidationError
from handlers.tradestream.registry import INDICATOR_OPERANDS, PRICES, RULES, Operand
from handlers.tradestream.spec_forms import CHOICE, Condition, Indicator, Number, Parameter, Params, Spec
from toolaccord.schema.violations import Violation

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")

SpecError: TypeAlias = DuplicateName | InvalidIndicators | InvalidConditions | SchemaValidationError

ORDER: tuple[type[SpecError], ...] = (DuplicateName, InvalidIndicators, InvalidConditions, SchemaValidationError)
"""The contract's order of codes; an error has the first code among its findings."""
MAX_SENTENCES = 10
LONGEST_ID = 64
"""Characters of an unknown id in a message; no id is longer."""

OPERAND_MESSAGES: Mapping[Operand, str] = {
    Operand.INDICATOR: "must name an indicator as crosses or other",
    Operand.NUMBER: "must hold the number to compare with, as value",
    Operand.EITHER: "must hold what to compare with: an indicator as other, or a number as value",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation in a spec, and its class of error."""

    error: type[SpecError]
    violation: Violation


def build_error(findings: Sequence[Finding]) -> SpecError:
    """Return one error for all *findings*; its details list them."""
    violations = [finding.violation for finding in findings]
    sentences = [violation.sentence for violation in violations[:MAX_SENTENCES]]
    if omitted := len(violations) - len(sentences):
        sentences.append(f"and {omitted} more")
    error = min((finding.error for finding in findings), key=ORDER.index)
    return error("; ".join(sentences) + ".", violations=[violation.as_json() for violation in violations])


def name_taken() -> Finding:
    """Return the finding that another spec has the name."""
    return Finding(DuplicateName, Violation("/name", "unique", "must be a name that no other spec has"))


def check_spec(spec: Spec) -> Iterator[Finding]:
    """Yield the findings in *spec*: those about forms first, then the others in order."""
    yield from (Finding(_form_error(violation), violation) for violation in spec.violations)
    numbers = {parameter.name for parameter in spec.parameters}
    known = {indicator.id for indicator in spec.indicators}
    yield from _to_findings(
        SchemaValidationError, _check_unique([(each.id, f"{each.at}/id") for each in spec.indicators], "id")
    )
    for indicator in spec.indicators:
        yield from _to_findings(InvalidIndicators, _check_input(indicator, spec.indicators))
        yield from _to_findings(SchemaValidationError, _check_settings(indicator, numbers))
    for condition in (*spec.entry_conditions, *spec.exit_conditions):
        yield from _to_findings(InvalidConditions, _check_condition(condition, known, numbers))
    yield from _to_findings(SchemaValidationError, _check_parameters(spec.parameters))


def find_warnings(spec: Spec) -> Iterator[str]:
    """Yield a sentence about each unused declaration in a valid *spec*."""
    conditions = [*spec.entry_conditions, *spec.exit_conditions]
    params = [each.params for each in spec.indicators] + [each.params for each in conditions]
    values = {str(value) for each in params if each for value in each.values()}
    used = values | {condition.indicator for condition in conditions} | {each.input for each in spec.indicators}
    for indicator in spec.indicators:
        if indicator.id not in used:
            yield f"{indicator.at} is used by no condition and no indicator."
    for parameter in spec.parameters:
        if f"${{{parameter.name}}}" not in values:
            yield f"{parameter.at} is used by nothing."


def _to_findings(error: type[SpecError], violations: Iterable[Violation]) -> Iterator[Finding]:
    return (Finding(error, violation) for violation in violations)


def _form_error(violation: Violation) -> type[SpecError]:
    return SchemaValidationError if violation.at.startswith("/indicators/") else InvalidConditions


def _check_unique(names: Sequence[tuple[str, str]], member: str) -> Iterator[Violation]:
    """Yield a violation for each repeated name; *names* are pairs of name and pointer."""
    seen: set[str] = set()
    for name, at in names:
        if name in seen:
            yield Violation(at, "unique", f"must be a unique {member}")
        seen.add(name)


def _check_input(indicator: Indicator, others: Sequence[Indicator]) -> Iterator[Violation]:
    at = f"{indicator.at}/input"
    if indicator.input is not None and indicator.input not in PRICES | {other.id for other in others}:
        prices = ", ".join(sorted(PRICES))
        yield Violation(at, "reference", f"must be the id of another indicator of this spec, or one of {prices}")
    elif _is_circular(indicator, others):
        yield Violation(at, "reference", "must not refer to the indicator itself, directly or through others")


def _check_settings(indicator: Indicator, numbers: set[str]) -> Iterator[Violation]:
    for name, value in (indicator.params or {}).items():
        yield from _check_param(name, value, indicator.param_at[name], numbers)


def _is_circular(indicator: Indicator, others: Sequence[Indicator]) -> bool:
    """Return whether *indicator* is computed from itself, directly or through others."""
    inputs = {other.id: other.input for other in others}
    here = indicator.input
    for _ in others:
        if here is None or here == indicator.id:
            break
        here = inputs.get(here)
    return here == indicator.id


def _check_condition(condition: Condition, known: set[str], numbers: set[str]) -> Iterator[Violation]:
    params = condition.params or {}
    yield from _check_references(condition, params, known)
    for name, value in params.items():
        if name not in INDICATOR_OPERANDS:
            yield from _check_param(name, value, condition.param_at[name], numbers)
    needed = RULES[condition.type]
    if needed is not Operand.NOTHING and not _has_operand(needed, params):
        yield Violation(f"{condition.at}/params", "operand", OPERAND_MESSAGES[needed])


def _check_references(condition: Condition, params: Params, known: set[str]) -> Iterator[Violation]:
    """Yield a violation for each unknown id in *condition*, at its first place."""
    operands = [(value, condition.param_at[name]) for name, value in params.items() if name in INDICATOR_OPERANDS]
    places: dict[str, str] = {}
    for value, at in [(condition.indicator, condition.indicator_at), *operands]:
        if value not in known:
            places.setdefault(str(value)[:LONGEST_ID], at)
    for unknown, at in places.items():
        shown = json.dumps(unknown, ensure_ascii=False)
        yield Violation(at, "reference", f"must be the id of an indicator of this spec, and {shown} is none")


def _has_operand(needed: Operand, params: Params) -> bool:
    if needed is Operand.INDICATOR:
        return not INDICATOR_OPERANDS.isdisjoint(params)
    if needed is Operand.NUMBER:
        return not INDICATOR_OPERANDS.issuperset(params)
    return bool(params)


def _check_param(name: str, value: Number | str, at: str, numbers: set[str]) -> Iterator[Violation]:
    """Yield the violations of a numeric param; a value may refer to a parameter of the spec."""
    if not NAME.fullmatch(name):
        yield Violation(at, "pattern", "must have a name of letters, digits and _")
    if isinstance(value, str):
        chosen = CHOICE.fullmatch(value)
        if chosen is None or chosen[1] not in numbers:
            yield Violation(at, "reference", "must be a number, or ${name} of a parameter of this spec")


def _check_parameters(parameters: Sequence[Parameter]) -> Iterator[Violation]:
    yield from _check_unique([(parameter.name, f"{parameter.at}/name") for parameter in parameters], "name")
    for parameter in parameters:
        yield from _check_parameter(parameter)


def _check_parameter(parameter: Parameter) -> Iterator[Violation]:
    least, greatest, default = parameter.min, parameter.max, parameter.default
    if parameter.type == "INTEGER":
        places = ((f"{parameter.at}/min", least), (f"{parameter.at}/max", greatest), (parameter.default_at, default))
        for at, value in places:
            if value != int(value):
                yield Violation(at, "type", "must be a whole number, because the parameter's type is INTEGER")
    if least > greatest:
        yield Violation(f"{parameter.at}/max", "minimum", "must be at least min")
    elif not least <= default <= greatest:
        yield Violation(parameter.default_at, "minimum", "must lie between min and max of its parameter")
