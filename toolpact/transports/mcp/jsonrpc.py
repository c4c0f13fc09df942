"""JSON-RPC as text: reading it, and writing results and errors; what needs no SDK."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import orjson

Id: TypeAlias = str | int | float | None
"""The id of a request; None where it could not be read."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class ProtocolError(Exception):
    """A request that is answered with an error of the protocol; the text is for its caller."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        """What JSON-RPC or MCP calls it."""
        self.message = message
        """A sentence for the caller."""
        self.data = data
        """What else there is to say; None for nothing."""

    def answer(self, given: Id) -> bytes:
        """Return the message that answers the request *given*."""
        return refusal(given, self.code, self.message, self.data)


def parse(text: bytes) -> Any:
    """Return the JSON value of *text*. NaN and Infinity pass, so that they are refused by the name of their place.

    Raises ValueError for what is not JSON or not UTF-8.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(text.decode())
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def refusal(given: Id, code: int, message: str, data: Any = None) -> bytes:
    """Return the message that answers the request *given* with an error."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return json.dumps({"jsonrpc": "2.0", "id": given, "error": error}, separators=(",", ":")).encode()


def stopping(given: Id) -> bytes:
    """Return the message that answers the request *given* when it comes too late, or takes longer than the server goes on."""
    return refusal(given, INTERNAL_ERROR, "The server is stopping")


def ids(text: bytes) -> list[str | int]:
    """Return the ids of the requests that *text* holds."""
    try:
        said = parse(text)
    except ValueError:
        return []
    messages = said if isinstance(said, list) else [said]
    given = [message["id"] for message in messages if isinstance(message, dict) and {"id", "method"} <= message.keys()]
    return [each for each in given if type(each) in {int, str}]


def success(given: str | int, result: bytes) -> bytes:
    """Return the message that answers the request *given* with *result*, which is JSON."""
    said = b"%d" % given if isinstance(given, int) else orjson.dumps(given)
    return b"".join((b'{"jsonrpc":"2.0","id":', said, b',"result":', result, b"}"))
