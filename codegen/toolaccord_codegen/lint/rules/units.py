"""Lint rule for the units of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.rules.schema import ENUMERATED, NUMBERS
from toolaccord_codegen.lint.schema_walk import Part, split_words

RATES = frozenset(["rate", "return", "change", "drawdown", "volatility", "yield", "weight", "interest"])
AMOUNTS = frozenset(
    [
        "amount", "price", "balance", "notional", "pnl", "profit", "loss", "fee", "cost", "margin", "volume",
        "turnover", "exposure",
    ]
)  # fmt: skip
DURATIONS = frozenset(["duration", "timeout", "latency", "delay", "age", "ttl", "interval", "elapsed"])
MEASURED = RATES | AMOUNTS | DURATIONS
"""Words in the names of numbers that need a unit."""
NAME_ENDINGS = {
    "percent": "pct percent percentage",
    "basis points": "bps bp",
    "fraction": "fraction ratio share",
    "milliseconds": "ms millis milliseconds",
    "seconds": "s sec secs seconds",
    "minutes": "minutes mins",
    "hours": "hours",
    "days": "days",
    "currency": "usd usdt usdc eur gbp jpy cny rub btc eth",
    "pieces": "count shares lots units contracts bars",
    "bytes": "bytes kb mb gb",
}
"""Units and the last words of names that declare them."""
DESCRIPTION_PATTERNS = {
    "percent": r"%|per ?cent(age)?s?",
    "basis points": r"basis points?|bps",
    "fraction": r"fractions?|shares? of|ratio|(from|between) 0 (to|and) 1|multiples?",
    "milliseconds": r"milliseconds?|ms",
    "seconds": r"seconds?",
    "minutes": r"minutes?",
    "hours": r"hours?",
    "days": r"days?",
    "currency": r"currenc(y|ies)|dollars?|euros?|roubles?|rubles?|cents?|USD[TC]?|EUR|GBP|JPY|CNY|RUB|BTC|ETH",
    "pieces": r"units?|shares|lots?|contracts|coins|pieces|number of|how many|bars",
    "bytes": r"bytes?|[kmg]i?b",
}
"""Units and the words of a description that declare them, e.g. "Seconds to wait"."""
PATTERNS = {
    unit: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for unit, words in DESCRIPTION_PATTERNS.items()
}
ENDINGS = {word: unit for unit, endings in NAME_ENDINGS.items() for word in endings.split()}


def check_units(part: Part) -> Iterator[Issue]:
    """Yield a rate, an amount or a duration without a unit."""
    if needs_unit(part) and find_unit(part) is None:
        message = f'{part.label} has no unit; name it in "description", e.g. percent, seconds, or the quote currency'
        yield Issue("UNIT_MISSING", part.place, message)


def needs_unit(part: Part) -> bool:
    """Return True if a number needs a unit by its name."""
    return bool(part.types & NUMBERS) and part.lacks(*ENUMERATED) and not MEASURED.isdisjoint(split_words(part.name))


def find_unit(part: Part) -> str | None:
    """Return the unit of a number, or None.

    `x-unit` comes first, then the end of the name, then the description.
    """
    declared = part.node.value("x-unit")
    if isinstance(declared, str) and declared:
        return declared
    ending = ENDINGS.get((split_words(part.name) or [""])[-1])
    description = str(part.node.value("description") or "")
    return ending or next((name for name, pattern in PATTERNS.items() if pattern.search(description)), None)
