"""The sandbox's Guardian, as a process with real sockets and files."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zmq

from sandbox import guardian as sandbox_guardian
from sandbox.guardian import METRICS, STATUS, Guardian
from sandbox.guardian.s_expressions import parse, to_mapping
from sandbox.guardian.status_files import StatusFiles
from tests.contracts.reading import ROOT
from tests.services.guardian import Peer
from tests.toolaccord.process import PATIENCE_S

STRATEGY = '(name . "Cross-1") (sma_short . 10) (sma_long . 30) (sl . 0.5) (tp . 1) (volume . 0.01)'
FILE = '(data_id . ("d1")) (candles_file . ("data/USDJPY.csv"))'
YEAR_2025 = "(start_time . (1735689600)) (end_time . (1767225600))"
LISP_EPOCH_S = 2_208_988_800

SERVE = """
import time
from sandbox.guardian import serve
with serve() as guardian:
    print(guardian.folder, flush=True)
    time.sleep(600)
"""


def request(*members: str, strategy: str = STRATEGY, request_id: str = "r1") -> str:
    """Return the text of a request."""
    given = " ".join(members)
    return (
        f'((action . "BACKTEST") (symbol . "USDJPY") (strategy . ({strategy})) {given} (request_id . "{request_id}"))'
    )


@pytest.fixture(scope="module")
def guardian() -> Iterator[Guardian]:
    with sandbox_guardian.serve() as guardian:
        yield guardian


@pytest.fixture(scope="module")
def peer(guardian: Guardian) -> Iterator[Peer]:
    with zmq.Context() as context:
        peer = Peer(guardian, context)
        yield peer
        peer.close()


def run(peer: Peer, *members: str, **options: str) -> dict[str, Any]:
    """Send a request and return its result."""
    peer.send(request(*members, **options))
    return peer.receive()


def test_a_backtest_has_a_result_under_its_request_id(peer: Peer) -> None:
    result = run(peer, FILE, YEAR_2025, "(timeframe . (60))")
    assert list(result) == ["strategy_name", "request_id", "sharpe", "trades", "profit_factor", "win_rate", "max_dd"]
    assert (result["strategy_name"], result["request_id"]) == ("Cross-1", "r1")
    assert result["trades"] > 0
    assert 0 <= result["win_rate"] <= 1
    assert 0 < result["max_dd"] < 1


def test_the_same_request_has_the_same_result_and_another_strategy_another_one(peer: Peer) -> None:
    one, again = run(peer, FILE, YEAR_2025), run(peer, FILE, YEAR_2025)
    other = run(peer, FILE, YEAR_2025, strategy=STRATEGY.replace("10", "12"))
    assert one == again
    assert (other["trades"], other["sharpe"]) != (one["trades"], one["sharpe"])


def test_trades_are_listed_on_request(peer: Peer) -> None:
    result = run(peer, FILE, YEAR_2025, "(include_trades . #t)")
    times: list[Any] = [to_mapping(each)["timestamp"] for each in result["trade_list"].items]
    assert len(times) == result["trades"]
    assert all(1735689600 <= each <= 1767225600 for each in times)


@pytest.mark.parametrize("indicator", ["sma", "ema", "rsi", "macd", "bb", "stoch", "vwap", "keltner"])
def test_each_indicator_with_rules_trades(peer: Peer, indicator: str) -> None:
    result = run(peer, FILE, YEAR_2025, strategy=f"{STRATEGY} (indicator_type . {indicator})")
    assert result["trades"] > 0


def test_candles_of_a_file_are_read_only_with_a_data_id(peer: Peer) -> None:
    assert run(peer, '(candles_file . ("data/USDJPY.csv"))')["trades"] == 0


def test_the_requests_own_candles_are_used_within_its_times(peer: Peer) -> None:
    prices = [*range(100, 120), *range(120, 80, -1), *range(80, 130)]
    candles = " ".join(f"((t . {3600 * place}) (c . {price}))" for place, price in enumerate(prices))
    given, strategy = f"(candles . ({candles}))", STRATEGY.replace("10", "2").replace("30", "4")
    assert run(peer, given, strategy=strategy)["trades"] == 1
    assert run(peer, given, "(end_time . (7200))", strategy=strategy.replace("4", "2"))["trades"] == 0


@pytest.mark.parametrize(
    "text, request_id, sentence",
    [
        ('((action . "BACKTEST"))', "MISSING", "strategy: Field required."),
        (request()[:-1], "r1", "The S-expression cannot be read: the text is not one datum"),
        (request().replace('(request_id . "r1")', ""), "MISSING", "The request has no request_id."),
        (request(strategy='(name . "n")'), "r1", "strategy.sma_short: Field required."),
        (request("(timeframe . 60)"), "r1", "timeframe: Value error, an optional value is a list of at most one item."),
        (request("(timeframe . (1.5))"), "r1", "timeframe: Input should be a valid integer."),
        (request("(timeframe . (0))"), "r1", "timeframe: Input should be greater than or equal to 1."),
        (request("(candles . (((t . 0) (c . 0))))"), "r1", "candles.0.c: Input should be greater than 0."),
        (request("(start_time . (9223372036854775808))"), "r1", "start_time: Input should be less than"),
        (request("(include_trades . 1)"), "r1", "include_trades: Input should be a valid boolean."),
        (request("(data_id . (x))"), "r1", "data_id: Input should be a valid string."),
        (request(strategy=f'{STRATEGY} (indicator_type . "sma")'), "r1", "strategy.indicator_type: Value error, not a symbol."),
        (request('(request_id . "r2")'), "r2", "request: Value error, the key request_id occurs twice."),
        (request(FILE, strategy=f"{STRATEGY} (indicator_type . vpoc)"), "r1", "The sandbox has no rules"),
        (request('(data_id . ("XYZUSD_M1"))'), "r1", "The backtest cannot be run: there are no candles XYZUSD_M1."),
        (request(FILE.replace("USDJPY", "missing")), "r1", "The backtest cannot be run: there are no candles data/missing.csv."),
        (request(FILE, strategy=STRATEGY.replace("10", "0")), "r1", "The backtest cannot be run: SMA cannot look back"),
        (request(FILE, strategy=STRATEGY.replace("30", "9999")), "r1", "The backtest cannot be run: SMA looks back"),
    ],
)  # fmt: skip
def test_an_invalid_request_has_an_error_for_a_result(peer: Peer, text: str, request_id: str, sentence: str) -> None:
    peer.send(text)
    result = peer.receive()
    assert list(result) == ["strategy_name", "request_id", "sharpe", "error"]
    assert result["request_id"] == request_id
    assert str(result["error"]).startswith(sentence)


ORDERS = [
    '((type . "CLOSE") (symbol . "USDJPY") (magic . 1) (action . "BACKTEST"))',
    '((type . "ORDER_OPEN") (instrument . "EURUSD") (side . "BUY") (lot . 0.01))',
    "((action . close) (TYPE . GET_SWAP))",
    '((swimmy::type . "HEARTBEAT"))',
    '((:type "REQ_HISTORY"))',
    '((type . "x") (type . "CLOSE"))',
]
OTHERS = {
    b"{}": "unreadable",
    b"": "unreadable",
    b"(\xff)": "unreadable",
    b'((action . "CPCV_VALIDATE") (x . "BACKTEST"))': "validation",
    b"((action . train))": "unknown",
    b"((type . CLOSE)": "unknown",
}


def test_orders_and_other_messages_are_recorded_and_have_no_result(peer: Peer, guardian: Guardian) -> None:
    before = len(guardian.received())
    for message in (*map(str.encode, ORDERS), *OTHERS):
        peer.send(message)
    assert run(peer, request_id="after")["request_id"] == "after"
    received = guardian.received()[before:]
    assert [each["route"] for each in received] == ["order"] * len(ORDERS) + [*OTHERS.values(), "backtest"]
    assert [each["message"] for each in received[: len(ORDERS)]] == ORDERS


def test_each_result_is_written_to_the_status_file_before_it_is_published(peer: Peer, guardian: Guardian) -> None:
    run(peer, FILE, request_id="r7")
    now = datetime.now(UTC).timestamp() + LISP_EPOCH_S
    lines = Path(guardian.backtest_status_file).read_text(encoding="utf-8").splitlines()
    status = dict(line.split(": ") for line in lines)
    assert list(status) == [
        "timestamp",
        "count",
        "pending",
        "last_name",
        "last_sharpe",
        "last_trades",
        "last_request_id",
    ]
    assert (status["last_name"], status["last_request_id"]) == ("Cross-1", "r7")
    assert now - 3600 < int(status["timestamp"]) <= now


def test_the_status_and_the_metrics_of_the_system_have_the_real_form(tmp_path: Path) -> None:
    files = StatusFiles(tmp_path, started=0.0)
    files.write_system(now=86_400.0)
    assert (tmp_path / STATUS).read_text(encoding="utf-8") == (
        "TIME: 1970-01-02 09:00:00\nTICKS: 1\nEQUITY: 100000.00\nPNL: 0.00\nMT5: OFFLINE\n"
    )
    metrics = to_mapping(parse((tmp_path / METRICS).read_text(encoding="utf-8")))
    assert {key.removeprefix("swimmy.school::"): value for key, value in metrics.items()} == {
        "schema_version": 1,
        "timestamp": LISP_EPOCH_S + 86_400,
        "heap_used_bytes": 402_915_328,
        "heap_used_mb": 384.25,
        "strategy_count": 64,
        "uptime_seconds": 86_400,
    }


def test_only_its_owner_reaches_the_files_and_only_this_machine_the_sockets(guardian: Guardian) -> None:
    assert guardian.folder.stat().st_mode & 0o777 == 0o700
    assert all(each.startswith("tcp://127.0.0.1:") for each in (guardian.endpoint, guardian.results_endpoint))


def test_it_ends_with_the_process_that_started_it_even_if_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        assert Path(process.stdout.readline().strip()).is_dir()
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE_S)  # returns when the Guardian, which shares standard error, has ended too
        assert process.returncode == -signal.SIGKILL
