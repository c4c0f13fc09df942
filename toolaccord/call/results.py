"""Results of handlers, checked against the contract's `returns` and encoded once as JSON.

A result with content travels through caches and stores as two lines, the result and then the content. JSON has no raw
newline.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from toolaccord.call.cache import Loaded
from toolaccord.call.context import BoundOperation
from toolaccord.call.serialization import dump_records, encode_rows, is_query_row, to_plain
from toolaccord.declarations.operation import AnyOperation
from toolaccord.handler import Page, Provisional
from toolaccord.json_values import JsonObject
from toolaccord.schema.validator import SchemaValidator
from toolaccord.schema.violations import describe

_NO_RESULT = b"{}"
"""The first line of a tool that returns content alone."""


class BrokenResultError(Exception):
    """A handler's result, or the payload of an event, breaks its contract."""


def encode_result(bound: BoundOperation, result: Any, arguments: JsonObject) -> Loaded:
    """Return a handler's *result* as JSON, with its time to live.

    *arguments* have their defaults filled in.

    Raises BrokenResultError for a result that breaks the contract, and TypeError for one of a wrong type.
    """
    plain = result.result if isinstance(result, Provisional) else result
    encode = _encode_with_content if bound.operation.content else _encode
    return Loaded(encode(bound, plain, arguments), _ttl_s(bound.operation, result))


def check_stored(bound: BoundOperation, text: bytes) -> bytes:
    """Return *text*, a result that an earlier call stored; its contract may have changed since.

    Raises BrokenResultError if the contract does not admit it.
    """
    result, _ = split_content(text)
    if violations := bound.returns.violations(json.loads(result)):  # orjson reads no integers beyond 64 bits
        raise BrokenResultError(describe(violations))
    return text


def _encode_with_content(bound: BoundOperation, result: Any, arguments: JsonObject) -> bytes:
    """Return *result* and its content as two lines of JSON that the contract admits.

    Raises as `encode_result` does.
    """
    from toolaccord.content import WithContent  # noqa: PLC0415 - only tools with content need it
    from toolaccord.content.blocks import InvalidContentError, encode_content  # noqa: PLC0415 - likewise

    operation = bound.operation
    if operation.has_result and not isinstance(result, WithContent):
        raise TypeError(f"{operation.name} must return WithContent, not {type(result).__name__}")
    encoded, content = _NO_RESULT, result
    if operation.has_result:
        encoded, content = _encode(bound, result.result, arguments), result.content
    try:
        return b"%b\n%b" % (encoded, encode_content(operation.content, content))
    except InvalidContentError as error:
        raise BrokenResultError(f"{operation.name} returned invalid content: {error}") from error


def split_content(value: bytes) -> tuple[bytes, bytes | None]:
    """Return the result in *value* and its content, both as JSON; None without content."""
    result, newline, content = value.partition(b"\n")
    return result, content if newline else None


def _encode(bound: BoundOperation, result: Any, arguments: JsonObject) -> bytes:
    """Return *result* as JSON that the contract admits. Raises as `encode_result` does."""
    operation, nullable = bound.operation, bound.operation.nullable_results
    if not operation.paginated:
        if is_query_row(result):
            return _encode_rows(bound, result._asdict())
        if not isinstance(result, BaseModel):
            raise TypeError(f"{operation.name} must return a model, as its signature says, not {type(result).__name__}")
        return encode_checked(bound.returns, dump_records(result, nullable=nullable))
    if not isinstance(result, Page):
        raise TypeError(f"{operation.name} must return a Page, not {type(result).__name__}")
    items = [each._asdict() if is_query_row(each) else each for each in result.items]
    if not _has_rows(items):
        return encode_checked(bound.returns, _page(dump_records(items, nullable=nullable), result.total, arguments))
    return _encode_rows(bound, _page(items, result.total, arguments))


def _encode_rows(bound: BoundOperation, value: JsonObject) -> bytes:
    """Return a row, or a page of rows, as JSON. Raises as `encode_result` does."""
    return _encode_in_one_step(bound, value) or encode_checked(
        bound.returns, to_plain(bound.operation.returns, value, nullable=bound.operation.nullable_results)
    )


def _page(items: list[Any], total: int, arguments: JsonObject) -> JsonObject:
    """Return *items* with their pagination; *arguments* hold `offset` and `limit`."""
    offset, limit = arguments["offset"], arguments["limit"]
    has_more = offset + len(items) < total
    return {"items": items, "pagination": {"offset": offset, "limit": limit, "total": total, "has_more": has_more}}


def _has_rows(items: Sequence[Any]) -> bool:
    return any(issubclass(kind, Mapping) for kind in set(map(type, items)))


def _encode_in_one_step(bound: BoundOperation, rows: JsonObject) -> bytes:
    """Return *rows*, a page or a row, as JSON that the contract admits.

    Return nothing if that takes more than one step.

    A null needs more: it was None and may have to be left out, or a number that is not finite.
    """
    try:
        text = encode_rows(rows, nullable=bound.operation.nullable_results)
    except TypeError:
        return b""
    return text if b"null" not in text and bound.returns.admits(text) else b""


def encode_checked(schema: SchemaValidator, value: Any) -> bytes:
    """Return *value* as JSON. Raises BrokenResultError if *schema* does not admit it."""
    text = schema.encode(value)
    if not isinstance(text, bytes):
        raise BrokenResultError(describe(text))
    return text


def _ttl_s(operation: AnyOperation, result: Any) -> float:
    """Return the seconds for which *result* may be cached.

    Raises TypeError if the contract declares none for it.
    """
    if operation.cache is None:
        return 0
    if not isinstance(result, Provisional):
        return operation.cache.ttl_s
    if operation.cache.provisional_ttl_s is None:
        raise TypeError(f"{operation.name} returned a Provisional result, and its contract has no provisional_ttl_s")
    return operation.cache.provisional_ttl_s
