"""The strategy specs of the sample data, read from specs.txt."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

INDICATOR = re.compile(r"(?P<id>\w+)=(?P<type>\w+)\((?P<arguments>[^)]*)\)")
CONDITION = re.compile(r"(?P<indicator>\w+) (?P<type>\w+)(?: (?P<operand>\S+))?")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a spec, whose value each implementation chooses."""

    name: str
    default: int | float
    pace: int = 1
    """The factor by which implementations slow the strategy down."""

    @property
    def usual(self) -> float:
        """The value at the pace of the spec; a number of candles grows, a step per candle shrinks."""
        return self.default * self.pace if isinstance(self.default, int) else self.default / self.pace

    @property
    def bounds(self) -> tuple[int | float, int | float]:
        """The lowest and the highest value."""
        if isinstance(self.default, int):
            return max(1, self.default // 2), self.default * 2 * self.pace
        return self.default / 2 / self.pace, self.default * 2

    def declaration(self) -> Json:
        """Return the parameter as JSON of a spec."""
        least, greatest = self.bounds
        kind = "INTEGER" if isinstance(self.default, int) else "DOUBLE"
        return {"name": self.name, "type": kind, "min": least, "max": greatest, "defaultValue": self.default}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A strategy for any symbol and any values of its parameters."""

    name: str
    is_deployable: bool
    """False if it loses at every pace."""
    description: str
    indicators: tuple[Json, ...]
    entry_conditions: tuple[Json, ...]
    exit_conditions: tuple[Json, ...]
    parameters: tuple[Parameter, ...]


@cache
def read_specs() -> tuple[Spec, ...]:
    """Return all specs, in the order of their names."""
    text = (files("sandbox.backtester") / "specs.txt").read_text(encoding="utf-8")
    blocks = [block for block in text.split("\n\n") if not block.startswith("#")]
    return tuple(parse_spec(block) for block in blocks)


def parse_spec(block: str) -> Spec:
    """Return the spec of four lines, as specs.txt has them."""
    title, description, indicators, rules = block.strip().splitlines()
    name, pace = title.split()
    entry, exit_ = rules.split(" -> ")
    paced = max(1, int(pace))
    parameters: list[Parameter] = []
    return Spec(
        name=name,
        is_deployable=pace != "0",
        description=description,
        indicators=tuple(_indicator(found, paced, parameters) for found in INDICATOR.finditer(indicators)),
        entry_conditions=tuple(_conditions(entry)),
        exit_conditions=tuple(_conditions(exit_)),
        parameters=tuple(parameters),
    )


def _indicator(found: re.Match[str], pace: int, parameters: list[Parameter]) -> Json:
    """Return the indicator; add the parameters that it names to *parameters*."""
    indicator: Json = {"id": found["id"], "type": found["type"], "params": {}}
    for argument in filter(None, found["arguments"].split(", ")):
        key, separator, default = argument.partition("=")
        if not separator:
            indicator["input"] = argument
            continue
        parameter = Parameter(found["id"] + key[0].upper() + key[1:], _number(default), pace)
        parameters.append(parameter)
        indicator["params"][key] = f"${{{parameter.name}}}"
    return indicator


def _conditions(rules: str) -> Iterator[Json]:
    for rule in rules.split(", "):
        found = CONDITION.fullmatch(rule)
        assert found is not None, rule
        yield {
            "type": found["type"],
            "indicator": found["indicator"],
            "params": _operand(found["type"], found["operand"]),
        }


def _operand(kind: str, operand: str | None) -> Json:
    if operand is None:
        return {}
    if not operand.isidentifier():
        return {"value": _number(operand)}
    return {"crosses" if kind.startswith("CROSSED") else "other": operand}


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
