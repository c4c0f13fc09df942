"""Draw the results of a server's tools: by their views, and by their output schemas."""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path

import pytest
from rich.console import Console

from tests.codegen.cli.terminal import terminal
from tests.toolaccord.process import ROOT
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.call.plots.charts import Plan
from toolaccord_codegen.cli.call.plots.drawing import draw
from toolaccord_codegen.cli.call.plots.schemas import find_plan

DRAWN = f"{sys.executable} -m tests.codegen.cli.servers.drawn_server"
AT = ("call", "--command", DRAWN, "--plot")


@pytest.fixture(autouse=True)
def pipe_of_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "40")


async def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = await asyncio.to_thread(main, arguments)
    return status, *capsys.readouterr()


async def test_a_view_says_what_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, errors = await call(capsys, *AT, "get_candles")
    assert (status, errors) == (0, "")
    lines = output.splitlines()
    assert lines[0] == "Hours"
    assert "30 candles, 2026-11-28 09:00 UTC to 2026-11-29 14:00 UTC" in lines
    assert "from 100 to 102 (+2.00%), between 99 and 113" in lines
    assert "Closes" in lines
    drawn = [line for line in lines if line.startswith("⣀ ")]
    assert [line.split()[1] for line in drawn] == ["Low", "High", "Volume", "Close"]
    assert drawn[-1] == "⣀ Close (USD)  last 102, between 100 and 112"
    assert sum(line.startswith("2026-11-2") for line in lines) == 30, "a bar for each volume"
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in output, "a pipe has no colours"


async def test_colours_are_for_terminals_that_want_them() -> None:
    with terminal(*AT, "get_candles") as coloured:
        assert await coloured.end() == 0
    with terminal(*AT, "get_candles", NO_COLOR="1") as plain:
        assert await plain.end() == 0
    drawn, undrawn = (each.shown.partition("Hours")[2] for each in (coloured, plain))
    assert "\x1b[32m" in drawn
    assert "\x1b[31m" in drawn
    assert "\x1b[3" not in undrawn
    assert drawn.count("└") == 2, "curves share a chart if their colours tell them apart"
    assert undrawn.count("└") == 5


async def test_a_schema_is_drawn_without_a_view(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = await call(capsys, *AT, "get_account")
    lines = output.splitlines()
    assert status == 0
    assert "⣀ equity  last 1,361, between 1,000 and 1,361" in lines
    assert "⣀ drawdown  last -0.19, between -0.19 and 0" in lines
    assert lines.count("20 values, 2026-11-28 09:00 UTC to 2026-12-17 09:00 UTC") == 2
    assert "account_id" not in output


async def test_the_page_of_a_project_does_not_hinder_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = await call(capsys, *AT, "get_hours", "count=1")
    assert status == 0
    assert "1 candle, 2026-11-28 09:00 UTC to 2026-11-28 09:00 UTC" in output


async def test_nothing_is_called_that_cannot_be_drawn(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status, output, errors = await call(capsys, *AT, "get_name")
    assert (status, output) == (2, "")
    assert errors.endswith(
        ": --plot has nothing to draw: get_name has no view, and an output schema without a list of dates and numbers\n"
    )
    _, _, errors = await call(capsys, *AT, "get_broken")
    assert errors.endswith(": ui://drawn/broken is a view of a form that --plot does not know\n")
    _, _, errors = await call(capsys, *AT, "--json", "get_candles")
    assert errors.endswith(": --json and --plot are two forms of an answer; give one\n")
    monkeypatch.setenv("COLUMNS", "39")
    _, _, errors = await call(capsys, *AT, "get_candles")
    assert errors.endswith(": --plot needs 40 columns, and the terminal has 39\n")


def test_a_terminal_without_utf_8_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "output").open("wb") as file:
        monkeypatch.setattr(sys, "stdout", TextIOWrapper(file, encoding="latin-1"))
        assert main([*AT, "get_candles"]) == 2
    assert capsys.readouterr().err.endswith(": --plot needs UTF-8, and standard output has latin-1\n")


async def test_a_result_without_values_is_printed_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, errors = await call(capsys, *AT, "get_candles", "count=0")
    assert (status, json.loads(output), errors) == (0, {"items": []}, "nothing is drawn: the result has no candles\n")


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The zone of the machine."""
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "EST5EDT,M3.2.0,M11.1.0")
        time.tzset()
        yield
    time.tzset()


def plan(**members: object) -> Plan:
    found = find_plan({"type": "array", "items": {"properties": {"at": DATE_TIME, **members}}})
    assert found
    return found


DATE_TIME = {"type": "string", "format": "date-time"}
NUMBER = {"type": "number"}


def lines(*times: str) -> list[str]:
    """Return the lines of a curve at *times*."""
    (chart,) = plan(value=NUMBER).charts
    body = [{"at": at, "value": number} for number, at in enumerate(times)]
    console = Console(width=100)
    with console.capture() as captured:
        console.print(*draw(chart, body, (60, 6), has_colours=False))
    return captured.get().splitlines()


@pytest.mark.usefixtures("new_york")
def test_times_at_the_ends_of_the_calendar_are_drawn_or_left_out() -> None:
    assert "1 value, 2026-01-01 00:00 UTC+03:00 to 2026-01-01 00:00 UTC+03:00" in lines(
        "2026-01-01T00:00:00+03:00", "9999-12-31T23:59:59Z"
    )
    assert any(line.startswith("3 values, ") for line in lines("0001-01-01", "2026-01-01", "9999-12-31"))
    assert any(
        line.startswith("2 values, ") for line in lines("0001-01-01T00:00:00+03:00", "9999-12-31T23:59:59+03:00")
    )


@pytest.mark.usefixtures("new_york")
def test_times_without_a_zone_are_drawn_alike_on_every_machine() -> None:
    hours = [f"2026-03-08T{hour:02}:00:00" for hour in (1, 3, 5)]  # in New York, two hours and one
    days = [f"2026-01-{day:02}T00:00:00" for day in (1, 3, 5)]
    assert lines(*hours)[:7] == lines(*days)[:7]


def test_numbers_of_one_name_are_charts_of_their_own() -> None:
    inner = {"properties": {"value": NUMBER, "row_id": NUMBER}}
    found = plan(a=inner, b=inner, total=NUMBER)
    assert [(each.lines[0].pointer, each.lines[0].label) for each in found.charts] == [  # type: ignore[union-attr]
        ("/*/a/value", "a.value"),
        ("/*/b/value", "b.value"),
        ("/*/total", "total"),
    ]
