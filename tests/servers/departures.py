"""Where our servers answer otherwise than one on the MCP SDK alone, and why. There is nothing else.

What a line or a body is, is found out with the parsers of Python and of the SDK, and without ours.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mcp_types as types
import pydantic_core
from pydantic import ValidationError

from tests.servers.mutants import nested


@dataclass(frozen=True, slots=True)
class Departure:
    """A kind of message that is answered otherwise."""

    reason: str
    """What we answer, what the SDK does, and why ours is better."""
    shows: Callable[[bytes], bool]
    """Whether a line or a body is of this kind."""
    witness: bytes
    """One that is."""
    of_the_front: bool = False
    """Whether the front alone departs, and the SDK behind it (`--reference`) does not."""


def is_json(text: bytes) -> bool:
    """Whether *text* is JSON, as Python reads it."""
    try:
        json.loads(text.decode())
    except (ValueError, RecursionError):
        return False
    return True


def is_read(text: bytes) -> bool:
    """Whether the SDK's parser reads *text*, which may hold bytes that are no text."""
    try:
        pydantic_core.from_json(text.decode("utf-8", "replace"))
    except ValueError:
        return False
    return True


def message(text: bytes) -> types.JSONRPCMessage | None:
    """Return the message that the SDK makes of *text*; None where it makes none."""
    try:
        return types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return None


def _is_odd(text: bytes) -> bool:
    return isinstance(message(text), types.JSONRPCNotification) and "id" in json.loads(text)


def _is_long(text: bytes) -> bool:
    made = message(text)
    return isinstance(made, types.JSONRPCRequest) and isinstance(made.id, int) and not -(2**63) <= made.id < 2**64


def _is_no_message(text: bytes) -> bool:
    return is_json(text) and is_read(text) and message(text) is None


def _is_too_much(text: bytes) -> bool:
    return is_json(text) and not is_read(text)


def _call(arguments: Any) -> bytes:
    params = {"name": "get_top_strategies", "arguments": {"symbol": arguments}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


ODD_ID = (
    "A request whose id is null, a fraction, a truth value or a list is refused. The SDK takes it for a notification, and its "
    "sender waits for ever."
)
LINES = (
    Departure(
        "What is no JSON is refused, by its id where that can be read. The SDK says nothing, and the host waits for ever.",
        lambda line: not is_json(line) and not is_read(line),
        b'{"jsonrpc":"2.0","id":1,"method":"ping"',
    ),
    Departure(
        "Bytes that are not UTF-8 are refused. The SDK reads other letters in their place, and answers those.",
        lambda line: not is_json(line) and is_read(line),
        b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}',
    ),
    Departure(
        "JSON that is no message, such as a batch, is refused, with each id in it. The SDK says nothing.",
        _is_no_message,
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    ),
    Departure(ODD_ID, _is_odd, b'{"jsonrpc":"2.0","id":null,"method":"ping"}'),
    Departure(
        "A request whose id is an integer beyond 64 bits is refused: no other language's host can tell such ids apart. The SDK answers it.",
        _is_long,
        b'{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}',
    ),
    Departure(
        "Half of a surrogate pair, and what is nested very deeply, is refused by the name of its place. The SDK's parser takes it "
        "for no JSON, and nothing is said.",
        _is_too_much,
        _call("\ud800"),
    ),
)
"""On standard input and output."""

BODIES = (
    Departure(
        "What is no JSON is refused without the text of a parser, which the SDK sends.",
        lambda body: not is_json(body) or (not is_read(body) and not _is_deep(body)),
        b"{",
    ),
    Departure(
        "JSON that is no message is refused without the text of a validator, which the SDK sends.",
        _is_no_message,
        b"[]",
    ),
    Departure(ODD_ID, _is_odd, b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}'),
    Departure(
        "What is nested very deeply is refused by the name of its place. The SDK's parser takes it for no JSON.",
        lambda body: _is_too_much(body) and _is_deep(body),
        _call(nested(220)),
        of_the_front=True,
    ),
)
"""Over HTTP, on `/mcp`."""


def _is_deep(text: bytes) -> bool:
    return b"[" * 200 in text


def explained(text: bytes, listed: Sequence[Departure]) -> Departure | None:
    """Return the departure on the list that *text* shows; None where it must be answered as the SDK answers it."""
    return next((each for each in listed if each.shows(text)), None)
