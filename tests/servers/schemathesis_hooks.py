"""A hook of schemathesis: null is valid for every optional argument."""

from typing import Any

import schemathesis
from schemathesis import HookContext


@schemathesis.hook
def before_load_schema(context: HookContext, raw_schema: dict[str, Any]) -> None:  # noqa: ARG001 - a hook's parameters
    """Admit null in the schemas of arguments, so that a rejection is a finding."""
    schemas = raw_schema["components"]["schemas"]
    for name in schemas:
        if "Request" in name:
            schemas[name] = _admit_nulls(schemas[name])


def _admit_nulls(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    members = {name: _admit_nulls(member) for name, member in schema.get("properties", {}).items()}
    optional = members.keys() - set(schema.get("required", ()))
    nullable = {name: {"anyOf": [member, {"type": "null"}]} for name, member in members.items() if name in optional}
    admitted = {"properties": members | nullable} if members else {}
    return schema | admitted | ({"items": _admit_nulls(schema["items"])} if "items" in schema else {})
