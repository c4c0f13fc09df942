"""What a handler said, as the contract's `returns` has it: JSON, checked, encoded once."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from runtime import answers
from runtime.cache import Loaded
from runtime.calls import BoundTool
from runtime.pagination import Page, paginated
from runtime.provisional import Provisional
from runtime.tool import Tool
from runtime.values import JsonObject
from runtime.violations import sentences


class BrokenResultError(Exception):
    """A handler's result breaks its contract."""


def loaded(bound: BoundTool, said: Any, arguments: JsonObject) -> Loaded[bytes]:
    """Return what a handler *said* to complete *arguments* as JSON, and how long it holds.

    Raises BrokenResultError where it breaks the contract, and TypeError where it is of a kind that the contract does not know.
    """
    result = _as_json(bound.tool, said.result if isinstance(said, Provisional) else said, arguments)
    if violations := bound.returns.violations(result):
        raise BrokenResultError(sentences(violations))
    return Loaded(answers.encoded(result), _ttl_s(bound.tool, said))


def _as_json(tool: Tool[Any, Any, Any], said: Any, arguments: JsonObject) -> JsonObject:
    """Return what a handler said as the contract's `returns` has it. Raises TypeError for a stranger."""
    if tool.paginated:
        if not isinstance(said, Page):
            raise TypeError(f"{tool.name} must return a Page, not {type(said).__name__}")
        items = [
            _dumped(tool, item) if isinstance(item, BaseModel) else to_jsonable_python(item) for item in said.items
        ]
        return paginated(items, said.total, arguments)
    if not isinstance(said, BaseModel):
        raise TypeError(f"{tool.name} must return a record, not {type(said).__name__}")
    return _dumped(tool, said)


def _dumped(tool: Tool[Any, Any, Any], record: BaseModel) -> JsonObject:
    """Return *record* as JSON. None means absent, unless the contract admits null: then it was said or it was not."""
    if tool.nullable_results:
        return record.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return record.model_dump(mode="json", by_alias=True, exclude_none=True)


def _ttl_s(tool: Tool[Any, Any, Any], said: Any) -> float:
    """Return how long what a handler said may be given again. Raises TypeError for what the contract knows no time for."""
    if tool.cache is None:
        return 0
    if not isinstance(said, Provisional):
        return tool.cache.ttl_s
    if tool.cache.provisional_ttl_s is None:
        raise TypeError(f"{tool.name} returned a Provisional result, and its contract has no provisional_ttl_s")
    return tool.cache.provisional_ttl_s
