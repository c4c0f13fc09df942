"""Requests to ISS: the needed columns of some blocks, and paginated blocks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, TypeAlias

from generated.moex.errors import InvalidTicker, IssBadResponse, IssTimeout, RateLimited
from handlers.moex.tables import Row, read_rows, read_total
from toolaccord import Progress, ignore_progress
from toolaccord.sources.http import Http, HttpBadResponse, HttpRateLimited, HttpTimeout

Query: TypeAlias = Mapping[str, str | int]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]*")
CURSOR = ("INDEX", "TOTAL", "PAGESIZE")
MAX_PAGES = 50
"""The most pages of a block, also of longer pages; two years of hours have fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A paginated block."""

    block: str
    columns: tuple[str, ...]
    """The requested columns."""
    needed: tuple[str, ...]
    """The columns that the answer must have."""
    length: int
    """The number of rows of each page but the last."""


async def fetch_blocks(iss: Http, path: str, blocks: Mapping[str, Sequence[str]], query: Query | None = None) -> Any:
    """Return the JSON at *path*, with the named columns of the *blocks* and no metadata.

    Raises IssTimeout, IssBadResponse, RateLimited, and HttpUnavailable.
    """
    chosen = {f"{block}.columns": ",".join(columns) for block, columns in blocks.items()}
    parameters = {"iss.meta": "off", "iss.only": ",".join(blocks)} | chosen | dict(query or {})
    try:
        return await iss.get_json(path, parameters)
    except HttpTimeout as exc:
        raise IssTimeout("The exchange did not answer in time.") from exc
    except HttpRateLimited as exc:
        raise RateLimited(_describe_limit(exc)) from exc
    except HttpBadResponse as exc:
        raise IssBadResponse("The exchange's answer is too long, or is not JSON.") from exc


def _describe_limit(error: HttpRateLimited) -> str:
    """Return whose limit rejected a request, and when to call again."""
    again = "call again later" if error.retry_after_s is None else f"call again in {ceil(error.retry_after_s)} s"
    if error.status is None:
        return f"This server's own limit of requests to the exchange has no slot before the deadline; {again}."
    return f"The exchange limits the rate of requests; {again}."


async def fetch_pages(
    iss: Http, path: str, pages: Pages, query: Query, progress: Progress = ignore_progress
) -> list[Row]:
    """Return all rows of a paginated block, and report each page to *progress*.

    Raises the errors of `fetch_blocks`.
    """
    block, found = pages.block, list[Row]()
    for _ in range(MAX_PAGES):
        document = await fetch_blocks(
            iss, path, {block: pages.columns, f"{block}.cursor": CURSOR}, {**query, "start": len(found)}
        )
        more, total = read_rows(document, block, pages.needed), read_total(document, block)
        if found and more[:1] == found[:1]:
            raise IssBadResponse(f"The exchange sends the first page of {block} repeatedly.")
        found += more
        if len(found) > MAX_PAGES * pages.length:
            break
        await progress(len(found), total, f"{len(found)} rows of {block}")
        if len(more) < pages.length if total is None else len(found) >= total:
            return found
        if not more:
            raise IssBadResponse(f"The exchange's block {block} ends before all of its {total} rows.")
    raise IssBadResponse(f"The exchange's block {block} does not end.")


def check_names(ticker: str, board: str) -> None:
    """Raise InvalidTicker unless both are safe in a path."""
    if not NAME.fullmatch(ticker) or not NAME.fullmatch(board):
        raise unknown_security(ticker, board)


def unknown_security(ticker: str, board: str) -> InvalidTicker:
    """Return the error of a security that the exchange does not know."""
    return InvalidTicker(f"The exchange knows no {ticker} on the board {board}.", ticker=ticker, board=board)
