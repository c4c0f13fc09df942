"""Pair a part of a contract with its old state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import Any

from toolaccord.contract.dialects import Dialect
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.records import Record, read_incomplete
from toolaccord_codegen.loading.schema_nodes import ContractValue


def format_plain(value: Any) -> str:
    """Return a value for a message without quotes, or `none`."""
    return "none" if value is None else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Facts of both states on which the meaning of a part depends."""

    contracts: tuple[ServerContract, ServerContract]
    """The contracts; without anything for those of agents."""
    dialects: tuple[Dialect, Dialect]
    today: date | None = None
    """The day that decides which versions are past their last day. Without it, none is."""


@cache
def _make_nothing() -> Surroundings:
    """Return what surrounds a part that stands alone."""
    contract, dialect = read_incomplete(ServerContract, None), read_incomplete(Dialect, None)
    return Surroundings(contracts=(contract, contract), dialects=(dialect, dialect))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractPair:
    """The old and the new state of a part of a contract, of any shape."""

    old: ContractValue
    new: ContractValue
    tool: str | None = None
    direction: Direction | None = None
    label: str = ""
    """The start of messages, and a part of fingerprints."""
    around: Surroundings = field(default_factory=_make_nothing)

    def at(self, *keys: str, label: str = "") -> ContractPair:
        """Return the pair below keys."""
        return self.pair(self.old.at(*keys), self.new.at(*keys), tool=self.tool, label=label)

    def pair(self, old: ContractValue, new: ContractValue, **facts: Any) -> ContractPair:
        """Return the pair of two parts with the same surroundings."""
        return ContractPair(old=old, new=new, around=self.around, **facts)

    def values(self, *keys: str) -> tuple[Any, Any]:
        """Return the old and the new value below keys, or None where absent."""
        return self.old.value_at(*keys), self.new.value_at(*keys)

    def records(self, record: type[Record]) -> tuple[Record, Record]:
        """Return both states as records of the language."""
        return self.old.read(record), self.new.read(record)

    def differs(self, *keys: str) -> bool:
        """Return True if the values below keys are not equal."""
        return not equal_json(*self.values(*keys))

    def example_value(self, key: str) -> Any:
        """Return the arguments or the result of a successful example of the old tool, or None."""
        found = [example.value for example in self.old.listed("examples")]
        return next((each[key] for each in found if key in each and "error" not in each), None)

    def change(self, rule: str, message: str, *keys: str, detail: str = "", **facts: Any) -> Change:
        """Return a change of the value below keys. *facts* replace what follows from the pair."""
        change = Change(
            rule=rule,
            old=self.old.place.at(*keys),
            new=self.new.place.at(*keys),
            message=f"{self.label}: {message}" if self.label else message,
            tool=self.tool,
            direction=self.direction,
            subject=f"{self.label}{detail}",
        )
        return replace(change, **facts)

    def value_change(
        self, rule: str, *keys: str, noun: str = "", describe: Callable[[Any], str] = format_plain, detail: str = ""
    ) -> Iterator[Change]:
        """Yield the change of the value below keys, if it differs."""
        if self.differs(*keys):
            before, after = self.values(*keys)
            message = f"{noun or keys[-1]} changed from {describe(before)} to {describe(after)}"
            yield self.change(rule, message, *keys, detail=detail)
