"""Indices of the exchange: what they are made of on a day, and in which sectors their members are."""

from dataclasses import dataclass
from datetime import date

from generated.moex.errors import IssBadResponse, NoData
from handlers.moex import moscow
from handlers.moex.exchange import Pages, ask_pages
from handlers.moex.steps import Steps
from handlers.moex.tables import Number, Row, number, text
from toolpact.sources.http import Http

COLUMNS = ("tradedate", "ticker", "weight")
PAGES = Pages(block="analytics", columns=COLUMNS, needed=COLUMNS, length=100)
"""The longest that are served; without a limit a page has 20 rows, less than half of the index."""
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
    found = await _members(iss, index, day)
    if not found:
        raise NoData(f"The exchange has no composition of {index} for {day.isoformat()}.", ticker=index)
    days = {moscow.day(row, "tradedate") for row in found}
    weights = {text(row, "ticker"): _weight(row) for row in found}
    if len(days) > 1 or len(weights) < len(found):
        raise IssBadResponse(f"The exchange's composition of {index} is not of one day, or names a member twice.")
    heaviest = sorted(weights.items(), key=lambda member: (-member[1], member[0]))
    return Composition(day=days.pop(), weights=dict(heaviest))


async def sectors(iss: Http, day: date, steps: Steps) -> dict[str, str]:
    """Return the sector of each member of a sector's index on *day*, by ticker; each index is one of the *steps*.

    Raises as `composition` does, NoData aside.
    """
    found: dict[str, str] = {}
    for index, sector in SECTORS.items():
        for row in await _members(iss, index, day):
            found.setdefault(text(row, "ticker"), sector)
        await steps.done(f"The members of {index}")
    return found


async def _members(iss: Http, index: str, day: date) -> list[Row]:
    path = f"statistics/engines/stock/markets/index/analytics/{index}.json"
    return await ask_pages(iss, path, PAGES, {"date": day.isoformat(), "limit": PAGES.length})


def _weight(row: Row) -> Number:
    weight = number(row, "weight")
    if weight is None:
        raise IssBadResponse("The exchange's composition has a member without a weight.")
    return weight
