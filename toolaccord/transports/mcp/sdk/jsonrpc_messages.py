"""JSON-RPC messages of the SDK as lines, and error responses to invalid lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import mcp_types as types
from pydantic import ValidationError

from toolaccord.json_values import encode_json
from toolaccord.schema.value_count import MAX_VALUES
from toolaccord.transports.mcp.jsonrpc import (
    Id,
    error_response,
    is_oversized,
    oversized_response,
    parse,
    usable_id,
)

_TOKEN = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"|\Z)|[{}\[\]]', re.DOTALL)
_MAX_TOKENS = 10_000
"""Strings and brackets in which the id of a line that is not JSON is searched."""
_MAX_REJECTED = 100
"""Requests of a batch that get a response each."""
_ID = re.compile(rb'\s*:\s*("[^"\\]*+(?:\\.[^"\\]*+)*+"|-?\d{1,100})\s*[,}]', re.DOTALL)


def parse_line(line: bytes, max_arguments: int = MAX_VALUES) -> types.JSONRPCMessage | list[bytes]:
    """Return the message in *line*, or the error responses to a line without a valid one.

    The arguments of a call hold at most *max_arguments* members and items.
    """
    try:
        value = parse(line)
    except ValueError:
        return [error_response(_scan_id(line), types.PARSE_ERROR, "Parse error: the line is not JSON")]
    if isinstance(value, list):
        return list(_reject_batch(value))
    request_id = value.get("id") if isinstance(value, dict) else None
    if is_oversized(value, max_arguments):
        return [oversized_response(value)]
    try:
        message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        message = None
    if message is None or (isinstance(message, types.JSONRPCNotification) and "id" in value):
        return [error_response(usable_id(request_id), types.INVALID_REQUEST, "Invalid request: not a JSON-RPC message")]
    return message


def format_line(message: types.JSONRPCMessage) -> bytes:
    """Return *message* as a line, without its newline."""
    if isinstance(message, types.JSONRPCResponse):
        members: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    else:
        members = message.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return encode_json(members)


def _reject_batch(values: list[Any]) -> Iterator[bytes]:
    """Yield an error response to each request of a batch, which MCP does not support.

    Requests beyond the first hundred get one response together, without an id.
    """
    message = "Invalid request: batches are not supported, send a message a line"
    ids = [value["id"] for value in values if isinstance(value, dict) and "method" in value and "id" in value]
    if len(ids) > _MAX_REJECTED:
        ids[_MAX_REJECTED:] = [None]
    for request_id in map(usable_id, ids or [None]):
        yield error_response(request_id, types.INVALID_REQUEST, message)


def _scan_id(line: bytes) -> Id:
    """Return the id of the outermost object of a *line* that is not JSON; None if not found."""
    depth, is_object = 0, False
    for token in islice(_TOKEN.finditer(line), _MAX_TOKENS):
        mark = token[0]
        if mark in {b"{", b"["}:
            depth += 1
            is_object = is_object or (depth == 1 and mark == b"{")
        elif mark in {b"}", b"]"}:
            depth -= 1
        elif depth == 1 and is_object and token[1] == b"id" and (found := _ID.match(line, token.end())):
            return _decode_id(found[1])
        if depth == 0:
            break
    return None


def _decode_id(text: bytes) -> Id:
    try:
        return usable_id(json.loads(text.decode()))
    except ValueError:
        return None
