"""What a handler says as JSON: records, and rows as a driver gives them."""

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

from toolpact.json_values import JsonObject

_JSON = SchemaSerializer(core_schema.any_schema(), core_schema.CoreConfig(ser_json_inf_nan="constants"))
"""Says whatever it is given as a JSON value, a whole page in one step; no number becomes null on the way."""
_SPELT = {str, int, float, bool, type(None)}
"""The types that are JSON's already; members of them are not asked one by one."""
_AS_RECORDS = orjson.OPT_UTC_Z | orjson.OPT_PASSTHROUGH_DATACLASS
"""What has orjson write values as records write them."""


def dumped(said: Any, *, nullable: bool) -> Any:
    """Return a record, or a list of them, as JSON's types in Python.

    A member of a record that is None is absent; where a result is *nullable*, then it was said or it was not.
    """
    return _JSON.to_python(said, mode="json", by_alias=True, exclude_unset=nullable, exclude_none=not nullable)


def written(value: Any, *, nullable: bool) -> bytes:
    """Return *value*, rows and records in it, as JSON text in one step: None is null, and so is a number that is not finite.

    Raises TypeError for what that step cannot say: `plain` may.
    """
    return orjson.dumps(value, default=partial(_spelt, nullable), option=_AS_RECORDS)


def plain(schema: Any, value: Any, *, nullable: bool) -> Any:
    """Return *value*, rows and records in it, as JSON's types in Python, numbers that are not finite as they are.

    A member that *schema* knows and that is None is absent, unless the result is *nullable*, as it is of a record. Where an object is open,
    so is any other member, since records hold them, too.
    """
    if isinstance(value, Mapping):
        members, others = _members(schema)
        is_open = bool(members and others)
        return {
            _name(name): member
            if type(member) in _SPELT
            else plain(members.get(name, others), member, nullable=nullable)
            for name, member in value.items()
            if member is not None or nullable or not (is_open or name in members)
        }
    if isinstance(value, list | tuple | AbstractSet):
        items = _items(schema)
        return [plain(items, item, nullable=nullable) for item in value]
    if isinstance(value, Enum):
        return plain(schema, value.value, nullable=nullable)
    return value if type(value) in _SPELT else _spelt(nullable, value)


def _spelt(nullable: bool, value: Any) -> Any:  # noqa: FBT001 - orjson calls it, with the value alone
    """Return a value that JSON has no type for as one that it has. Raises TypeError or ValueError for a stranger."""
    if isinstance(value, Decimal):  # an amount, or a sum of integers, which a float would round
        return int(value) if value.as_tuple().exponent == 0 else float(value)
    if isinstance(value, BaseModel):
        return dumped(value, nullable=nullable)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | AbstractSet):
        return list(value)
    if isinstance(value, Iterator):  # whose items would be gone when they are looked at again
        raise TypeError(f"a row must hold a list, not {type(value).__name__}")
    return _JSON.to_python(value, mode="json")


def _name(name: Any) -> str:
    """Return the name of a member as a record's is spelled, which may be of any type."""
    return name if type(name) is str else next(iter(_JSON.to_python({name: None}, mode="json")))


def _members(schema: Any) -> tuple[JsonObject, Any]:
    """Return the schemas of the members that *schema* names, in any of its branches, and that of all others."""
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
