"""Requests of JSON-RPC 2.0 in the bodies of frames."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from toolaccord.json_values import JsonObject
from toolaccord.transports.content_length.frames import Frame, FramingFault
from toolaccord.transports.mcp import jsonrpc

Occasion: TypeAlias = Literal["request", "access", "unknown_tool", "arguments", "internal"]

_MEMBERS = frozenset({"jsonrpc", "id", "method", "params"})


class Rejected(Exception):
    """A message gets an error as its answer, and does not become a call."""

    def __init__(self, occasion: Occasion, message: str, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.occasion = occasion
        """The occasion, which decides the code."""
        self.message = message
        """A sentence for the caller, without a word of its message."""
        self.request_id = request_id
        """Id of the request; None if it has no valid one."""


class Request(NamedTuple):
    """A request, or a notification."""

    id: str | int | None
    """Id of the request; None for a notification."""
    method: str
    """Name of the method."""
    params: JsonObject
    """Parameters, with the key and `_meta`."""
    text: bytes
    """The message as it arrived."""


def read_request(frame: Frame) -> Request:
    """Return the request in *frame*. Raises Rejected for anything else."""
    if isinstance(frame, FramingFault):
        raise _invalid(f"{frame.problem}, at byte {frame.position} of the input")
    try:
        message = jsonrpc.parse(frame)
    except ValueError:
        raise _invalid("the body is not JSON in UTF-8") from None
    if type(message) is not dict:
        raise _invalid("the body is no JSON object; send each request in a frame of its own")
    return _check_form(message, frame)


def _check_form(message: JsonObject, text: bytes) -> Request:
    """Return *message*, whose JSON is *text*, as a request. Raises Rejected."""
    request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if "id" in message and not _is_id(request_id):
        raise _invalid("id is no string and no integer of 64 bits")
    if message.get("jsonrpc") != "2.0":
        raise _invalid('jsonrpc is not "2.0"', request_id)
    if type(method) is not str:
        raise _invalid("method is no string", request_id)
    if not _MEMBERS.issuperset(message):
        raise _invalid("a request has no members beside jsonrpc, id, method and params", request_id)
    if type(params) is list and request_id is not None:
        raise Rejected("arguments", "params is an array; send an object with names.", request_id)
    if type(params) is not dict:
        raise _invalid("params is no object", request_id)
    return Request(request_id, method, params, text)


def _is_id(value: Any) -> bool:
    """Return whether *value* is a string or an integer of 64 bits; parsers read longer ones."""
    return type(value) is str or (type(value) is int and -(2**63) <= value < 2**64)


def _invalid(problem: str, request_id: Any = None) -> Rejected:
    return Rejected("request", f"Invalid request: {problem}.", request_id)
