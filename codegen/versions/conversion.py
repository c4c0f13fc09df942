"""Convert schemas and values of a tool's version to the next, in the direction of calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from codegen.ir.version_steps import Step, Tokens, reverse_steps
from codegen.loading.schema_nodes import Schema, select_keywords
from codegen.rules.tool_view import VersionView
from codegen.schema_sets.containment import admits
from codegen.schema_sets.samples import MAX_VALUES, boundary_values, minimal_value
from codegen.versions.schema_edits import any_of
from codegen.versions.schema_mapping import map_schema, require_defaults, schemas_at
from codegen.versions.transition import Transition
from codegen.versions.value_mapping import fill_defaults, map_value


@dataclass(frozen=True)
class Conversion:
    """A transition in the direction of its use: requests are upgraded, results are downgraded."""

    transition: Transition

    @property
    def is_upgrade(self) -> bool:
        """True for requests, which are converted to the newer version."""
        return self.transition.key == "parameters"

    @property
    def target(self) -> VersionView:
        """The version that values are converted to."""
        return self.transition.newer if self.is_upgrade else self.transition.older

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps in the direction of the conversion."""
        return self.transition.steps if self.is_upgrade else reverse_steps(self.transition.steps)

    @cached_property
    def source_schema(self) -> Schema:
        """The schema of the values before the conversion."""
        return self.transition.old if self.is_upgrade else self.transition.new

    @cached_property
    def target_schema(self) -> Schema:
        """The schema that converted values have to match."""
        return select_keywords(self.transition.new if self.is_upgrade else self.transition.old)

    def output_schema(self) -> Schema:
        """Return a schema that admits every converted value, and possibly more."""
        source = require_defaults(self.source_schema) if self.is_upgrade else self.source_schema
        return select_keywords(map_schema(source, self.steps, _lookup_schemas(self.steps, self.target_schema)))

    def candidates(self) -> Iterator[Any]:
        """Yield values of the source schema near the limits of the target schema."""
        inverse = reverse_steps(self.steps)
        preimage = map_schema(self.target_schema, inverse, _lookup_schemas(inverse, self.source_schema))
        source = select_keywords(self.source_schema)
        values = islice(boundary_values(self.source_schema, [preimage]), MAX_VALUES)
        return (value for value in values if admits(source, value))

    def convert(self, value: Any) -> Any:
        """Convert a value. Each lookup is assumed to return a minimal value that fits."""
        schemas = _lookup_schemas(self.steps, self.target_schema)
        lookup_values = {path: minimal_value(schema) for path, schema in schemas.items()}
        complete = fill_defaults(value, self.source_schema) if self.is_upgrade else value
        return map_value(complete, self.steps, lookup_values)


def _lookup_schemas(steps: Sequence[Step], target_schema: Schema) -> dict[Tokens, Schema]:
    """Return the schemas of lookups' answers by path. The runtime checks that each answer fits."""
    return {step.target_tokens: any_of(schemas_at(target_schema, step.target_tokens)) for step in steps if step.lookup}
