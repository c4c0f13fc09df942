"""The shares of the stand-in: real names with invented prices, and invented companies."""

import csv
import functools
import itertools
import math
import string
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files

from pydantic import TypeAdapter

from sandbox.iss.sessions import FIRST_DAY
from sandbox.seeded_random import uniform

BOARDS: Mapping[str, str] = {
    "TQBR": "Т+: Акции и ДР - безадрес.",
    "TQPI": "Т+: Акции ПИР - безадрес.",
    "TQTF": "Т+: ETF - безадрес.",
}
"""The exchange's names of the boards."""
INVENTED_SHARES = 70
"""The number of invented companies on TQBR; an index of all shares needs a second page."""
NEVER = date.max


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share and its trading days.

    KROT and TATNP are not traded since 2024, and only TATNP still has a market price. NSVZ was never traded. UGLD is a
    member of IMOEX on another board than the others.
    """

    ticker: str
    short_name: str
    name: str
    latin_name: str
    board: str
    lot: int
    decimals: int
    price: float
    """The reference price, around which it moves, in roubles."""
    volume: int
    """Shares a day."""
    sector: str = ""
    """The index of its sector; empty without one."""
    weight: float = 0
    """Its relative weight in indices at the reference price; 0 where it is in none."""
    since: date = FIRST_DAY
    until: date = NEVER

    def is_traded_on(self, day: date) -> bool:
        """Return whether it is traded on *day*, if *day* is a trading day."""
        return self.since <= day <= self.until

    def round_price(self, price: float) -> float:
        """Return *price*, in roubles, rounded to the share's step."""
        return round(price, self.decimals)


@functools.cache
def all_shares() -> Mapping[str, Share]:
    """Return all shares by ticker."""
    return {share.ticker: share for share in [*_read_shares(), *_invent_shares()]}


def shares_on_board(board: str) -> list[Share]:
    """Return the shares of *board*, by ticker."""
    return sorted((share for share in all_shares().values() if share.board == board), key=lambda share: share.ticker)


def _read_shares() -> list[Share]:
    """Return the shares of shares.csv, where an empty value is the default."""
    text = files("sandbox.iss").joinpath("shares.csv").read_text(encoding="utf-8")
    lines = csv.DictReader(text.splitlines())
    return TypeAdapter(list[Share]).validate_python([{k: v for k, v in line.items() if v} for line in lines])


def _invent_shares() -> list[Share]:
    """Return the invented companies, ZAAA and so on."""
    letters = itertools.islice(itertools.product(string.ascii_uppercase, repeat=2), INVENTED_SHARES)
    return [_invent_share(number, "ZA" + "".join(pair)) for number, pair in enumerate(letters, 1)]


def _invent_share(number: int, ticker: str) -> Share:
    return Share(
        ticker=ticker,
        short_name=f"Пример{number}",
        name=f"ПАО Пример-{number} ао",
        latin_name=f"Example-{number}",
        board="TQBR",
        lot=10,
        decimals=2,
        price=round(math.exp(2 + 5 * uniform("price", ticker)), 2),
        volume=20_000,
        weight=0.05,
    )
