"""Pair a part of a contract with its old state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.schemas.keyword_change import describe_text_change
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue


def format_plain(value: Any) -> str:
    """Return a value for a message without quotes, or `none`."""
    return "none" if value is None else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Facts of both states on which the meaning of a part depends."""

    contracts: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
    dialects: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
    today: date | None = None
    """The day that decides which versions are past their last day. Without it, none is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractPair:
    """The old and the new state of a part of a contract, of any shape."""

    old: ContractValue
    new: ContractValue
    tool: str | None = None
    direction: Direction | None = None
    label: str = ""
    """The start of messages, and a part of fingerprints."""
    around: Surroundings = field(default_factory=Surroundings)

    def at(self, *keys: str, label: str = "") -> ContractPair:
        """Return the pair below keys."""
        return self.pair(self.old.at(*keys), self.new.at(*keys), tool=self.tool, label=label)

    def pair(self, old: ContractValue, new: ContractValue, **facts: Any) -> ContractPair:
        """Return the pair of two parts with the same surroundings."""
        return ContractPair(old=old, new=new, around=self.around, **facts)

    def values(self, *keys: str) -> tuple[Any, Any]:
        """Return the old and the new value below keys, or None where absent."""
        return self.old.at(*keys).value, self.new.at(*keys).value

    def differs(self, *keys: str) -> bool:
        """Return True if the values below keys are not equal."""
        return not equal_json(*self.values(*keys))

    def example_value(self, key: str) -> Any:
        """Return the arguments or the result of a successful example of the old tool, or None."""
        found = [as_object(example_value.value) for example_value in self.old.listed("examples")]
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

    def text_change(self, rule: str, key: str, **facts: Any) -> Iterator[Change]:
        """Yield the change of a text for people or models, if it differs."""
        if self.differs(key):
            yield self.change(rule, describe_text_change(key, *self.values(key)), key, **facts)

    def presence_change(self, rule: str, message: str, *keys: str, is_added: bool) -> Iterator[Change]:
        """Yield the change of a value that was added, or of one that was removed."""
        before, after = self.values(*keys)
        present, absent = (after, before) if is_added else (before, after)
        if absent is None and present is not None:
            yield self.change(rule, message.format(present), *keys)

    def numeric_changes(
        self, rule_if_lower: str, rule_if_higher: str, *keys: str, default: int | None = None
    ) -> Iterator[Change]:
        """Yield the change of a number that both sides have; *default* replaces an absent one."""
        before, after = (default if value is None else value for value in self.values(*keys))
        if isinstance(before, int | float) and isinstance(after, int | float) and before != after:
            message = f"{keys[-1]} changed from {format_plain(before)} to {format_plain(after)}"
            yield self.change(rule_if_lower if after < before else rule_if_higher, message, *keys, detail=keys[-1])
