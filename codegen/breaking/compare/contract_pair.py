"""A part of a contract, old and new, of any shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.rule import Direction
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import ContractValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """The same part of two states of a contract."""

    old: ContractValue
    new: ContractValue
    tool: str | None = None
    direction: Direction | None = None
    about: str = ""
    """What a sentence begins with, and what a fingerprint tells parts apart by."""

    def at(self, *keys: str, about: str | None = None) -> Both:
        """What stands below keys on both sides."""
        words = self.about if about is None else about
        return Both(old=self.old.at(*keys), new=self.new.at(*keys), tool=self.tool, about=words)

    def values(self, *keys: str) -> tuple[Any, Any]:
        """What both sides say below keys; None where one says nothing."""
        return self.old.at(*keys).value, self.new.at(*keys).value

    def example(self, key: str) -> Any:
        """The arguments or the result, of the old tool, of a call that goes well; None where no example has them."""
        found = [as_object(example.value) for example in self.old.listed("examples")]
        return next((each[key] for each in found if key in each and "error" not in each), None)

    def change(self, rule: str, message: str, *keys: str, circumstance: str = "", detail: str = "") -> Change:
        """A change of what stands below keys."""
        return Change(
            rule=rule,
            old=self.old.place.at(*keys),
            new=self.new.place.at(*keys),
            message=f"{self.about}: {message}" if self.about else message,
            tool=self.tool,
            direction=self.direction,
            circumstance=circumstance,
            subject=f"{self.about}{detail}",
        )

    def moved(self, lower: str, higher: str, *keys: str) -> Iterator[Change]:
        """A number that has become lower or higher; nothing where one side has none."""
        before, after = self.values(*keys)
        if isinstance(before, int | float) and isinstance(after, int | float) and before != after:
            said = f"{keys[-1]} was {before} and is {after}"
            yield self.change(lower if after < before else higher, said, *keys, detail=keys[-1])
