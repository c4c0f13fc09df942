"""The routes of the stand-in: a function from a path and a query to blocks."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandbox.iss import indices
from sandbox.iss.candles import render_candles
from sandbox.iss.moment import Moment
from sandbox.iss.quotes import make_isin, render_quotations
from sandbox.iss.schedule import render_boards, render_engine
from sandbox.iss.shares import BOARDS, Share, all_shares, shares_on_board
from sandbox.iss.tables import Block, Blocks, Query, parse_columns

NAME = r"[A-Za-z0-9@._-]+"
SHARES = rf"/engines/stock/markets/shares/boards/(?P<board>{NAME})"
INDICES = rf"/engines/stock/markets/index/boards/(?P<board>{NAME})"
DESCRIPTION = parse_columns("name title value type sort_order:int64 is_hidden:int64 precision:int64")
LISTED = parse_columns("""
    secid boardid title board_group_id:int32 market_id:int32 market engine_id:int32 engine is_traded:int32 decimals:int32
    history_from:date history_till:date listed_from:date listed_till:date is_primary:int32 currencyid
""")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page of ISS."""

    moment: Moment
    members: int
    """The number of shares in the large indices."""
    names: Mapping[str, str]
    """The named parts of the path."""
    query: Query

    def share(self) -> Share | None:
        """Return the share on the board; None if it is not there."""
        share = all_shares().get(self.names["ticker"])
        return share if share is not None and share.board == self.names["board"] else None


def answer(path: str, query: Query, moment: Moment, members: int) -> Blocks | None:
    """Return all blocks of the page at *path*, without /iss; None for an unknown path."""
    for pattern, found in ROUTES:
        if (match := re.fullmatch(pattern, path)) is not None:
            return found(PageRequest(moment, members, match.groupdict(), query))
    return None


def _board(page: PageRequest) -> Blocks:
    """Return the shares of a board, or those that `securities` names."""
    names = page.query.get("securities")
    listed = shares_on_board(page.names["board"])
    return render_quotations([each for each in listed if not names or each.ticker in names.split(",")], page.moment)


def _security(page: PageRequest) -> Blocks:
    share = page.share()
    return render_quotations([share] if share is not None else [], page.moment)


def _index(page: PageRequest) -> Blocks:
    index = page.names["index"]
    known = index in indices.NAMES and indices.board_of(index) == page.names["board"]
    return indices.render_quotation(index if known else None, page.moment, page.members)


def _description(page: PageRequest) -> Blocks:
    """Return the description and the boards of a security; no rows for an unknown one."""
    share = all_shares().get(page.names["ticker"])
    about, listed = ([], []) if share is None else (_description_rows(share), [_board_row(share, page.moment)])
    return {"description": Block(DESCRIPTION, about), "boards": Block(LISTED, listed)}


def _description_rows(share: Share) -> list[dict[str, object]]:
    properties = [
        ("SECID", "Код ценной бумаги", share.ticker),
        ("NAME", "Полное наименование", share.name),
        ("SHORTNAME", "Краткое наименование", share.short_name),
        ("ISIN", "ISIN код", make_isin(share)),
        ("TYPE", "Тип бумаги", "common_share"),
        ("TYPENAME", "Вид/категория ценной бумаги", "Акция обыкновенная"),
    ]
    return [
        {"name": name, "title": title, "value": value, "type": "string", "sort_order": order, "is_hidden": 0}
        for order, (name, title, value) in enumerate(properties, 1)
    ]


def _board_row(share: Share, moment: Moment) -> dict[str, object]:
    return {
        "secid": share.ticker,
        "boardid": share.board,
        "title": BOARDS[share.board],
        "board_group_id": 57,
        "market_id": 1,
        "market": "shares",
        "engine_id": 1,
        "engine": "stock",
        "is_traded": int(share.is_traded_on(moment.session)),
        "decimals": share.decimals,
        "history_from": share.since.isoformat(),
        "history_till": min(moment.session, share.until).isoformat(),
        "listed_from": share.since.isoformat(),
        "listed_till": min(moment.session, share.until).isoformat(),
        "is_primary": 1,
        "currencyid": "RUB",
    }


ROUTES: tuple[tuple[str, Callable[[PageRequest], Blocks]], ...] = (
    (rf"{SHARES}/securities\.json", _board),
    (
        rf"{SHARES}/securities/(?P<ticker>{NAME})/candles\.json",
        lambda page: render_candles(page.share(), page.query, page.moment),
    ),
    (rf"{SHARES}/securities/(?P<ticker>{NAME})\.json", _security),
    (rf"{INDICES}/securities/(?P<index>{NAME})\.json", _index),
    (
        rf"/statistics/engines/stock/markets/index/analytics/(?P<index>{NAME})\.json",
        lambda page: indices.render_composition(page.names["index"], page.query, page.moment, page.members),
    ),
    (rf"/securities/(?P<ticker>{NAME})\.json", _description),
    (r"/engines/stock\.json", lambda page: render_engine(page.moment)),
    (r"/engines/stock/markets/shares/boards\.json", lambda page: render_boards(page.moment)),
)
