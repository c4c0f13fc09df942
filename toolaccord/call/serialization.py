"""JSON of what handlers return: records, and rows as a database driver gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic_core import SchemaSerializer, core_schema

from toolaccord.json_values import JsonObject

_JSON = SchemaSerializer(core_schema.any_schema(), core_schema.CoreConfig(ser_json_inf_nan="constants"))
"""Serialises any value, a whole page in one step.

Numbers that are not finite stay as they are.
"""
_JSON_TYPES = {str, int, float, bool, type(None)}
"""Types that need no conversion, tested by identity because that is faster than isinstance."""
_LIKE_RECORDS = orjson.OPT_UTC_Z | orjson.OPT_PASSTHROUGH_DATACLASS
"""Options under which orjson writes values as Pydantic does."""


def is_query_row(value: Any) -> bool:
    """Return whether *value* is a row of a query, which is a named tuple."""
    return isinstance(value, tuple) and hasattr(value, "_asdict")


def dump_records(value: Any, *, nullable: bool) -> Any:
    """Return a record, or a list of records, as Python values of JSON's types.

    A member that is None is left out. In a *nullable* result, it is left out only if the handler did not set it.
    """
    return _JSON.to_python(value, mode="json", by_alias=True, exclude_unset=nullable, exclude_none=not nullable)


def encode_rows(value: Any, *, nullable: bool) -> bytes:
    """Return *value*, which holds rows or records, as JSON text in one step.

    None becomes null, and so does a number that is not finite. Raises TypeError for values that need `to_plain`.
    """
    return orjson.dumps(value, default=partial(_convert, nullable), option=_LIKE_RECORDS)


def to_plain(schema: Any, value: Any, *, nullable: bool) -> Any:
    """Return *value*, which holds rows or records, as Python values of JSON's types.

    Numbers that are not finite stay as they are. A member that is None is left out if *schema* declares it, or if the
    object is open, unless the result is *nullable*: so it is in records.
    """
    if isinstance(value, Mapping):
        members, others = _members(schema)
        is_open = bool(members and others)
        return {
            _member_name(name): member
            if type(member) in _JSON_TYPES
            else to_plain(members.get(name, others), member, nullable=nullable)
            for name, member in value.items()
            if member is not None or nullable or not (is_open or name in members)
        }
    if isinstance(value, list | tuple | AbstractSet):
        items = _items(schema)
        return [to_plain(items, item, nullable=nullable) for item in value]
    if isinstance(value, Enum):
        return to_plain(schema, value.value, nullable=nullable)
    return value if type(value) in _JSON_TYPES else _convert(nullable, value)


def _convert(nullable: bool, value: Any) -> Any:  # noqa: FBT001 - orjson passes the value alone
    """Return *value* as one that is closer to JSON's types.

    Raises TypeError or ValueError for an unknown type.
    """
    if isinstance(value, Decimal):  # integers from an exact sum must not be rounded to a float
        return int(value) if value.as_tuple().exponent == 0 else float(value)
    if isinstance(value, BaseModel):
        return dump_records(value, nullable=nullable)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | AbstractSet):
        return list(value)
    if isinstance(value, Iterator):  # it can be read only once, and a second step may have to
        raise TypeError(f"a row must hold a list, not {type(value).__name__}")
    return _JSON.to_python(value, mode="json")


def _member_name(name: Any) -> str:
    """Return the name of a member as Pydantic writes it; *name* may be of any type."""
    return name if type(name) is str else next(iter(_JSON.to_python({name: None}, mode="json")))


def _members(schema: Any) -> tuple[JsonObject, Any]:
    """Return the schemas of declared members by name, from all branches, and that of all others."""
    if not isinstance(schema, dict):
        return {}, None
    members, others = schema.get("properties", {}), schema.get("additionalProperties")
    for branch in _branches(schema):
        of_branch, of_others = _members(branch)
        members, others = {**of_branch, **members}, others or of_others
    return members, others


def _items(schema: Any) -> Any:
    """Return the schema of the items of an array."""
    if not isinstance(schema, dict):
        return None
    return schema.get("items") or next(filter(None, map(_items, _branches(schema))), None)


def _branches(schema: JsonObject) -> list[Any]:
    return schema.get("anyOf") or schema.get("oneOf") or []
