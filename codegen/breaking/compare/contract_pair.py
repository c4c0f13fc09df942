"""Pair a part of a contract with its old state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.rule import Direction
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import ContractValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractPair:
    """The old and the new state of a part of a contract, of any shape."""

    old: ContractValue
    new: ContractValue
    tool: str | None = None
    direction: Direction | None = None
    label: str = ""
    """The start of messages, and a part of fingerprints."""

    def at(self, *keys: str, label: str | None = None) -> ContractPair:
        """Return the pair below keys."""
        label_below = self.label if label is None else label
        return ContractPair(old=self.old.at(*keys), new=self.new.at(*keys), tool=self.tool, label=label_below)

    def values(self, *keys: str) -> tuple[Any, Any]:
        """Return the old and the new value below keys, or None where absent."""
        return self.old.at(*keys).value, self.new.at(*keys).value

    def example_value(self, key: str) -> Any:
        """Return the arguments or the result of a successful example of the old tool, or None."""
        found = [as_object(example_value.value) for example_value in self.old.listed("examples")]
        return next((each[key] for each in found if key in each and "error" not in each), None)

    def change(self, rule: str, message: str, *keys: str, circumstance: str = "", detail: str = "") -> Change:
        """Return a change of the value below keys."""
        return Change(
            rule=rule,
            old=self.old.place.at(*keys),
            new=self.new.place.at(*keys),
            message=f"{self.label}: {message}" if self.label else message,
            tool=self.tool,
            direction=self.direction,
            circumstance=circumstance,
            subject=f"{self.label}{detail}",
        )

    def numeric_changes(self, rule_if_lower: str, rule_if_higher: str, *keys: str) -> Iterator[Change]:
        """Yield the change of a number that both sides have."""
        before, after = self.values(*keys)
        if isinstance(before, int | float) and isinstance(after, int | float) and before != after:
            message = f"{keys[-1]} changed from {before} to {after}"
            yield self.change(rule_if_lower if after < before else rule_if_higher, message, *keys, detail=keys[-1])
