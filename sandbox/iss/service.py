"""The HTTP service of the stand-in: one security of one board, as ISS serves it."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.iss.faults import fault
from sandbox.iss.shares import Share, board, marketdata_row, securities_row
from sandbox.iss.tables import Row, tables

MOSCOW = timezone(timedelta(hours=3), "MSK")
SECURITY = "/iss/engines/stock/markets/shares/boards/{board}/securities/{ticker}.json"


def application(now: Callable[[], datetime]) -> Starlette:
    """The service, whose clock is *now* (aware)."""

    async def security(request: Request) -> Response:
        ticker = request.path_params["ticker"]
        if (misbehaviour := await fault(ticker, request)) is not None:
            return misbehaviour
        share = board().shares.get(ticker) if request.path_params["board"] == board().name else None
        blocks = _blocks(share, now().astimezone(MOSCOW))
        return JSONResponse(tables(blocks, request.query_params, ticker))

    return Starlette(routes=[Route(SECURITY, security)])


def _blocks(share: Share | None, moscow: datetime) -> dict[str, tuple[list[str], list[Row]]]:
    """Columns and rows of each block; an unknown security has the columns and no rows, with status 200."""
    example = share or next(iter(board().shares.values()))
    securities, marketdata = securities_row(example, moscow), marketdata_row(example, moscow)
    version = {"data_version": 7925, "seqnum": int(f"{moscow:%Y%m%d%H%M%S}")}
    return {
        "securities": (list(securities), [securities] if share else []),
        "marketdata": (list(marketdata), [marketdata] if share else []),
        "dataversion": (list(version), [version]),
        "marketdata_yields": (["boardid", "secid"], []),
    }
