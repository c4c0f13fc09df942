"""The normalised form of a spec, from the forms that submit_new_spec accepts.

| part | full form | short form, TradeStream's own |
|---|---|---|
| indicator | `{"id": "rsi", "type": "RSI", "params": {"period": 14}}` | `{"name": "RSI", "period": 14}` |
| condition | `{"type": "UNDER_CONSTANT", "indicator": "rsi", "params": {"value": 30}}` | `{"rsi_below": 30}` |
| parameter | with `type` and `defaultValue` | without one or both |

Names and kinds become capitals. Each part records the JSON pointers of its origin in the request.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from pydantic import BaseModel

from generated.tradestream.strategy_db import models
from generated.tradestream.strategy_db.models import SubmitNewSpecRequest
from toolaccord.json_values import JsonObject
from toolaccord.schema.violations import Violation, json_pointer

Number: TypeAlias = int | float
Params: TypeAlias = Mapping[str, Number | str]
Part = TypeVar("Part")

CHOICE = re.compile(r"\$\{(.*)\}", re.DOTALL)
"""A number that the implementation chooses, such as ${period}."""
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
        """Return the stored form, without an absent input or absent params."""
        return _without_none({"id": self.id, "type": self.type, "input": self.input, "params": self.params})


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A rule about an indicator."""

    at: str
    indicator_at: str
    """The pointer of the name of the indicator."""
    type: str
    indicator: str
    params: Params | None
    param_at: Mapping[str, str]
    """The pointer of each of the params."""

    def as_json(self) -> JsonObject:
        """Return the stored form, without absent params."""
        return _without_none({"type": self.type, "indicator": self.indicator, "params": self.params})


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
    """The pointer of the origin of the default."""

    def as_json(self) -> JsonObject:
        """Return the stored form."""
        numbers = {"min": self.min, "max": self.max, "defaultValue": self.default}
        return {"name": self.name, "type": self.type} | numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A spec in its normalised form; parts in neither form become violations."""

    name: str
    indicators: Sequence[Indicator]
    entry_conditions: Sequence[Condition]
    exit_conditions: Sequence[Condition]
    parameters: Sequence[Parameter]
    violations: Sequence[Violation]


def normalise_spec(request: SubmitNewSpecRequest) -> Spec:
    """Return the normalised spec of *request*."""
    reader = _Reader(parameter_names=frozenset(parameter.name for parameter in request.parameters))
    return Spec(
        name=request.name.upper(),
        indicators=[
            found
            for at, each in _with_pointers("/indicators", request.indicators)
            for found in reader.read_indicator(at, each)
        ],
        entry_conditions=list(reader.read_conditions("/entry_conditions", request.entry_conditions)),
        exit_conditions=list(reader.read_conditions("/exit_conditions", request.exit_conditions)),
        parameters=[reader.read_parameter(at, each) for at, each in _with_pointers("/parameters", request.parameters)],
        violations=reader.violations,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Reads the parts of a request, the indicators before the parameters."""

    parameter_names: frozenset[str]
    """The names of the parameters."""
    defaults: dict[str, tuple[Number, str]] = field(default_factory=dict)
    """The defaults of parameters that short indicators give, and their pointers."""
    violations: list[Violation] = field(default_factory=list)

    def read_indicator(self, at: str, given: models.Indicator) -> Iterator[Indicator]:
        """Yield the indicator at the pointer *at*, unless it has neither form."""
        if given.name is not None:
            yield from self._short_indicator(at, given, given.name)
        elif self._has_full_form(at, given, ("id", "type")) and given.id is not None and given.type is not None:
            params, param_at = given.params, _member_pointers(f"{at}/params", given.params)
            kind = given.type.upper()
            yield Indicator(at=at, id=given.id, type=kind, input=given.input, params=params, param_at=param_at)

    def read_conditions(self, place: str, given: Sequence[models.Condition]) -> Iterator[Condition]:
        """Yield the conditions of the list at the pointer *place* that have one of the forms."""
        for at, each in _with_pointers(place, given):
            if each.model_fields_set.isdisjoint(("type", "indicator", "params")) and _extra_members(each):
                yield from self._comparisons(at, _extra_members(each))
            elif (
                self._has_full_form(at, each, ("type", "indicator"))
                and each.type is not None
                and each.indicator is not None
            ):
                param_at = _member_pointers(f"{at}/params", each.params)
                yield Condition(
                    at=at, indicator_at=f"{at}/indicator", type=each.type, indicator=each.indicator, params=each.params,
                    param_at=param_at,
                )  # fmt: skip

    def read_parameter(self, at: str, given: models.Parameter) -> Parameter:
        """Return the parameter at the pointer *at*; derive an absent type or default."""
        stated, stated_at = self.defaults.get(given.name, (None, ""))
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
            self._add_violation(
                f"{at}/name",
                "form",
                "must not be given together with type or params; in this form the settings are members of the indicator",
            )
            return
        own, settings = given.id or name.lower(), _extra_members(given)
        param_at = _member_pointers(at, settings)
        for setting, value in list(settings.items()):
            chosen = f"{own}_{setting}"
            if chosen in self.parameter_names and not isinstance(value, str):
                self.defaults.setdefault(chosen, (value, param_at[setting]))
                settings[setting] = f"${{{chosen}}}"
        params = settings or None
        yield Indicator(at=at, id=own, type=name.upper(), input=given.input, params=params, param_at=param_at)

    def _comparisons(self, at: str, given: Mapping[str, Number | str]) -> Iterator[Condition]:
        """Yield a condition for each member of a short one."""
        for name, value in given.items():
            member = at + json_pointer([name])
            if (compared := COMPARISON.fullmatch(name)) is None:
                self._add_violation(
                    member, "form", "must be the id of an indicator with _above or _below, e.g. rsi_below"
                )
                continue
            with_number, with_indicator = COMPARED[compared[2]]
            is_number = not isinstance(value, str) or CHOICE.fullmatch(value) is not None
            param = "value" if is_number else "other"
            yield Condition(
                at=at, indicator_at=member, type=with_number if is_number else with_indicator, indicator=compared[1],
                params={param: value}, param_at={param: member},
            )  # fmt: skip

    def _has_full_form(self, at: str, given: BaseModel, needed: Sequence[str]) -> bool:
        """Return whether a part has all *needed* members of the full form, and no unknown ones.

        Adds the violations.
        """
        missing = [name for name in needed if name not in given.model_fields_set]
        for name in missing:
            self._add_violation(f"{at}/{name}", "required", "is required, unless the short form is used")
        for name in _extra_members(given):
            self._add_violation(at + json_pointer([name]), "additionalProperties", "is unknown")
        return not missing and not _extra_members(given)

    def _add_violation(self, at: str, keyword: str, message: str) -> None:
        self.violations.append(Violation(at, keyword, message))


def _with_pointers(place: str, given: Sequence[Part]) -> Iterator[tuple[str, Part]]:
    """Yield each of *given* with its pointer."""
    return ((f"{place}/{index}", each) for index, each in enumerate(given))


def _extra_members(given: BaseModel) -> dict[str, Number | str]:
    """Return the members that the contract does not name."""
    return dict(given.model_extra or {})


def _member_pointers(at: str, params: Params | None) -> Mapping[str, str]:
    """Return the pointers of *params* at the pointer *at*."""
    return {name: at + json_pointer([name]) for name in params or {}}


def _without_none(whole: JsonObject) -> JsonObject:
    return {name: value for name, value in whole.items() if value is not None}
