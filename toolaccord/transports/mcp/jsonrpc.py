"""JSON-RPC messages as bytes, without the SDK: parsing, results and errors."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import orjson

from toolaccord.declarations.tool import Server
from toolaccord.schema.value_count import has_more_values, max_values

Id: TypeAlias = str | int | float | None
"""Id of a request; None if it could not be read."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
MISSING_CAPABILITY = -32021

MAX_MEMBERS = 1000
"""Members and items that a message may hold beside arguments; the SDK reads these in 1 ms."""
OVERSIZED = f"Invalid request: too many values in the arguments, or more than {MAX_MEMBERS} beside the arguments"


class ProtocolError(Exception):
    """A request gets a JSON-RPC error as its response; the message is for the caller."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        """Error code of JSON-RPC or MCP."""
        self.message = message
        """A sentence for the caller."""
        self.data = data
        """Further data; None for none."""

    def to_response(self, request_id: Id) -> bytes:
        """Return the response to the request *request_id*."""
        return error_response(request_id, self.code, self.message, self.data)


def parse(text: bytes) -> Any:
    """Return the JSON value of *text*. Raises ValueError for text that is not JSON or not UTF-8.

    NaN and Infinity are accepted here, so that the validation of arguments rejects them with their location.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(text.decode())
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def is_oversized(message: Any, max_arguments: int) -> bool:
    """Return whether *message* holds more than *max_arguments* values in a call's arguments.

    Return True also for more than `MAX_MEMBERS` beside them, where arguments that are no object count.
    """
    if not isinstance(message, dict) or len(message) > MAX_MEMBERS:
        return isinstance(message, dict)
    params = message.get("params")
    if not isinstance(params, dict) or len(params) > MAX_MEMBERS:
        return has_more_values(message, MAX_MEMBERS)
    beside = dict(params)
    if isinstance(params.get("arguments"), dict) and has_more_values(beside.pop("arguments"), max_arguments):
        return True
    return has_more_values(message | {"params": beside}, MAX_MEMBERS)


def max_argument_values(server: Server[Any]) -> int:
    """Return the number of members and items that the arguments of a call to *server* may hold."""
    older = (version.parameters for tool in server.tools for version in tool.versions)
    return max(map(max_values, (*(tool.parameters for tool in server.tools), *older)), default=0)


def usable_id(value: Any) -> Id:
    """Return *value* if it can be the id of a response, else None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def oversized_response(message: Mapping[str, Any]) -> bytes:
    """Return the error response to a *message* that holds too many values."""
    return error_response(usable_id(message.get("id")), INVALID_REQUEST, OVERSIZED)


def error_response(request_id: Id, code: int, message: str, data: Any = None) -> bytes:
    """Return the error response to the request *request_id*."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}, separators=(",", ":")).encode()


def stopping_response(request_id: Id) -> bytes:
    """Return the error response to a request that the server cannot answer before it stops."""
    return error_response(request_id, INTERNAL_ERROR, "The server is stopping")


def request_ids(text: bytes) -> list[str | int]:
    """Return the ids of the requests in *text*; none if it is not JSON."""
    try:
        return list_request_ids(parse(text))
    except ValueError:
        return []


def list_request_ids(value: Any) -> list[str | int]:
    """Return the ids of the requests in *value*, which is a message or a batch."""
    messages = value if isinstance(value, list) else [value]
    ids = [message["id"] for message in messages if isinstance(message, dict) and {"id", "method"} <= message.keys()]
    return [each for each in ids if type(each) in {int, str}]


def response(request_id: str | int, outcome: bytes | ProtocolError) -> bytes:
    """Return the response to the request *request_id*: a result, which is JSON, or an error."""
    return result_response(request_id, outcome) if isinstance(outcome, bytes) else outcome.to_response(request_id)


def result_response(request_id: str | int, result: bytes) -> bytes:
    """Return the response to the request *request_id* with *result*, which is JSON."""
    encoded_id = b"%d" % request_id if isinstance(request_id, int) else orjson.dumps(request_id)
    return b"".join((b'{"jsonrpc":"2.0","id":', encoded_id, b',"result":', result, b"}"))
