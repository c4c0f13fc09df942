"""Where a schema admits null, which is something else than absence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.loading.references import subschemas

Schema = Mapping[str, Any]


def nullable_result(schema: Schema) -> bool:
    """Whether some member that may not be absent may be null."""
    return any(
        name in part.get("required", ()) and admits_null(member)
        for _, part in subschemas(schema, "")
        for name, member in part.get("properties", {}).items()
    )


def nullable_arguments(schema: Schema) -> bool:
    """Whether some member may be null."""
    return any(
        admits_null(member) for _, part in subschemas(schema, "") for member in part.get("properties", {}).values()
    )


def admits_null(schema: Schema) -> bool:
    """Whether a schema takes null."""
    types = schema.get("type")
    if types is not None:
        return "null" in ([types] if isinstance(types, str) else types)
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return any(map(admits_null, branches)) if branches else None in schema.get("enum", [schema.get("const")])
