"""Units: which numbers need one, and where it may be said."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codegen.lint.issues import Complaint
from codegen.lint.rules.schema import LISTED, NUMBERS
from codegen.lint.schema_walk import Part, words

RATES = frozenset(["rate", "return", "change", "drawdown", "volatility", "yield", "weight", "interest"])
AMOUNTS = frozenset(
    [
        "amount",
        "price",
        "balance",
        "notional",
        "pnl",
        "profit",
        "loss",
        "fee",
        "cost",
        "margin",
        "volume",
        "turnover",
        "exposure",
    ]
)
DURATIONS = frozenset(["duration", "timeout", "latency", "delay", "age", "ttl", "interval", "elapsed"])
MEASURED = RATES | AMOUNTS | DURATIONS
"""Words in the names of numbers that mean nothing without a unit."""
SUFFIXES = {
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
"""Units, and the words that a name may end in to say them."""
SAID = {
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
"""Units, and the words of a description that say them, at its beginning, too: "Seconds to wait"."""
PATTERNS = {unit: re.compile(rf"(?<!\w)(?:{said})(?!\w)", re.IGNORECASE) for unit, said in SAID.items()}
ENDINGS = {word: unit for unit, endings in SUFFIXES.items() for word in endings.split()}


def unit_complaints(part: Part) -> Iterator[Complaint]:
    """A rate, an amount or a duration of nobody knows what."""
    if needs_unit(part) and unit(part) is None:
        sentence = f'{part.about} has no unit; name it in "description", e.g. percent, seconds, or the quote currency'
        yield Complaint("UNIT_MISSING", part.place, sentence)


def needs_unit(part: Part) -> bool:
    """Whether it is a number that means nothing without a unit, by its name."""
    return bool(part.types & NUMBERS) and part.lacks(*LISTED) and not MEASURED.isdisjoint(words(part.name))


def unit(part: Part) -> str | None:
    """The unit of a number: what `x-unit` says, else the end of its name, else its description; None where none does."""
    said = part.node.value("x-unit")
    if isinstance(said, str) and said:
        return said
    ending = ENDINGS.get((words(part.name) or [""])[-1])
    description = str(part.node.value("description") or "")
    return ending or next((name for name, pattern in PATTERNS.items() if pattern.search(description)), None)
