"""What is traded on the stand-in: real names with invented prices, and small companies that are invented altogether."""

import csv
import functools
import itertools
import math
import string
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files

from sandbox.iss.sessions import FIRST_DAY
from sandbox.seeded_random import uniform

BOARDS: Mapping[str, str] = {
    "TQBR": "Т+: Акции и ДР - безадрес.",
    "TQPI": "Т+: Акции ПИР - безадрес.",
    "TQTF": "Т+: ETF - безадрес.",
}
"""What the exchange calls each board."""
SMALL = 70
"""How many invented companies there are on TQBR; an index of all its shares needs a second page."""
NEVER = date.max


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share, and between which days it is traded.

    KROT and TATNP have not been traded since 2024, and only the latter still has a market price; NSVZ never was.
    UGLD is of the index IMOEX and not on the board of the others.
    """

    ticker: str
    short_name: str
    name: str
    latin_name: str
    board: str
    lot: int
    decimals: int
    price: float
    """What it moves around, in roubles."""
    volume: int
    """Shares a day."""
    sector: str
    """The index of its sector; empty where it is in none."""
    weight: float
    """What it is worth beside others, at the price it moves around; 0 where it is in no index."""
    since: date = FIRST_DAY
    until: date = NEVER

    def trades(self, day: date) -> bool:
        """Whether it is traded on *day*, if anything is."""
        return self.since <= day <= self.until

    def rounded(self, price: float) -> float:
        """*price* to the share's step, in roubles."""
        return round(price, self.decimals)


@functools.cache
def shares() -> Mapping[str, Share]:
    """Everything that is traded, by ticker."""
    return {share.ticker: share for share in [*_known(), *_invented()]}


def on_board(board: str) -> list[Share]:
    """What is traded on *board*, by ticker."""
    return sorted((share for share in shares().values() if share.board == board), key=lambda share: share.ticker)


def _known() -> list[Share]:
    """The shares of shares.csv."""
    text = files("sandbox.iss").joinpath("shares.csv").read_text(encoding="utf-8")
    return [_share(line) for line in csv.DictReader(text.splitlines())]


def _share(line: Mapping[str, str]) -> Share:
    return Share(
        ticker=line["ticker"],
        short_name=line["short_name"],
        name=line["name"],
        latin_name=line["latin_name"],
        board=line["board"],
        lot=int(line["lot"]),
        decimals=int(line["decimals"]),
        price=float(line["price"]),
        volume=int(line["volume"]),
        sector=line["sector"],
        weight=float(line["weight"]),
        since=date.fromisoformat(line["since"]) if line["since"] else FIRST_DAY,
        until=date.fromisoformat(line["until"]) if line["until"] else NEVER,
    )


def _invented() -> list[Share]:
    """Small companies, ZAAA and so on."""
    letters = itertools.product(string.ascii_uppercase, repeat=2)
    return [_small(number, "ZA" + "".join(pair)) for number, pair in enumerate(itertools.islice(letters, SMALL), 1)]


def _small(number: int, ticker: str) -> Share:
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
        sector="",
        weight=0.05,
    )
