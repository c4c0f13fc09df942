"""Detection of members that may be null, as opposed to absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.loading.references import subschemas

Schema = Mapping[str, Any]


def has_nullable_required_member(schema: Schema) -> bool:
    """Tell if some required member may be null."""
    return any(
        name in part.get("required", ()) and _admits_null(member)
        for _, part in subschemas(schema, "")
        for name, member in part.get("properties", {}).items()
    )


def has_nullable_member(schema: Schema) -> bool:
    """Tell if some member may be null."""
    return any(
        _admits_null(member) for _, part in subschemas(schema, "") for member in part.get("properties", {}).values()
    )


def _admits_null(schema: Schema) -> bool:
    """Tell if a schema admits null."""
    types = schema.get("type")
    if types is not None:
        return "null" in ([types] if isinstance(types, str) else types)
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return any(map(_admits_null, branches)) if branches else None in schema.get("enum", [schema.get("const")])
