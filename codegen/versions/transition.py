"""Pair each version of a tool with the next newer one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from codegen.diagnostics import Problem
from codegen.ir.version_steps import Step, build_step
from codegen.loading.documents import join_pointer
from codegen.loading.schema_nodes import select_keywords
from codegen.rules.metaschema import language_validator
from codegen.rules.tool_view import ToolView, VersionView
from codegen.schema_sets.containment import canonicalize

Key = Literal["parameters", "returns"]
NOUNS: Mapping[Key, str] = {"parameters": "argument", "returns": "result"}


@dataclass(frozen=True, slots=True)
class Transition:
    """The arguments or results of two consecutive versions, with the steps between them."""

    view: ToolView
    older: VersionView
    newer: VersionView
    key: Key
    steps: tuple[Step, ...]

    @property
    def old(self) -> Mapping[str, Any]:
        """The older schema."""
        return self.older.parameters if self.key == "parameters" else self.older.returns

    @property
    def new(self) -> Mapping[str, Any]:
        """The newer schema."""
        return self.newer.parameters if self.key == "parameters" else self.newer.returns

    @property
    def pointer(self) -> str:
        """The JSON pointer of the steps, relative to the tool."""
        return f"{self.older.pointer}/to_next/{self.key}"

    def problem(self, rule: str, sentence: str, *tokens: str | int) -> Problem:
        """Return a problem at the steps or below them."""
        return self.view.problem(join_pointer(self.pointer, *tokens), rule, sentence)


def transitions(view: ToolView) -> Iterator[Transition]:
    """Yield the transitions of a tool whose schemas and steps are valid.

    Other rules report the invalid ones.
    """
    for older, newer in zip(view.older, (view.newest, *view.older), strict=False):
        mapping = older.declaration.get("to_next")
        if not isinstance(mapping, dict) or not language_validator("Mapping").is_valid(mapping):
            continue
        for key in NOUNS:
            if all(each.is_resolved_object(key) and _is_valid_schema(getattr(each, key)) for each in (older, newer)):
                yield Transition(view, older, newer, key, tuple(map(build_step, mapping[key])))


def _is_valid_schema(schema: Mapping[str, Any]) -> bool:
    """Return True if a schema belongs to the contract language and can be compared."""
    if not language_validator("Schema").is_valid(schema):
        return False
    try:
        canonicalize(select_keywords(schema))
    except ValueError:  # a pattern that cannot be compiled
        return False
    return True
