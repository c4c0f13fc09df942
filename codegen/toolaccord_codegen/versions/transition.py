"""Pair each version of a tool with the next newer one, and convert values between the two.

Requests are upgraded to the newer version, results are downgraded to the older one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any, Literal

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.normalization import compile_normaliser
from toolaccord.semantics.version_steps import Step, StepMapping, invert, map_nested
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.shared_records import build_step
from toolaccord_codegen.loading.schema_nodes import Schema, select_keywords
from toolaccord_codegen.rules.metaschema import language_validator
from toolaccord_codegen.rules.tool_view import ToolView, VersionView
from toolaccord_codegen.schema_sets.containment import canonicalize
from toolaccord_codegen.schema_sets.samples import MAX_VALUES, boundary_values, minimal_value
from toolaccord_codegen.schema_sets.validators import admits
from toolaccord_codegen.versions.schema_mapping import lookup_schema, map_schema, require_defaults

Key = Literal["parameters", "returns"]
NOUNS: Mapping[Key, str] = {"parameters": "argument", "returns": "result"}


@dataclass(frozen=True)
class Transition:
    """The arguments or results of two consecutive versions, with the steps between them."""

    view: ToolView
    older: VersionView
    newer: VersionView
    key: Key
    steps: tuple[Step, ...]
    """The steps from the older version to the newer."""

    @property
    def old(self) -> Schema:
        """The older schema."""
        return self.older.schema(self.key)

    @property
    def new(self) -> Schema:
        """The newer schema."""
        return self.newer.schema(self.key)

    @property
    def pointer(self) -> str:
        """The JSON pointer of the steps, relative to the tool."""
        return f"{self.older.pointer}/to_next/{self.key}"

    def problem(self, rule: str, sentence: str, *tokens: str | int) -> Problem:
        """Return a problem at the steps or below them."""
        return self.view.problem(join_pointer(self.pointer, *tokens), rule, sentence)

    @property
    def is_upgrade(self) -> bool:
        """True for requests, which are converted to the newer version."""
        return self.key == "parameters"

    @property
    def target(self) -> VersionView:
        """The version that values are converted to."""
        return self.newer if self.is_upgrade else self.older

    @cached_property
    def conversion(self) -> tuple[Step, ...]:
        """The steps in the direction of the conversion."""
        return self.steps if self.is_upgrade else invert(self.steps)

    @property
    def source_schema(self) -> Schema:
        """The schema of the values before the conversion."""
        return self.old if self.is_upgrade else self.new

    @cached_property
    def target_schema(self) -> Schema:
        """The schema that converted values have to match."""
        return select_keywords(self.target.schema(self.key))

    def output_schema(self) -> Schema:
        """Return a schema that admits every converted value, and possibly more."""
        source = require_defaults(self.source_schema) if self.is_upgrade else self.source_schema
        return select_keywords(map_schema(source, self.conversion, self.target_schema))

    def candidates(self) -> Iterator[Any]:
        """Yield values of the source schema near the limits of the target schema."""
        preimage = map_schema(self.target_schema, invert(self.conversion), self.source_schema)
        source = select_keywords(self.source_schema)
        values = islice(boundary_values(self.source_schema, [preimage]), MAX_VALUES)
        return (value for value in values if admits(source, value))

    def convert(self, value: Any) -> Any:
        """Convert a value. Each lookup is assumed to return a minimal value that fits."""
        if self.is_upgrade and (fill_defaults := compile_normaliser(self.source_schema)):
            value = fill_defaults(value)
        mapping = StepMapping(self.conversion)
        rest, extracted = mapping.extract(value)
        for step in mapping.insertions:
            if step.lookup:
                answer = minimal_value(lookup_schema(step, self.target_schema))
                extracted[step.source] = map_nested(extracted[step.source], step.array_depth, partial(_answer, answer))
        return mapping.insert(rest, extracted)


def _answer(answer: Any, _: Any) -> Any:
    """Answer any lookup alike."""
    return answer


def transitions(view: ToolView) -> Iterator[Transition]:
    """Yield the transitions of a tool whose schemas and steps are valid.

    Other rules report the invalid ones.
    """
    older = zip(view.older, view.declared.versions, (view.newest, *view.older), strict=False)
    for each, declared, newer in older:
        for key in NOUNS:
            if all(side.is_resolved_object(key) and _is_valid_schema(side.schema(key)) for side in (each, newer)):
                yield Transition(view, each, newer, key, tuple(map(build_step, getattr(declared.to_next, key))))


def _is_valid_schema(schema: Schema) -> bool:
    """Return True if a schema belongs to the contract language and can be compared."""
    if not language_validator("Schema").is_valid(schema):
        return False
    try:
        canonicalize(select_keywords(schema))
    except ValueError:  # a pattern that cannot be compiled
        return False
    return True
