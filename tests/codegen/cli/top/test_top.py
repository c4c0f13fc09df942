"""Watch servers that run: one on sample data, one with a token, and one that goes away."""

import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from io import StringIO

import pytest
import pytest_asyncio
from rich.console import Console, RenderableType

from tests.codegen.cli.servers.test_call import Shell
from tests.codegen.cli.terminal import terminal
from tests.toolaccord.listener import Listener, listening
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.top.command import watch
from toolaccord_codegen.cli.top.scraping import parse_target

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def market() -> AsyncIterator[Listener]:
    async with listening("--sandbox", module="generated.tradestream.market_data") as running:
        yield running


def address(listener: Listener) -> str:
    return f"http://127.0.0.1:{listener.port}"


async def call(listener: Listener, **arguments: object) -> None:
    await listener.client.post("/mcp/tools/get_candles", json=arguments)


async def tables(urls: Sequence[str], *waits: Callable[[], Awaitable[None]], width: int = 80) -> list[str]:
    """Return what `top` shows at first and after each of the *waits* between two looks."""
    console = Console(file=StringIO(), width=width, height=25, color_system=None)
    shown: list[str] = []

    def show(table: RenderableType) -> None:
        with console.capture() as captured:
            console.print(table)
        shown.append(captured.get())

    left = list(waits)

    async def wait(_seconds: float) -> None:
        if not left:
            raise EOFError
        await left.pop(0)()

    with pytest.raises(EOFError):
        await watch([parse_target(url, None) for url in urls], 2.0, console, show=show, wait=wait)
    return shown


async def test_a_table_has_the_calls_between_two_looks_their_errors_and_the_sources(market: Listener) -> None:
    async def use() -> None:
        for _ in range(3):
            await call(market, symbol="ETH/USD", limit=7)
        await call(market, symbol="nonsense")

    async def rest() -> None:
        pass

    first, busy, idle = await tables([address(market)], use, rest)
    assert first == "the first figures come in 2 s\n"
    row = re.search(r"^get_candles +(\S+) +(\S+ m?s) +(\S+ m?s) +(\S+) +(\d+)%$", busy, re.MULTILINE)
    assert row, busy
    calls, errors = float(row[1]), float(row[4])
    assert errors == pytest.approx(calls / 4, rel=0.02)
    assert row[5] == "67"
    assert re.search(r"^ +\S+  INVALID_SYMBOL +get_candles *$", busy, re.MULTILINE)
    assert re.search(r"^influxdb  0 of \d+ +closed *$", busy, re.MULTILINE)
    assert max(map(len, busy.splitlines())) <= 80
    assert re.search(r"^get_candles +0 *$", idle, re.MULTILINE)
    assert "INVALID_SYMBOL" not in idle


async def test_a_narrow_terminal_keeps_names_and_calls(market: Listener) -> None:
    async def use() -> None:
        await call(market, symbol="ETH/USD")

    _, shown = await tables([address(market)], use, width=40)
    assert max(map(len, shown.splitlines())) <= 40
    assert re.search(r"^get_candles( +\S+ m?s| +[\d.]+){3} *$", shown, re.MULTILINE)


async def test_a_narrow_terminal_drops_columns_without_a_figure_first(market: Listener) -> None:
    async def use() -> None:
        await call(market, symbol="ETH/USD", limit=7)
        await call(market, symbol="ETH/USD", limit=7)

    _, shown = await tables([address(market)], use, width=56)
    assert max(map(len, shown.splitlines())) <= 56
    assert "cached" in shown
    assert "flight" not in shown


async def test_a_server_that_goes_away_is_named_and_awaited_while_others_go_on(market: Listener) -> None:
    async with listening() as other:
        port = other.port

        async def stop() -> None:
            await call(market, symbol="ETH/USD")
            other.process.signal(signal.SIGTERM)
            await other.process.exit_code()

        async def come_back() -> None:
            await stack.enter_async_context(listening("--port", str(port)))

        async def rest() -> None:
            pass

        async with AsyncExitStack() as stack:
            _, away, back, both = await tables([address(market), address(other)], stop, come_back, rest)
    assert re.search(rf"^127\.0\.0\.1:{port} does not answer: .+; waiting for it$", away, re.MULTILINE)
    assert re.search(r"^get_candles +[\d.]+ ", away, re.MULTILINE)
    for shown in (back, both):
        assert "does not answer" not in shown
        assert re.search(rf"^127\.0\.0\.1:{port} +0 *$", shown, re.MULTILINE)


async def test_one_table_is_printed_in_a_pipe_and_of_several_servers_one_may_be_missing(
    shell: Shell, market: Listener
) -> None:
    at = f"{address(market)}/mcp"
    status, output, errors = await shell("top", at, "http://127.0.0.1:1/metrics", "--interval", "0.1")
    assert (status, errors) == (0, "")
    assert output.splitlines()[0].endswith(", the last 0.1 s")
    assert "\x1b" not in output
    assert "127.0.0.1:1 does not answer" in output
    assert re.search(r"^all ", output, re.MULTILINE)


async def test_a_server_without_metrics_is_a_sentence(shell: Shell, market: Listener) -> None:
    assert await shell.fault("top", "http://127.0.0.1:1") == (
        "http://127.0.0.1:1/metrics does not answer: All connection attempts failed"
    )
    assert (
        await shell.fault("top", "localhost:8000") == "localhost:8000 is no URL of a server, e.g. http://localhost:8000"
    )
    assert await shell.fault("top", f"{address(market)}/elsewhere") == (
        f"{address(market)}/elsewhere/metrics answered with the HTTP status 404"
    )


async def test_a_token_comes_from_the_environment(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {"MCP_AUTH_TOKEN": "the-right-token", "MCP_OPEN_PATHS": "none"}
    monkeypatch.setenv("BOOKS_TOKEN", "the-right-token")
    async with listening(environ=environ) as books:
        fault = await shell.fault("top", address(books))
        assert fault.endswith(" wants a token (401): --token-env NAME sends the one in a variable")
        status, output, _ = await shell("top", address(books), "--token-env", "BOOKS_TOKEN", "--interval", "0.1")
    assert (status, "127.0.0.1:" in output) == (0, True)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon", "0.01"])
async def test_an_interval_is_a_number_of_seconds(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["top", "http://localhost:8000", "--interval", seconds])
    assert ended.value.code == 2
    assert "is no number of seconds from 0.1 to 86400" in " ".join(capsys.readouterr().err.split())


async def test_a_terminal_shows_one_table_after_another_until_ctrl_c(market: Listener) -> None:
    with terminal("top", address(market), "--interval", "0.1") as person:
        await person.shows("the last 0.1 s")
        await person.shows("\x1b[32mclosed")
        seen = len(re.findall("the last", person.shown))
        while len(re.findall("the last", person.shown)) <= seen:
            await person.shows_more()
        await person.press_ctrl_c()
        assert await person.end() == 0
    assert "\x1b[?1049l" in person.shown  # the terminal has its own screen back, and the last table below
    assert "influxdb" in person.shown.rpartition("\x1b[?1049l")[2]


async def test_no_color_leaves_colours_out(market: Listener) -> None:
    with terminal("top", address(market), "--once", "--interval", "0.1", NO_COLOR="1") as person:
        assert await person.end() == 0
    assert "influxdb" in person.shown
    assert re.search("\x1b\\[[0-9;]*3[0-9]", person.shown) is None
