"""Where a server and the other validator judge differently, and why the server is right. There is nothing else."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.servers.mutants import nested


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A kind of value that the two judge differently."""

    reason: str
    """Why the server is right."""
    shows: Callable[[Any], bool]
    """Whether a part of the value is of this kind."""
    witness: tuple[dict[str, Any], Any]
    """A schema and a value on which they disagree."""
    refused: bool = True
    """Whether it is the server that refuses it, and not the other."""

    def explains(self, value: Any) -> bool:
        """Whether *value* has a part of this kind."""
        return any(self.shows(part) for part in parts(value))


def parts(value: Any) -> Iterator[Any]:
    """Yield *value*, its names and everything in it."""
    yield value
    for inner in value.items() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from parts(inner)


def depth(value: Any) -> int:
    """Return how deep lists are nested in each other."""
    levels = 0
    while isinstance(value, list):
        levels += 1
        value = value[0] if value else None
    return levels


LINE_FEED = Disagreement(
    "Python's $ also matches before a line feed at the end; the $ of ECMAScript, which JSON Schema means, does not.",
    lambda part: isinstance(part, str) and part.endswith("\n"),
    witness=({"type": "string", "pattern": "^[A-Z]$"}, "A\n"),
)
SURROGATE = Disagreement(
    "Half of a surrogate pair is no Unicode text, though Python's str holds it.",
    lambda part: isinstance(part, str) and any("\ud800" <= letter <= "\udfff" for letter in part),
    witness=({"type": "string"}, "A\ud800"),
)
NOT_FINITE = Disagreement(
    "To Python NaN and Infinity are numbers; to JSON they are not.",
    lambda part: isinstance(part, float) and not math.isfinite(part),
    witness=({"type": "number"}, math.nan),
)
TOO_BIG = Disagreement(
    "Integers are of 64 bits: no record, source or other language's client holds more.",
    lambda part: isinstance(part, int | float) and math.isfinite(part) and not -(2**63) <= part < 2**63,
    witness=({"type": "integer"}, 2**63),
)
TOO_DEEP = Disagreement(
    "A value nested more than 64 levels deep serves nobody but an attacker.",
    lambda part: isinstance(part, list) and depth(part) > 64,
    witness=({"type": "array"}, nested(65)),
)

LEAP_SECOND = Disagreement(
    "A time of RFC 3339 may be a leap second, which Python's datetime cannot be. Handlers give datetimes; arguments with one "
    "are refused when the record is made.",
    lambda part: isinstance(part, str) and part.endswith("23:59:60Z"),
    witness=({"type": "string", "format": "date-time"}, "2016-12-31T23:59:60Z"),
    refused=False,
)

REQUESTS = (LINE_FEED, SURROGATE, NOT_FINITE, TOO_DEEP)
RESULTS = (LINE_FEED, SURROGATE, NOT_FINITE, TOO_BIG, TOO_DEEP, LEAP_SECOND)


def reason(listed: tuple[Disagreement, ...], value: Any, *, refused: bool) -> str | None:
    """Return why the two may disagree on *value*, which the server has *refused* or not; None where nothing says so."""
    return next((each.reason for each in listed if each.refused == refused and each.explains(value)), None)
