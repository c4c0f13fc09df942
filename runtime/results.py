"""What a handler said, as the contract's `returns` has it: JSON, checked, encoded once."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic_core import SchemaSerializer, core_schema

from runtime.cache import Loaded
from runtime.calls import BoundTool
from runtime.pagination import Page, paginated
from runtime.provisional import Provisional
from runtime.tool import Tool
from runtime.values import JsonObject
from runtime.violations import sentences

_JSON = SchemaSerializer(core_schema.any_schema(), core_schema.CoreConfig(ser_json_inf_nan="constants"))
"""Says whatever it is given as a JSON value, a whole page in one step; no number becomes null on the way."""


class BrokenResultError(Exception):
    """A handler's result breaks its contract."""


def loaded(bound: BoundTool, said: Any, arguments: JsonObject) -> Loaded[bytes]:
    """Return what a handler *said* to complete *arguments* as JSON, and how long it holds.

    Raises BrokenResultError where it breaks the contract, and TypeError where it is of a kind that the contract does not know.
    """
    result = _as_json(bound.tool, said.result if isinstance(said, Provisional) else said, arguments)
    text = bound.returns.encoded(result)
    if not isinstance(text, bytes):
        raise BrokenResultError(sentences(text))
    return Loaded(text, _ttl_s(bound.tool, said))


def _as_json(tool: Tool[Any, Any, Any], said: Any, arguments: JsonObject) -> JsonObject:
    """Return what a handler said as the contract's `returns` has it. Raises TypeError for a stranger."""
    if tool.paginated:
        if not isinstance(said, Page):
            raise TypeError(f"{tool.name} must return a Page, not {type(said).__name__}")
        return paginated(_dumped(tool, list(said.items)), said.total, arguments)
    if not isinstance(said, BaseModel):
        raise TypeError(f"{tool.name} must return a record, not {type(said).__name__}")
    record: JsonObject = _dumped(tool, said)
    return record


def _dumped(tool: Tool[Any, Any, Any], said: Any) -> Any:
    """Return a record, or a list of them, as JSON.

    A member of a record that is None is absent, unless the contract admits null: then it was said or it was not.
    """
    unset, none = tool.nullable_results, not tool.nullable_results
    return _JSON.to_python(said, mode="json", by_alias=True, exclude_unset=unset, exclude_none=none)


def _ttl_s(tool: Tool[Any, Any, Any], said: Any) -> float:
    """Return how long what a handler said may be given again. Raises TypeError for what the contract knows no time for."""
    if tool.cache is None:
        return 0
    if not isinstance(said, Provisional):
        return tool.cache.ttl_s
    if tool.cache.provisional_ttl_s is None:
        raise TypeError(f"{tool.name} returned a Provisional result, and its contract has no provisional_ttl_s")
    return tool.cache.provisional_ttl_s
