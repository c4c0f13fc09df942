"""Tickers that make the stand-in misbehave, so that a test or a demo can ask for a fault through any client.

========== ==================================================================
HTTP500    the status 500; likewise every HTTPnnn from HTTP400 to HTTP599
SLOW       nothing for SLOW_S seconds, or until the caller hangs up
BROKENJSON a JSON text that ends too early
NOTJSON    an HTML page with status 200
ERRORBLOCK an error inside HTTP 200, in the extended format
NOBLOCKS   an empty JSON object
ABSURD     prices near the greatest number there is, whose differences are beyond it
========== ==================================================================
"""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

SLOW_S = 30.0
"""How long SLOW keeps its caller waiting: longer than any deadline of a tool that reads the exchange."""

Answer = Callable[[Request], Awaitable[Response]]


async def _slow(request: Request) -> Response:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SLOW_S):
            while (await request.receive())["type"] != "http.disconnect":
                pass
    return JSONResponse({})


async def _broken_json(_request: Request) -> Response:
    return Response('{"securities": {"columns": ["SECID", ', media_type="application/json")


async def _not_json(_request: Request) -> Response:
    return HTMLResponse("<!DOCTYPE html><html><body><h1>Maintenance</h1></body></html>")


async def _error_block(_request: Request) -> Response:
    error = {"error": "Error while acquiring data."}
    return JSONResponse([{"charsetinfo": {"name": "utf-8"}}, {"securities": [error]}])


async def _no_blocks(_request: Request) -> Response:
    return JSONResponse({})


async def _absurd(_request: Request) -> Response:
    greatest = 1.7e308
    unknown = dict.fromkeys(("LCURRENTPRICE", "MARKETPRICE", "CHANGE", "LASTTOPREVPRICE", "VOLTODAY", "VALTODAY"))
    prices = {"OPEN": 1.0, "HIGH": greatest, "LOW": -greatest, "LAST": greatest, "SYSTIME": "2026-11-20 12:00:00"}
    rows = {
        "securities": {"SECID": "ABSURD", "BOARDID": "TQBR", "PREVPRICE": -greatest, "DECIMALS": 2},
        "marketdata": unknown | prices,
    }
    return JSONResponse({name: {"columns": list(row), "data": [list(row.values())]} for name, row in rows.items()})


FAULTS: dict[str, Answer] = {
    "SLOW": _slow,
    "BROKENJSON": _broken_json,
    "NOTJSON": _not_json,
    "ERRORBLOCK": _error_block,
    "NOBLOCKS": _no_blocks,
    "ABSURD": _absurd,
}


async def fault(ticker: str, request: Request) -> Response | None:
    """The misbehaviour that *ticker* stands for; None for an honest ticker."""
    if (status := re.fullmatch("HTTP([45][0-9]{2})", ticker)) is not None:
        return HTMLResponse(f"<html><body>{status[1]}</body></html>", status_code=int(status[1]))
    answer = FAULTS.get(ticker)
    return None if answer is None else await answer(request)
