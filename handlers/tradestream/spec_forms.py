"""The one form of a spec, made of the forms that submit_new_spec takes.

| part | full form | short form, TradeStream's own |
|---|---|---|
| indicator | `{"id": "rsi", "type": "RSI", "params": {"period": 14}}` | `{"name": "RSI", "period": 14}` |
| condition | `{"type": "UNDER_CONSTANT", "indicator": "rsi", "params": {"value": 30}}` | `{"rsi_below": 30}` |
| parameter | with `type` and `defaultValue` | without one or both |

The name is in capitals, however the caller wrote it. Each part keeps the JSON pointers at which the caller finds it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from pydantic import BaseModel

from generated.tradestream.strategy_db import models
from generated.tradestream.strategy_db.models import SubmitNewSpecRequest
from toolpact.json_values import JsonObject
from toolpact.schema.violations import Violation, json_pointer

Number: TypeAlias = int | float
Params: TypeAlias = Mapping[str, Number | str]
Part = TypeVar("Part")

CHOICE = re.compile(r"\$\{(.*)\}", re.DOTALL)
"""A number that the implementation chooses, as the spec writes it."""
COMPARISON = re.compile(r"(.+)_(above|below)", re.DOTALL)
"""The name of a short condition: the id of an indicator, and how it compares."""
COMPARED: Mapping[str, tuple[str, str]] = {
    "above": ("OVER_CONSTANT", "OVER_INDICATOR"),
    "below": ("UNDER_CONSTANT", "UNDER_INDICATOR"),
}
"""The rules of short conditions: with a number, and with another indicator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indicator:
    """A series that is computed from the candles or from another indicator."""

    at: str
    id: str
    type: str
    input: str | None
    params: Params | None
    param_at: Mapping[str, str]
    """The pointer of each of the params."""

    def as_json(self) -> JsonObject:
        """Return the indicator as it is stored: without an input or params that nobody gave."""
        return _given({"id": self.id, "type": self.type, "input": self.input, "params": self.params})


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A rule about an indicator."""

    at: str
    indicator_at: str
    """The pointer of what names the indicator."""
    type: str
    indicator: str
    params: Params | None
    param_at: Mapping[str, str]
    """The pointer of each of the params."""

    def as_json(self) -> JsonObject:
        """Return the condition as it is stored: without params that nobody gave."""
        return _given({"type": self.type, "indicator": self.indicator, "params": self.params})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A number that an implementation may choose."""

    at: str
    name: str
    type: str
    min: Number
    max: Number
    default: Number
    default_at: str
    """The pointer of what the default was taken from."""

    def as_json(self) -> JsonObject:
        """Return the parameter as it is stored."""
        numbers = {"min": self.min, "max": self.max, "defaultValue": self.default}
        return {"name": self.name, "type": self.type} | numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A spec in its one form; what has neither form is left out, and is among the violations."""

    name: str
    indicators: Sequence[Indicator]
    entry_conditions: Sequence[Condition]
    exit_conditions: Sequence[Condition]
    parameters: Sequence[Parameter]
    violations: Sequence[Violation]


def normalised(request: SubmitNewSpecRequest) -> Spec:
    """Return the spec of *request* in its one form."""
    reader = _Reader(tunable=frozenset(parameter.name for parameter in request.parameters))
    return Spec(
        name=request.name.upper(),
        indicators=[
            found for at, each in _each("/indicators", request.indicators) for found in reader.indicator(at, each)
        ],
        entry_conditions=list(reader.conditions("/entry_conditions", request.entry_conditions)),
        exit_conditions=list(reader.conditions("/exit_conditions", request.exit_conditions)),
        parameters=[reader.parameter(at, each) for at, each in _each("/parameters", request.parameters)],
        violations=reader.violations,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Reads the parts of a request, the indicators before the parameters."""

    tunable: frozenset[str]
    """The names of the parameters."""
    stated: dict[str, tuple[Number, str]] = field(default_factory=dict)
    """What short indicators state for a parameter that chooses their setting, and at which pointer."""
    violations: list[Violation] = field(default_factory=list)

    def indicator(self, at: str, given: models.Indicator) -> Iterator[Indicator]:
        """Yield the indicator at the pointer *at*, unless it has neither form."""
        if given.name is not None:
            yield from self._short_indicator(at, given, given.name)
        elif self._is_full(at, given, ("id", "type")) and given.id is not None and given.type is not None:
            params, param_at = given.params, _below(f"{at}/params", given.params)
            yield Indicator(at=at, id=given.id, type=given.type, input=given.input, params=params, param_at=param_at)

    def conditions(self, place: str, given: Sequence[models.Condition]) -> Iterator[Condition]:
        """Yield the conditions of the list at the pointer *place*, without those that have neither form."""
        for at, each in _each(place, given):
            if each.model_fields_set.isdisjoint(("type", "indicator", "params")) and _others(each):
                yield from self._comparisons(at, _others(each))
            elif (
                self._is_full(at, each, ("type", "indicator")) and each.type is not None and each.indicator is not None
            ):
                param_at = _below(f"{at}/params", each.params)
                yield Condition(
                    at=at, indicator_at=f"{at}/indicator", type=each.type, indicator=each.indicator, params=each.params,
                    param_at=param_at,
                )  # fmt: skip

    def parameter(self, at: str, given: models.Parameter) -> Parameter:
        """Return the parameter at the pointer *at*, with the type and the default that nobody gave."""
        stated, stated_at = self.stated.get(given.name, (None, ""))
        default_at = f"{at}/defaultValue"
        default = given.defaultValue
        if default is None and stated is not None:
            default, default_at = stated, stated_at
        numbers = [given.min, given.max, *([] if default is None else [default])]
        kind = given.type or ("INTEGER" if all(number == int(number) for number in numbers) else "DOUBLE")
        if default is None:
            default = (int(given.min) + int(given.max)) // 2 if kind == "INTEGER" else given.min / 2 + given.max / 2
        return Parameter(
            at=at, name=given.name, type=kind, min=given.min, max=given.max, default=default, default_at=default_at
        )

    def _short_indicator(self, at: str, given: models.Indicator, name: str) -> Iterator[Indicator]:
        if given.type is not None or given.params is not None:
            self._refuse(f"{at}/name", "form", "must not stand beside type or params; its settings stand beside it")
            return
        own, settings = given.id or name.lower(), _others(given)
        param_at = _below(at, settings)
        for setting, value in list(settings.items()):
            chosen = f"{own}_{setting}"
            if chosen in self.tunable and not isinstance(value, str):
                self.stated.setdefault(chosen, (value, param_at[setting]))
                settings[setting] = f"${{{chosen}}}"
        yield Indicator(at=at, id=own, type=name, input=given.input, params=settings or None, param_at=param_at)

    def _comparisons(self, at: str, given: Mapping[str, Number | str]) -> Iterator[Condition]:
        """Yield a condition for each member of a short one."""
        for name, value in given.items():
            member = at + json_pointer([name])
            if (compared := COMPARISON.fullmatch(name)) is None:
                self._refuse(member, "form", "must be the id of an indicator with _above or _below, e.g. rsi_below")
                continue
            with_number, with_indicator = COMPARED[compared[2]]
            is_number = not isinstance(value, str) or CHOICE.fullmatch(value) is not None
            param = "value" if is_number else "other"
            yield Condition(
                at=at, indicator_at=member, type=with_number if is_number else with_indicator, indicator=compared[1],
                params={param: value}, param_at={param: member},
            )  # fmt: skip

    def _is_full(self, at: str, given: BaseModel, needed: Sequence[str]) -> bool:
        """Whether a part has the *needed* members of the full form, and no others than the form has."""
        missing = [name for name in needed if name not in given.model_fields_set]
        for name in missing:
            self._refuse(f"{at}/{name}", "required", "is required, unless the short form is used")
        for name in _others(given):
            self._refuse(at + json_pointer([name]), "additionalProperties", "is not known")
        return not missing and not _others(given)

    def _refuse(self, at: str, keyword: str, message: str) -> None:
        self.violations.append(Violation(at, keyword, message))


def _each(place: str, given: Sequence[Part]) -> Iterator[tuple[str, Part]]:
    """Yield each of *given* with its pointer."""
    return ((f"{place}/{index}", each) for index, each in enumerate(given))


def _others(given: BaseModel) -> dict[str, Number | str]:
    """Return the members that the contract does not name."""
    return dict(given.model_extra or {})


def _below(at: str, params: Params | None) -> Mapping[str, str]:
    """Return the pointers of *params* at the pointer *at*."""
    return {name: at + json_pointer([name]) for name in params or {}}


def _given(whole: JsonObject) -> JsonObject:
    return {name: value for name, value in whole.items() if value is not None}
