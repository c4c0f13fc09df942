"""The compositions of the exchange's indices, and the sectors of their members."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from generated.moex.errors import IssBadResponse, NoData
from handlers.moex import moscow
from handlers.moex.exchange import Pages, fetch_pages
from handlers.moex.steps import Steps
from handlers.moex.tables import Number, Row, read_amount, read_text
from toolaccord.errors import SourceError
from toolaccord.sources.http import Http

COLUMNS = ("tradedate", "ticker", "weight")
PAGES = Pages(block="analytics", columns=COLUMNS, needed=COLUMNS, length=100)
"""The longest pages that ISS serves; without a limit a page has 20 rows."""
WEIGHT_STEP = 0.01
"""The step of a published weight, in percent; the exact weight is less than a step away."""
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
"""The indices of sectors; ISS gives a security's sector in no other way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """The members of an index on a day."""

    day: date
    """The trading day of the weights."""
    weights: dict[str, Number]
    """In percent, by ticker, the heaviest first."""


async def fetch_composition(iss: Http, index: str, day: date) -> Composition:
    """Return the composition of *index* on *day*, or on the trading day that ISS serves instead.

    Raises NoData, IssTimeout, IssBadResponse, RateLimited, and HttpUnavailable.
    """
    found = await _find_composition(iss, index, day)
    if found is None:
        raise NoData(f"The exchange has no composition of {index} for {day.isoformat()}.", ticker=index)
    return found


async def fetch_sectors(iss: Http, day: date, steps: Steps) -> dict[str, str]:
    """Return the sector of each member of a sector's index on *day*, by ticker.

    Reports each index as one of the *steps*. Raises the errors of `fetch_composition`, except NoData.
    """
    found: dict[str, str] = {}
    for index, sector in SECTORS.items():
        members = await _find_composition(iss, index, day)
        for ticker in members.weights if members is not None else ():
            found.setdefault(ticker, sector)
        await steps.done(f"The members of {index}")
    return found


async def _find_composition(iss: Http, index: str, day: date) -> Composition | None:
    """Return the complete composition of *index*; None where ISS has none for *day*."""
    path = f"statistics/engines/stock/markets/index/analytics/{index}.json"
    found = await fetch_pages(iss, path, PAGES, {"date": day.isoformat(), "limit": PAGES.length})
    if not found:
        return None
    days = {moscow.read_day(row, "tradedate") for row in found}
    weights = {read_text(row, "ticker"): _read_weight(row) for row in found}
    if len(days) > 1 or len(weights) < len(found):
        raise IssBadResponse(f"The exchange's composition of {index} is not of one day, or names a member twice.")
    _check_total(index, weights.values())
    heaviest = sorted(weights.items(), key=lambda member: (-member[1], member[0]))
    return Composition(day=days.pop(), weights=dict(heaviest))


def _check_total(index: str, weights: Collection[Number]) -> None:
    """Raise IssBadResponse unless *weights* sum to 100 %, up to a WEIGHT_STEP each.

    ISS can lose a page without an error.
    """
    total = math.fsum(weights)
    if abs(total - 100) > WEIGHT_STEP * len(weights):
        cause = SourceError(f"The {len(weights)} weights of {index} sum to {total:g} %, not to 100 %.")
        raise IssBadResponse(f"The exchange's composition of {index} is incomplete; try again later.") from cause


def _read_weight(row: Row) -> Number:
    weight = read_amount(row, "weight")
    if weight is None:
        raise IssBadResponse("The exchange's composition has a member without a weight.")
    return weight
