import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import CallToolResult, TextContent
from rich.console import Console

from sandbox.demo.answers import MAX_CHARS, Answer, read_answer, read_protocol_error
from sandbox.demo.calls import RecordedCall
from sandbox.demo.report import build_block, summarise
from sandbox.market import Market
from sandbox.seeded_random import SEED
from sandbox.tradestream.signals import signal_rows
from sandbox.tradestream.strategies import find_signalling_strategy, generate_implementations
from tests.contracts.reading import load, server_files

TOOLS = sorted(tool["name"] for path in server_files() for tool in load(path)["tools"])


def result(body: dict[str, Any], *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=json.dumps(body))], is_error=is_error)


def recorded(kind: str, expected: str, *, cached: bool | None = None) -> RecordedCall:
    answer = Answer(kind=kind, summary="", body={})
    return RecordedCall(
        purpose="a purpose", call="tool()", latency_ms=1.0, answer=answer, cached=cached, expected=expected
    )


def test_a_result_is_summed_up_in_a_line_of_names_and_fields() -> None:
    items = [{"name": "MACD_CROSSOVER", "score": 1.5}, {"name": "RSI_EMA", "score": 1.25}]
    answer = read_answer(result({"data": {"items": items, "pagination": {"total": 2}}, "_metadata": {"cached": True}}))
    assert answer.kind == "result"
    assert answer.summary == "items MACD_CROSSOVER RSI_EMA, pagination total 2"


def test_metrics_come_before_what_they_were_computed_from() -> None:
    bars = [{"ts": "2026-06-01T00:00:00+03:00", "close": 127.4}]
    answer = read_answer(result({"metadata": {}, "data": bars, "metrics": {"total_return_pct": 1.5}}))
    assert answer.summary == "metrics total_return_pct 1.5, data 2026-06-01T00:00:00+03:00"


def test_a_long_answer_loses_its_last_words_and_no_part_of_one() -> None:
    words = [f"word{number}" for number in range(100)]
    answer = read_answer(result({"data": {"text": " ".join(words)}}))
    assert MAX_CHARS - 10 < len(answer.summary) <= MAX_CHARS
    assert set(answer.summary.split()) <= {"text", *words, "…"}


def test_an_answer_that_must_repeat_another_one_has_its_data() -> None:
    one, two = (read_answer(result({"data": {"decision_id": name}})) for name in ("a", "b"))
    for answer, kept in ((one, True), (two, False)):
        call = replace(recorded("result", "result"), answer=answer, repeats=one)
        assert call.is_expected == kept


def test_an_error_is_its_code_and_its_message() -> None:
    answer = read_answer(
        result({"error": {"code": "INVALID_PARAMETER", "message": "No.", "details": {}}}, is_error=True)
    )
    assert (answer.kind, answer.summary) == ("INVALID_PARAMETER", "No.")


def test_an_error_of_the_moex_dialect_is_read_too() -> None:
    error = {"error_type": "NO_DATA", "message": "Nothing."}
    answer = read_answer(result({"metadata": {}, "data": None, "error": error}, is_error=True))
    assert (answer.kind, answer.summary) == ("NO_DATA", "Nothing.")


def test_a_protocol_error_is_its_number() -> None:
    assert read_protocol_error(MCPError(code=-32602, message="Unknown tool: x")).kind == "-32602"


@pytest.mark.parametrize(
    "shown, kept",
    [
        (recorded("result", "result"), True),
        (recorded("result", "result fresh", cached=False), True),
        (recorded("result", "result fresh", cached=True), False),
        (recorded("result", "result cached", cached=True), True),
        (recorded("result", "result cached", cached=False), False),
        (recorded("NO_DATA", "result"), False),
        (recorded("NO_DATA", "NO_DATA"), True),
    ],
)
def test_a_promise_is_the_kind_of_an_answer_and_its_freshness(shown: RecordedCall, *, kept: bool) -> None:
    assert shown.is_expected == kept


def test_a_broken_promise_is_marked_in_its_row_and_named_at_the_end() -> None:
    console = Console(width=200)
    with console.capture() as captured:
        console.print(build_block("strategy-mcp", [recorded("NO_DATA", "result")]))
        console.print(summarise([recorded("NO_DATA", "result"), recorded("result", "result")]))
    printed = captured.get()
    assert re.search(r"^NO +a purpose", printed, re.MULTILINE)
    assert "1 of 2 answers are not as promised" in printed
    assert "tool(): promised result, got NO_DATA" in printed


def test_the_strategy_whose_signal_the_demo_shows_has_a_current_one_at_any_time() -> None:
    (strategy,) = (
        each
        for each in generate_implementations(SEED)
        if str(each.strategy_id) == find_signalling_strategy(SEED, "BTC/USD")
    )
    market, start = Market(SEED), datetime(2026, 1, 1, tzinfo=UTC)
    for hours in range(0, 7 * 24, 31):
        now = start + timedelta(hours=hours)
        assert max(row[-1] for row in signal_rows(strategy, market, now)) > now - timedelta(hours=24)


def test_the_demo_calls_every_tool_and_every_answer_is_as_promised() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sandbox.demo", "--all"], capture_output=True, encoding="utf-8", timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every answer as promised" in done.stdout
    assert "\x1b" not in done.stdout
    assert [tool for tool in TOOLS if f"{tool}(" not in done.stdout] == []
    assert {"hit", "miss"} <= set(done.stdout.split())


def test_the_story_has_about_fifteen_calls_in_lines_of_the_width_of_a_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sandbox.demo"], capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert 12 <= sum(line.startswith("ok ") for line in lines) <= 16
    assert any(line.strip().startswith("48 candles, ") for line in lines)
    assert sum(line.endswith(" hit ") for line in lines) == 2, "one of TradeStream's dialect, one of MOEX's"
    assert max(map(len, lines)) <= 100
