"""What a handler said, as the contract's `returns` has it: JSON, checked, encoded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from toolpact.call.cache import Loaded
from toolpact.call.context import BoundTool
from toolpact.call.serialization import dumped, plain, written
from toolpact.declarations.tool import AnyTool
from toolpact.handler import Page, Provisional, paginated
from toolpact.json_values import JsonObject
from toolpact.schema.violations import sentences


class BrokenResultError(Exception):
    """A handler's result breaks its contract."""


def loaded(bound: BoundTool, said: Any, arguments: JsonObject) -> Loaded[bytes]:
    """Return what a handler *said* to complete *arguments* as JSON, and how long it holds.

    Raises BrokenResultError where it breaks the contract, and TypeError where it is of a kind that the contract does not know.
    """
    text = _text(bound, said.result if isinstance(said, Provisional) else said, arguments)
    return Loaded(text, _ttl_s(bound.tool, said))


def _text(bound: BoundTool, said: Any, arguments: JsonObject) -> bytes:
    """Return what a handler said as JSON that the contract admits. Raises as `loaded` does."""
    tool, nullable = bound.tool, bound.tool.nullable_results
    if not tool.paginated:
        if not isinstance(said, BaseModel):
            raise TypeError(f"{tool.name} must return a record, not {type(said).__name__}")
        return _admitted(bound, dumped(said, nullable=nullable))
    if not isinstance(said, Page):
        raise TypeError(f"{tool.name} must return a Page, not {type(said).__name__}")
    items = list(said.items)
    if not _has_rows(items):
        return _admitted(bound, paginated(dumped(items, nullable=nullable), said.total, arguments))
    page = paginated(items, said.total, arguments)
    return _admitted_at_once(bound, page) or _admitted(bound, plain(tool.returns, page, nullable=nullable))


def _has_rows(items: Sequence[Any]) -> bool:
    return any(issubclass(kind, Mapping) for kind in set(map(type, items)))


def _admitted_at_once(bound: BoundTool, page: JsonObject) -> bytes:
    """Return a page as JSON that the contract admits; nothing where it has to be looked at closely.

    So has one with a null in it, which was None, and is perhaps left out, or a number that is not finite, and is refused.
    """
    try:
        text = written(page, nullable=bound.tool.nullable_results)
    except TypeError:
        return b""
    return text if b"null" not in text and bound.returns.admits(text) else b""


def _admitted(bound: BoundTool, result: JsonObject) -> bytes:
    """Return a result as JSON. Raises BrokenResultError where the contract does not admit it."""
    text = bound.returns.encoded(result)
    if not isinstance(text, bytes):
        raise BrokenResultError(sentences(text))
    return text


def _ttl_s(tool: AnyTool, said: Any) -> float:
    """Return how long what a handler said may be given again. Raises TypeError for what the contract knows no time for."""
    if tool.cache is None:
        return 0
    if not isinstance(said, Provisional):
        return tool.cache.ttl_s
    if tool.cache.provisional_ttl_s is None:
        raise TypeError(f"{tool.name} returned a Provisional result, and its contract has no provisional_ttl_s")
    return tool.cache.provisional_ttl_s
