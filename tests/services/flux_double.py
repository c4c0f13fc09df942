"""Stand in for InfluxDB 2.x: `POST /api/v2/query`, `GET /ping` and annotated CSV.

InfluxData's parser reads the Flux; the few functions that the candle queries use are done here, after InfluxData's
documentation of each. It shows that the client and the texts fit together, and not that an InfluxDB agrees.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiohttp import web

from tests.services.candles import Candle
from tests.services.flux_engine import Flux, RefusedError, Stream
from tests.services.flux_parser import FluxParser

TOKEN = "a-token"
TYPES = {str: "string", float: "double", int: "long", datetime: "dateTime:RFC3339"}


@dataclass
class FluxDouble:
    """The buckets, and the queries received."""

    parser: FluxParser
    buckets: dict[str, list[Candle]] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    """Every text so far."""
    fault: Callable[[web.Request], Any] | None = None
    """Answers in the place of the double."""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one query."""
        if self.fault is not None:
            given: web.StreamResponse = await self.fault(request)
            return given
        if request.headers.get("Authorization") != f"Token {TOKEN}":
            return web.json_response({"code": "unauthorized", "message": "unauthorized access"}, status=401)
        text = (await request.json())["query"]
        self.queries.append(text)
        if not self.parser.accepts(text):
            return web.json_response({"code": "invalid", "message": "compilation failed"}, status=400)
        try:
            return web.Response(text=annotated(Flux(self.buckets).run(self.parser.tree(text))), content_type="text/csv")
        except RefusedError as error:
            status = 404 if "bucket" in str(error) else 400
            return web.json_response({"code": "invalid", "message": str(error)}, status=status)


@asynccontextmanager
async def serving(double: FluxDouble, port: int = 0) -> AsyncIterator[str]:
    """Give the URL of *double* on loopback."""
    application = web.Application()
    application.router.add_post("/api/v2/query", double.answer)
    application.router.add_get("/ping", _pong)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def _pong(_request: web.Request) -> web.Response:
    return web.Response(status=204)


def annotated(results: dict[str, Stream]) -> str:
    """The tables as annotated CSV, with the annotations that the source asks for."""
    lines: list[str] = []
    for name, stream in results.items():
        for number, table in enumerate(table for table in stream if table.rows):
            columns = list(table.rows[0])
            types = [TYPES[type(table.rows[0][column])] for column in columns]
            lines += [
                ",".join(["#datatype", "string", "long", *types]),
                ",".join(["#group", "false", "false", *(str(column in table.key).lower() for column in columns)]),
                ",".join(["#default", name, "", *("" for _ in columns)]),
                ",".join(["", "result", "table", *columns]),
                *(",".join(["", "", str(number), *(_text(row[column]) for column in columns)]) for row in table.rows),
                "",
            ]
    return "".join(f"{line}\r\n" for line in lines)


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)
