"""Lines as JSON-RPC messages: what can be read is read, and what cannot is answered wherever its id can be read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import orjson
from pydantic import ValidationError

from toolpact.transports.mcp.jsonrpc import Id, parse, refusal

_TOKEN = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"|\Z)|[{}\[\]]', re.DOTALL)
_ID = re.compile(rb'\s*:\s*("[^"\\]*+(?:\\.[^"\\]*+)*+"|-?\d{1,100})\s*[,}]', re.DOTALL)


def read(line: bytes) -> types.JSONRPCMessage | list[bytes]:
    """Return the message that *line* holds, or the lines that answer it because it holds none."""
    try:
        value = parse(line)
    except ValueError:
        return [refusal(_scanned_id(line), types.PARSE_ERROR, "Parse error: the line is not JSON")]
    if isinstance(value, list):
        return list(_batch(value))
    given = value.get("id") if isinstance(value, dict) else None
    try:
        message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        message = None
    if message is None or (isinstance(message, types.JSONRPCNotification) and "id" in value):
        return [refusal(_readable(given), types.INVALID_REQUEST, "Invalid request: not a JSON-RPC message")]
    return message


def write(message: types.JSONRPCMessage) -> bytes:
    """Return *message* as a line, without its end."""
    if isinstance(message, types.JSONRPCResponse):
        plain: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    else:
        plain = message.model_dump(by_alias=True, exclude_unset=True, mode="json")
    try:
        return orjson.dumps(plain)
    except TypeError:  # integers beyond 64 bits, lone surrogates
        return json.dumps(plain, separators=(",", ":")).encode()


def _batch(values: list[Any]) -> Iterator[bytes]:
    """Yield the answers to a batch, which MCP does not have: each request in it is refused."""
    message = "Invalid request: batches are not supported, send a message a line"
    ids = [value["id"] for value in values if isinstance(value, dict) and "method" in value and "id" in value]
    for given in map(_readable, ids or [None]):
        yield refusal(given, types.INVALID_REQUEST, message)


def _is_id(given: Any) -> bool:
    return isinstance(given, str | int) and not isinstance(given, bool)


def _readable(given: Any) -> Id:
    """Return *given* if it can stand as an id in an answer, else None."""
    if isinstance(given, float):
        return given if math.isfinite(given) else None
    return given if _is_id(given) else None


def _scanned_id(line: bytes) -> Id:
    """Return the id of the outermost object of a *line* that is not JSON, as far as one can be made out."""
    depth, is_object = 0, False
    for token in _TOKEN.finditer(line):
        mark = token[0]
        if mark in {b"{", b"["}:
            depth += 1
            is_object = is_object or (depth == 1 and mark == b"{")
        elif mark in {b"}", b"]"}:
            depth -= 1
        elif depth == 1 and is_object and token[1] == b"id" and (found := _ID.match(line, token.end())):
            return _decoded(found[1])
        if depth == 0:
            break
    return None


def _decoded(text: bytes) -> Id:
    try:
        return _readable(json.loads(text.decode()))
    except ValueError:
        return None
