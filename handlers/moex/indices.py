"""Indices of the exchange: what they are made of on a day, and in which sectors their members are."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from generated.moex.errors import IssBadResponse, NoData
from handlers.moex import moscow
from handlers.moex.exchange import Pages, ask_pages
from handlers.moex.steps import Steps
from handlers.moex.tables import Number, Row, number, text
from toolpact.errors import SourceError
from toolpact.sources.http import Http

COLUMNS = ("tradedate", "ticker", "weight")
PAGES = Pages(block="analytics", columns=COLUMNS, needed=COLUMNS, length=100)
"""The longest that are served; without a limit a page has 20 rows, less than half of the index."""
WEIGHT_STEP = 0.01
"""What a weight is written to, in percent: rounded or cut off, each is less than a step away from the exact one."""
SECTORS = {
    "MOEXOG": "Oil and gas",
    "MOEXMM": "Metals and mining",
    "MOEXFN": "Finance",
    "MOEXEU": "Electric utilities",
    "MOEXTL": "Telecommunications",
    "MOEXCN": "Consumer goods",
    "MOEXCH": "Chemicals",
    "MOEXTN": "Transport",
    "MOEXIT": "Information technology",
    "MOEXRE": "Real estate",
}
"""The indices of sectors: the exchange tells a security's sector by these alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """What an index is made of."""

    day: date
    """The trading day it belongs to."""
    weights: dict[str, Number]
    """In percent, by ticker, the heaviest first."""


async def composition(iss: Http, index: str, day: date) -> Composition:
    """Return what *index* is made of on *day*, or on the trading day that the exchange serves instead.

    Raises NoData, IssTimeout, IssBadResponse, RateLimited, and HttpUnavailable.
    """
    found = await _composition(iss, index, day)
    if found is None:
        raise NoData(f"The exchange has no composition of {index} for {day.isoformat()}.", ticker=index)
    return found


async def sectors(iss: Http, day: date, steps: Steps) -> dict[str, str]:
    """Return the sector of each member of a sector's index on *day*, by ticker; each index is one of the *steps*.

    Raises as `composition` does, NoData aside.
    """
    found: dict[str, str] = {}
    for index, sector in SECTORS.items():
        members = await _composition(iss, index, day)
        for ticker in members.weights if members is not None else ():
            found.setdefault(ticker, sector)
        await steps.done(f"The members of {index}")
    return found


async def _composition(iss: Http, index: str, day: date) -> Composition | None:
    """Return the whole composition of *index*; None where the exchange has none of *day*."""
    path = f"statistics/engines/stock/markets/index/analytics/{index}.json"
    found = await ask_pages(iss, path, PAGES, {"date": day.isoformat(), "limit": PAGES.length})
    if not found:
        return None
    days = {moscow.day(row, "tradedate") for row in found}
    weights = {text(row, "ticker"): _weight(row) for row in found}
    if len(days) > 1 or len(weights) < len(found):
        raise IssBadResponse(f"The exchange's composition of {index} is not of one day, or names a member twice.")
    _require_whole(index, weights.values())
    heaviest = sorted(weights.items(), key=lambda member: (-member[1], member[0]))
    return Composition(day=days.pop(), weights=dict(heaviest))


def _require_whole(index: str, weights: Collection[Number]) -> None:
    """Raise IssBadResponse unless *weights* sum to 100 %, up to a WEIGHT_STEP each: a page may be lost without a trace."""
    total = math.fsum(weights)
    if abs(total - 100) > WEIGHT_STEP * len(weights):
        cause = SourceError(f"The {len(weights)} weights of {index} sum to {total:g} %, not to 100 %.")
        raise IssBadResponse(f"The exchange's composition of {index} is not whole; try again later.") from cause


def _weight(row: Row) -> Number:
    weight = number(row, "weight")
    if weight is None:
        raise IssBadResponse("The exchange's composition has a member without a weight.")
    return weight
