"""InfluxDB sources against a real server, a protocol double, and broken servers."""

import asyncio
import gzip
import sys
import threading
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
from aiohttp import web

from tests.services import endless, influxd
from tests.services.fetched import fetched
from tests.services.flux_double import TOKEN, FluxDouble, serving
from tests.services.flux_parser import FluxParser
from tests.services.influxd import Influxd
from toolaccord.sources import Pooled, PoolState
from toolaccord.sources.influxdb import Influxdb, InfluxdbError, InfluxdbSource, flux
from toolaccord.sources.influxdb.flux import FluxClient
from toolaccord.timing.clock import SystemClock
from toolaccord.timing.deadline import DeadlineExceeded, run_within

DECLARED = InfluxdbSource(
    name="influxdb",
    url="url",
    token="token",
    org="org",
    bucket="bucket",
    query_language="language",
    max_connections=5,
    idle_timeout_s=60,
    connection_timeout_s=3,
)
ONE = "SELECT close FROM candles"
FLUX = 'from(bucket: "candles") |> range(start: 1970-01-01T00:00:00Z, stop: 2030-01-01T00:00:00Z) |> last()'
CANDLE = ("ETH/USD", 60_000, 1.0, 3.0, 0.5, 2.0, 7.0)


def open_source(
    url: str, *, token: str = "", language: str = "influxql", declared: InfluxdbSource = DECLARED, **more: Any
) -> Influxdb:
    values = {"url": url, "token": token, "org": "org", "bucket": "candles", "language": language} | more
    return declared.open(values, SystemClock())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Influxd]:
    """A real InfluxDB of this module alone, to be stopped, killed and frozen."""
    with influxd.running(fetched("influxdb"), tmp_path_factory.mktemp("influxd")) as server:
        influxd.command(server.url, "CREATE DATABASE candles")
        influxd.write(server.url, "candles", [CANDLE])
        yield server


@pytest.fixture
async def influxdb(server: Influxd) -> AsyncIterator[Influxdb]:
    source = open_source(server.url)
    yield source
    await source.close()


# --- InfluxQL, on the real server ------------------------------------------------------------------------------------


async def test_the_rows_of_all_statements_are_returned_in_order(influxdb: Influxdb) -> None:
    await influxdb.start()
    text = f"{ONE}; SELECT close FROM nothing; SELECT count(close) AS total FROM candles GROUP BY *"
    assert await influxdb.query(text) == [
        {"time": 60_000, "close": 2},
        {"currency_pair": "ETH/USD", "time": 0, "total": 1},
    ]


async def test_an_invalid_query_is_a_failure(influxdb: Influxdb) -> None:
    with pytest.raises(InfluxdbError, match="error parsing query") as raised:
        await influxdb.query("SELEKT")
    assert raised.value.status == 400
    assert len(await influxdb.query(ONE)) == 1


async def test_an_error_inside_success_is_a_failure(server: Influxd, influxdb: Influxdb) -> None:
    elsewhere = open_source(server.url, bucket="elsewhere")
    with pytest.raises(InfluxdbError, match="database not found: elsewhere") as raised:
        await elsewhere.query(ONE)
    assert raised.value.status is None
    await elsewhere.close()
    with pytest.raises(InfluxdbError):
        await influxdb.query(f"{ONE}; SELECT first(close), close, last(close) FROM candles GROUP BY time(1m)")


async def test_an_answer_that_was_cut_short_is_a_failure(tmp_path: Path) -> None:
    with influxd.running(fetched("influxdb"), tmp_path, row_limit=2) as limited:
        influxd.command(limited.url, "CREATE DATABASE candles")
        influxd.write(limited.url, "candles", [("A/B", minute * 60_000, 1, 1, 1, 1, 1) for minute in range(3)])
        source = open_source(limited.url)
        assert len(await source.query(f"{ONE} LIMIT 2")) == 2
        with pytest.raises(InfluxdbError, match="cut the answer short"):
            await source.query(ONE)
        await source.close()


async def test_a_user_of_1x_authenticates_by_name_and_password(tmp_path: Path) -> None:
    with influxd.running(fetched("influxdb"), tmp_path, auth=True) as guarded:
        influxd.command(guarded.url, "CREATE USER reader WITH PASSWORD 'p:ss w@rd' WITH ALL PRIVILEGES")
        known = {"u": "reader", "p": "p:ss w@rd"}
        influxd.command(guarded.url, "CREATE DATABASE candles", **known)
        address = guarded.url.replace("//", "//reader:p%3Ass%20w%40rd@")
        for source in (open_source(guarded.url, token="reader:p:ss w@rd"), open_source(address)):
            assert await source.query(ONE) == []
            await source.close()
        for token in ("reader:wrong", "nobody:nothing", "a-token", ""):
            source = open_source(guarded.url, token=token)
            with pytest.raises(InfluxdbError) as raised:
                await source.query(ONE)
            assert raised.value.status == 401
            await source.close()


async def test_a_stopped_server_is_a_failure_at_once_and_the_next_query_works_after_its_restart(
    server: Influxd,
) -> None:
    warm, cold = open_source(server.url), open_source(server.url)
    assert len(await warm.query(ONE)) == 1
    server.stop()
    try:
        for source in (warm, cold, warm):
            with pytest.raises(InfluxdbError):
                await source.query(ONE)
            with pytest.raises(InfluxdbError):
                await source.start()
            with pytest.raises(InfluxdbError):
                await source.check()
    finally:
        server.start()
    for source in (warm, cold):
        await source.check()
        assert len(await source.query(ONE)) == 1
        await source.close()


async def test_a_server_killed_in_the_middle_of_a_query_is_a_failure_and_the_next_one_works(
    server: Influxd, influxdb: Influxdb
) -> None:
    await influxdb.query(ONE)
    with server.frozen():
        asking = asyncio.create_task(influxdb.query(ONE))
        await asyncio.sleep(0.05)
        assert not asking.done()
        server.kill()
        with pytest.raises(InfluxdbError):
            await asking
        server.start()
    assert len(await influxdb.query(ONE)) == 1


async def test_a_frozen_server_does_not_hold_its_caller_past_the_deadline(server: Influxd, influxdb: Influxdb) -> None:
    await influxdb.query(ONE)
    with server.frozen(), pytest.raises(DeadlineExceeded):
        await run_within(SystemClock(), 0.2, influxdb.query(ONE))
    assert len(await influxdb.query(ONE)) == 1


# --- the pool, and answers that no server gives, in both languages over HTTP ------------------------------------------

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LANGUAGES = pytest.mark.parametrize("language", ["influxql", "flux"])
EMPTY = {"influxql": '{"results":[{"statement_id":0}]}', "flux": ""}


@asynccontextmanager
async def answering(handler: Handler) -> AsyncIterator[str]:
    """The URL of a service that answers every query by *handler*."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@LANGUAGES
async def test_there_are_never_more_connections_than_declared(language: str) -> None:
    peers, now, most = set(), 0, 0

    async def handler(request: web.Request) -> web.Response:
        nonlocal now, most
        peers.add(request.transport and request.transport.get_extra_info("peername"))
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1
        return web.Response(text=EMPTY[language])

    async with answering(handler) as url:
        source = open_source(url, language=language)
        answers = await asyncio.gather(*(source.query("x") for _ in range(40)))
        await source.close()
    assert answers == [[]] * 40
    assert (most, len(peers)) == (5, 5)


@LANGUAGES
async def test_connections_in_use_are_counted(language: str) -> None:
    arrived, over = asyncio.Event(), asyncio.Event()

    async def handler(_: web.Request) -> web.Response:
        arrived.set()
        await over.wait()
        return web.Response(text=EMPTY[language])

    async with answering(handler) as url:
        source = open_source(url, language=language)
        assert isinstance(source, Pooled)
        assert source.pool_state() == PoolState(idle=None, in_use=0, limit=5)
        first = asyncio.create_task(source.query("x"))
        await arrived.wait()
        assert source.pool_state() == PoolState(idle=None, in_use=1, limit=5)
        over.set()
        await first
        assert source.pool_state() == PoolState(idle=None, in_use=0, limit=5)
        await source.close()


@LANGUAGES
async def test_an_exhausted_pool_is_a_failure_after_the_connection_timeout(language: str) -> None:
    over = asyncio.Event()

    async def handler(_: web.Request) -> web.Response:
        await over.wait()
        return web.Response(text=EMPTY[language])

    async with answering(handler) as url:
        source = open_source(
            url, language=language, declared=replace(DECLARED, max_connections=1, connection_timeout_s=0.2)
        )
        first = asyncio.create_task(source.query("x"))
        await asyncio.sleep(0.05)
        with pytest.raises(InfluxdbError, match=r"no connection within 0\.2 s"):
            await source.query("x")
        over.set()
        assert await first == []
        assert await source.query("x") == []
        await source.close()


@LANGUAGES
@pytest.mark.parametrize(
    "text", ["<html>", '{"results": 5}', '{"results": [{"series": [{"columns": ["a"], "values": [[1, 2]]}]}]}', "[]", "null", "#datatype,a\r\n,b,c\r\n", "\xff"]
)  # fmt: skip
async def test_an_answer_that_is_not_a_query_result_is_a_failure(language: str, text: str) -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=text.encode("latin-1"))

    async with answering(handler) as url:
        source = open_source(url, language=language)
        with pytest.raises(InfluxdbError):
            await source.query("x")
        await source.close()


@LANGUAGES
@pytest.mark.parametrize("status", [302, 404, 429, 500, 503])
async def test_an_error_status_is_reported_in_the_failure(language: str, status: int) -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(status=status, text='{"message": "no", "results": []}')

    async with answering(handler) as url:
        source = open_source(url, language=language)
        with pytest.raises(InfluxdbError) as raised:
            await source.query("x")
        assert raised.value.status == status
        await source.close()


@LANGUAGES
async def test_a_connection_that_breaks_in_the_middle_of_an_answer_is_a_failure_and_the_next_query_works(
    language: str,
) -> None:
    broken = True

    async def handler(request: web.Request) -> web.StreamResponse:
        if not broken:
            return web.Response(text=EMPTY[language])
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b"half")
        assert request.transport is not None
        request.transport.close()
        return response

    async with answering(handler) as url:
        source = open_source(url, language=language)
        with pytest.raises(InfluxdbError):
            await source.query("x")
        broken = False
        assert await source.query("x") == []
        await source.close()


ENDLESS = {"influxql": b'{"results":[{"statement_id":0}' + b",{}" * 20_000, "flux": b"#group,false\r\n" * 4000}


@LANGUAGES
@pytest.mark.parametrize("status", ["200 OK", "500 Internal Server Error"])
async def test_an_endless_answer_is_a_failure_and_its_connection_is_closed(language: str, status: str) -> None:
    async with endless.serving(f"HTTP/1.1 {status}\r\n\r\n".encode(), ENDLESS[language]) as there:
        source = open_source(there.url, language=language, declared=replace(DECLARED, max_response_bytes=1_000_000))
        message = "exceeds max_response_bytes of the source influxdb, 1000000 bytes" if "200" in status else "500"
        for fetch in (source.query("x"), source.check()):
            there.disconnected.clear()
            there.sent = 0
            with pytest.raises(InfluxdbError, match=message):
                await fetch
            await there.disconnected.wait()
            assert there.sent < 1_000_000 + endless.BUFFERED
        await source.close()


@LANGUAGES
async def test_a_compressed_answer_is_not_decoded_beyond_the_limit(language: str) -> None:
    bomb = gzip.compress(bytes(200_000_000), compresslevel=1)

    async def handler(request: web.Request) -> web.Response:
        if request.path == "/ping":
            return web.Response(status=204)
        return web.Response(body=bomb, headers={"Content-Encoding": "gzip"})

    async with answering(handler) as url:
        source = open_source(url, language=language, declared=replace(DECLARED, max_response_bytes=1_000_000))
        await source.start()
        tracemalloc.start()
        try:
            with pytest.raises(InfluxdbError, match="exceeds max_response_bytes"):
                await source.query("x")
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        await source.close()
    assert most < 20_000_000


@LANGUAGES
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_no_redirect_is_followed_and_no_other_host_sees_the_token(language: str, status: int) -> None:
    seen: list[web.Request] = []

    async def foreign(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response(text=EMPTY[language])

    async with answering(foreign) as elsewhere:

        async def handler(request: web.Request) -> web.Response:
            return web.Response(status=status, headers={"Location": f"{elsewhere}{request.path_qs}"})

        async with answering(handler) as url:
            source = open_source(url, language=language, token="a-token")
            for fetch in (source.query("x"), source.check()):
                with pytest.raises(InfluxdbError, match="no redirect is followed") as raised:
                    await fetch
                assert raised.value.status == status
            await source.close()
    assert not seen


@LANGUAGES
async def test_a_source_that_never_connected_can_be_closed(language: str) -> None:
    source = open_source("http://127.0.0.1:1", language=language)
    await source.close()
    assert isinstance(source, Pooled)
    assert source.pool_state().in_use == 0


@LANGUAGES
async def test_each_query_carries_the_token(language: str) -> None:
    async def handler(request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "Token a-token"
        return web.Response(text=EMPTY[language])

    async with answering(handler) as url:
        source = open_source(url, language=language, token="a-token")
        assert await source.query("x") == []
        await source.close()


async def test_influxql_puts_all_parameters_in_the_url_and_requests_json_and_milliseconds() -> None:
    async def handler(request: web.Request) -> web.Response:
        assert (request.method, request.path, await request.read()) == ("GET", "/query", b"")
        assert dict(request.query) == {"db": "candles", "q": "SELECT 'ü'; x", "epoch": "ms"}
        assert request.headers["Accept"] == "application/json"
        return web.json_response({"results": [{"statement_id": 0, "series": []}]})  # no data, in the form of 3.x

    async with answering(handler) as url:
        source = open_source(url)
        assert await source.query("SELECT 'ü'; x") == []
        await source.close()


# --- Flux, against a protocol double -----------------------------------------------------------------------------------


async def test_flux_rows_have_times_and_numbers(flux_parser: FluxParser) -> None:
    async with serving(FluxDouble(flux_parser, {"candles": [CANDLE]})) as url:
        source = open_source(url, token=TOKEN, language="flux")
        await source.start()
        rows = await source.query(f'{FLUX} |> keep(columns: ["_time", "_field", "_value"])')
        await source.close()
    assert {row["_field"]: row["_value"] for row in rows} == dict(open=1, high=3, low=0.5, close=2, volume=7)  # noqa: C408
    assert {row["_time"].timestamp() for row in rows} == {60}


@pytest.mark.parametrize(
    "token, text, status",
    [(TOKEN, "from(", 400), (TOKEN, FLUX.replace("candles", "elsewhere"), 404), ("wrong", FLUX, 401), ("", FLUX, 401)],
)
async def test_a_rejected_query_is_a_failure_with_the_reason(
    flux_parser: FluxParser, token: str, text: str, status: int
) -> None:
    async with serving(FluxDouble(flux_parser, {"candles": [CANDLE]})) as url:
        source = open_source(url, token=token, language="flux")
        with pytest.raises(InfluxdbError) as raised:
            await source.query(text)
        await source.close()
    assert raised.value.status == status


async def test_an_error_inside_flux_success_is_a_failure() -> None:
    body = "#datatype,string,string\r\n#group,true,true\r\n#default,,\r\n,error,reference\r\n,runtime error: out of memory,897\r\n"  # fmt: skip

    async def handler(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type="text/csv")

    async with answering(handler) as url:
        source = open_source(url, language="flux")
        with pytest.raises(InfluxdbError, match="out of memory"):
            await source.query("x")
        await source.close()


HEAD = (
    "#datatype,string,long,{kind}\r\n#group,false,false,false\r\n#default,_result,,{default}\r\n,result,table,value\r\n"
)


async def flux_rows(body: str) -> list[dict[str, Any]]:
    """Return the rows that a source reads from *body*."""

    async def handler(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type="text/csv")

    async with answering(handler) as url:
        source = open_source(url, language="flux")
        try:
            return await source.query("x")
        finally:
            await source.close()


async def test_flux_values_have_the_types_of_their_columns() -> None:
    tables = [
        ("boolean", "", "true", True),
        ("boolean", "", "false", False),
        ("long", "", "-9", -9),
        ("unsignedLong", "", "18446744073709551615", 18446744073709551615),
        ("double", "", "1e-3", 0.001),
        ("double", "2.5", "", 2.5),
        ("double", "", "", None),
        ("string", "", "naïve, ☃", "naïve, ☃"),
        ("dateTime:RFC3339", "", "2026-11-21T12:00:00+03:00", datetime(2026, 11, 21, 9, tzinfo=UTC)),
        ("dateTime:RFC3339Nano", "", "2026-11-21T09:00:00.000001999Z", datetime(2026, 11, 21, 9, 0, 0, 1, tzinfo=UTC)),
    ]
    body = "\r\n".join(
        f'{HEAD.format(kind=kind, default=default)},,7,"{text}"\r\n' for kind, default, text, _ in tables
    )
    expected = [{"result": "_result", "table": 7, "value": value} for *_, value in tables]
    assert await flux_rows(body) == expected


@pytest.mark.parametrize(
    "kind, text",
    [
        ("double", "much"),
        ("double", "NaN"),
        ("double", "+Inf"),
        ("double", "1e999"),
        ("long", "1.5"),
        ("long", "9" * 5000),
        ("dateTime:RFC3339", "2026-02-30T00:00:00Z"),
        ("dateTime:RFC3339", "2026-11-21T12:00:00"),
        ("dateTime:RFC3339", "20000-01-01T00:00:00Z"),
        ("string", "x" * 200_000),
        ("duration", "1h"),
    ],
)
async def test_a_flux_value_of_another_type_is_a_failure(kind: str, text: str) -> None:
    with pytest.raises(InfluxdbError, match="not annotated CSV"):
        await flux_rows(f"{HEAD.format(kind=kind, default='')},,0,{text}\r\n")


async def test_an_error_after_the_first_rows_of_flux_is_a_failure() -> None:
    rows = f"{HEAD.format(kind='long', default='')},,0,1\r\n\r\n"
    for error in (",error,reference\r\n,out of memory,897\r\n", ",error,reference\r\n"):
        with pytest.raises(InfluxdbError, match="the query failed"):
            await flux_rows(rows + error)


async def test_a_stopped_flux_server_is_a_failure_and_the_next_query_works_after_its_restart(
    flux_parser: FluxParser,
) -> None:
    double = FluxDouble(flux_parser, {"candles": [CANDLE]})
    async with serving(double) as url:
        source = open_source(url, token=TOKEN, language="flux")
        assert len(await source.query(FLUX)) == 5
    for _ in range(2):
        with pytest.raises(InfluxdbError):
            await source.query(FLUX)
        with pytest.raises(InfluxdbError):
            await source.check()
    async with serving(double, int(url.rpartition(":")[2])):
        await source.check()
        assert len(await source.query(FLUX)) == 5
        await source.close()


@pytest.mark.parametrize("language", ["influxql", "flux"])
@pytest.mark.parametrize("place", ["[::1", "127.0.0.1:notaport", "127.0.0.1:99999", f"{'a' * 64}.example"])
async def test_an_invalid_address_is_a_failure_of_the_source(place: str, language: str) -> None:
    source = open_source(f"http://{place}", language=language)
    for _ in range(2):
        with pytest.raises(InfluxdbError):
            await source.query(ONE)
    await source.close()


async def test_a_query_waits_for_a_parser_that_another_one_is_loading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    gate = ModuleType("gate")
    monkeypatch.setitem(sys.modules, "gate", gate)
    vars(gate).update(begun=begun, go_on=go_on)
    code = "import gate\ngate.begun.set()\ngate.go_on.wait()\nis_complete = True\n"
    (tmp_path / "slow_parser.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(flux, "_PARSER", "slow_parser")
    client = cast("FluxClient", open_source("http://127.0.0.1:1", language="flux"))
    first = asyncio.create_task(client._load_parser())
    await asyncio.to_thread(begun.wait)
    second = asyncio.create_task(client._load_parser())
    await asyncio.sleep(0)
    go_on.set()
    assert (await first).is_complete
    assert (await second).is_complete
    await client.close()
