"""Attacks with hostile JSON in the arguments of a call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache

from tests.attack.channels import CallAnswer, Channel, open_channels
from tests.attack.lab import Lab
from tests.attack.records import Attack, Tally
from tests.contracts.reading import CONTRACTS, load, tool
from tests.servers.backends import SPEC, SPECS, SUBMIT

_MODULE = "tradestream.strategy_db"
_LIMIT_BYTES = 4_194_304
_ENVELOPE_BYTES = 1_000
"""More than what surrounds the arguments of a call."""
_MAX_EXCESS_S = 0.05
"""Processor time that a call may cost above reading the same body."""
_JSONRPC_CODES = {-32700, -32600, -32602}
"""Parse error, invalid request, invalid parameters."""


def _member(name: str) -> Callable[[bytes], bytes]:
    """Return a function that puts a value at *name* of a valid spec."""
    return lambda value: json.dumps({"name": "A_SPEC", **SPEC, name: "HERE"}).encode().replace(b'"HERE"', value)


def _filled(unit: bytes, size: int) -> bytes:
    return b"[" + b",".join([unit] * (size // (len(unit) + 1))) + b"]"


def _text(unit: bytes, size: int) -> bytes:
    return b'"' + unit * (size // len(unit)) + b'"'


def _nested(start: bytes, end: bytes, size: int) -> bytes:
    depth = size // len(start + end)
    return start * depth + b"1" + end * depth


def _members(size: int, *, is_same: bool = False) -> bytes:
    names = (b"a" if is_same else b"a%d" % number for number in range(size // (6 if is_same else 12)))
    return b"{" + b",".join(b'"%s":1' % name for name in names) + b"}"


_BODIES: Mapping[str, tuple[str, Callable[[int], bytes]]] = {
    "items of a wrong type": (SUBMIT, lambda size: _member("indicators")(_filled(b"1", size))),
    "wrong items of two lists": (SUBMIT, lambda size: _member("parameters")(_filled(b'{"name":1}', size))),
    "items without members": (SUBMIT, lambda size: _member("entry_conditions")(_filled(b"{}", size))),
    "items with unknown members": (SUBMIT, lambda size: _member("exit_conditions")(_filled(b'{"a":1,"b":2}', size))),
    "NaN": (SUBMIT, lambda size: _member("indicators")(_filled(b"NaN", size))),
    "infinities": (SUBMIT, lambda size: _member("parameters")(_filled(b"-Infinity", size))),
    "nulls": (SUBMIT, lambda size: _member("entry_conditions")(_filled(b"null", size))),
    "empty texts": (SUBMIT, lambda size: _member("indicators")(_filled(b'""', size))),
    "unknown members": (SPECS, _members),
    "repeated members": (SPECS, lambda size: _members(size, is_same=True)),
    "deep lists": (SUBMIT, lambda size: _member("indicators")(_nested(b"[", b"]", size))),
    "deep objects": (SUBMIT, lambda size: _member("indicators")(_nested(b'{"a":', b"}", size))),
    "a number of millions of digits": (SPECS, lambda size: b'{"limit": %s}' % (b"1" * size)),
    "a fraction of millions of digits": (SPECS, lambda size: b'{"limit": 0.%s}' % (b"1" * size)),
    "huge exponents": (SUBMIT, lambda size: _member("indicators")(_filled(b"1e999999", size))),
    "numbers of 400 digits": (SUBMIT, lambda size: _member("parameters")(_filled(b"9" * 400, size))),
    "lone surrogates": (SUBMIT, lambda size: _member("name")(_text(b"\\ud800", size))),
    "items of lone surrogates": (SUBMIT, lambda size: _member("indicators")(_filled(b'"\\udc00"', size))),
    "a long text": (SUBMIT, lambda size: _member("name")(_text(b"A", size))),
    "a text that nearly fits the pattern": (SUBMIT, lambda size: _member("name")(_text(b"A_", size))),
    "escapes": (SUBMIT, lambda size: _member("name")(_text(b"\\u0041", size))),
    "a long option": (SPECS, lambda size: b'{"source": %s}' % _text(b"ALL", size)),
    "invalid UTF-8": (SUBMIT, lambda size: _member("name")(_text(b"\xff", size))),
    "zero bytes": (SUBMIT, lambda size: _member("name")(_text(b"\x00", size))),
    "white space": (SPECS, lambda size: b'{"limit": "1"%s}' % (b" " * size)),
    "no end": (SUBMIT, lambda size: _member("indicators")(_filled(b"1", size))[:-2]),
    "a list instead of members": (SPECS, lambda size: _filled(b"{}", size)),
}
"""Tool and arguments of each body, which grow with a size in bytes; all are invalid."""


def _attack(lab: Lab, tally: Tally) -> None:
    size = lab.count(_LIMIT_BYTES - _ENVELOPE_BYTES)
    with open_channels(lab, tally, _MODULE) as channels:
        for name, (of, build) in _BODIES.items():
            arguments = build(size - _ENVELOPE_BYTES)
            reading_s = min(_measure(channels[0], "nothing", arguments)[1] for _ in range(2))
            for channel in channels:
                answer, excess_s = _measure_excess(channel, of, arguments, reading_s)
                is_kept = _is_rejected(of, answer) and excess_s <= _MAX_EXCESS_S
                tally.check(is_kept, f"{name}, {channel.name}: {_describe(answer)}, {excess_s * 1000:.0f} ms of checks")
        for channel in channels:
            answer = channel.call(SUBMIT, _member("name")(_text(b"A", _LIMIT_BYTES + 1)))
            tally.check(
                answer.status == 413 or isinstance(answer.code, int), f"too large, {channel.name}: {_describe(answer)}"
            )


def _measure(channel: Channel, of: str, arguments: bytes) -> tuple[CallAnswer, float]:
    """Return the answer to a call, and the processor time that it cost the server in seconds."""
    before = channel.process.processor_s()
    answer = channel.call(of, arguments)
    return answer, channel.process.processor_s() - before


def _measure_excess(channel: Channel, of: str, arguments: bytes, reading_s: float) -> tuple[CallAnswer, float]:
    """Return the answer to a call, and its processor time above *reading_s*; noise only adds."""
    answer, spent_s = _measure(channel, of, arguments)
    if _MAX_EXCESS_S < spent_s - reading_s < 1:
        spent_s = min(spent_s, *(_measure(channel, of, arguments)[1] for _ in range(4)))
    return answer, spent_s - reading_s


def _is_rejected(of: str, answer: CallAnswer) -> bool:
    """Return True if *answer* is an error that names the caller's fault."""
    return answer.code in declared_codes(_MODULE, of) | _JSONRPC_CODES and answer.status < 500


@cache
def declared_codes(module: str, name: str) -> frozenset[str]:
    """Return the error codes that a tool may answer, without the one for internal errors."""
    contract = load(CONTRACTS / f"{module.replace('.', '/')}.json")
    occasions = load(CONTRACTS / "dialects.json")[contract["dialect"]]["occasions"]
    codes = {error["code"] for error in tool(module, name)["errors"]} | set(occasions.values())
    return frozenset(codes - {occasions["internal"]})


def _describe(answer: CallAnswer) -> str:
    return f"status {answer.status}, code {answer.code}"


ATTACKS = (
    Attack(
        "hostile JSON",
        "4 MiB of invalid arguments, over REST, HTTP and stdio in both eras, get the error for their fault, and cost at most"
        " 50 ms above reading them; more than 4 MiB are rejected unread.",
        _attack,
        max_peak_mib=512,
        max_health_ms=100,
    ),
)
