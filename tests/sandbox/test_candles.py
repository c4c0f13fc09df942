import contextlib
import itertools
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any
from urllib.parse import urlsplit

import pytest

import sandbox.candles
from sandbox.candles import serve, store
from sandbox.candles.minutes import Candle, generate_candles
from sandbox.errors import SandboxError
from sandbox.market import PAIRS, Market

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
LAST = int(NOW.timestamp()) // 60
MARKET = Market(1)


@pytest.fixture(autouse=True)
def three_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store hold three hours in the place of thirty days, which take seconds to make."""
    monkeypatch.setattr(store, "MINUTES", 180)


def read(url: str, sql: str = "SELECT * FROM candles ORDER BY currency_pair, time") -> list[Any]:
    with contextlib.closing(sqlite3.connect(f"file:{urlsplit(url).path}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def expected(now: datetime, minutes: int = 180) -> list[Candle]:
    last = int(now.timestamp()) // 60
    return [row for symbol in sorted(PAIRS) for row in generate_candles(MARKET, symbol, last - minutes + 1, last + 1)]


def test_a_candle_is_a_function_of_symbol_and_minute_in_any_range() -> None:
    whole = list(generate_candles(MARKET, "ETH/USD", LAST - 200, LAST))
    assert [row[1] for row in whole] == [minute * 60_000 for minute in range(LAST - 200, LAST)]
    assert whole == [
        row for minute in range(LAST - 200, LAST) for row in generate_candles(MARKET, "ETH/USD", minute, minute + 1)
    ]
    assert list(generate_candles(Market(2), "ETH/USD", LAST - 200, LAST)) != whole
    assert list(generate_candles(MARKET, "ETH/USD", LAST, LAST)) == []


def test_another_process_makes_the_same_candles() -> None:
    code = f"from sandbox.candles.minutes import *; print(list(generate_candles(Market(1), 'BTC/USD', {LAST}, {LAST + 3})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == str(list(generate_candles(MARKET, "BTC/USD", LAST, LAST + 3)))


@pytest.mark.parametrize("symbol", sorted(PAIRS))
def test_candles_are_those_of_a_market(symbol: str) -> None:
    rows = list(generate_candles(MARKET, symbol, LAST - 3 * 1440, LAST))
    for before, after in itertools.pairwise(rows):
        assert before[5] == after[2]
    for _, _, opened, high, low, closed, volume in rows:
        assert low <= min(opened, closed) <= max(opened, closed) <= high
        assert low > 0
        assert volume > 0
    returns = [row[5] / row[2] - 1 for row in rows]
    assert 0.5 < pstdev(returns) * 1440**0.5 / PAIRS[symbol].volatility < 2
    assert 100_000 < fmean(row[5] * row[6] for row in rows) < 20_000_000


def test_the_hours_prices_are_the_markets_of_which_the_signals_speak() -> None:
    hour = LAST // 60
    (row,) = generate_candles(MARKET, "BTC/USD", hour * 60, hour * 60 + 1)
    assert row[2] == pytest.approx(MARKET.price("BTC/USD", hour), rel=1e-5)


def test_the_file_holds_every_symbol_up_to_the_running_minute(tmp_path: Path) -> None:
    with serve(home=tmp_path, now=lambda: NOW) as url:
        assert url.startswith("sqlite:///")
        assert read(url) == expected(NOW)


@pytest.mark.parametrize("later", [timedelta(0), timedelta(minutes=7), timedelta(hours=2), timedelta(days=400), -timedelta(hours=1)])  # fmt: skip
def test_a_later_start_brings_the_file_up_to_date_and_forgets_what_is_too_old(tmp_path: Path, later: timedelta) -> None:
    with serve(home=tmp_path, now=lambda: NOW):
        pass
    with serve(home=tmp_path, now=lambda: NOW + later) as url:
        known = read(url)
    assert set(expected(NOW + later)) <= set(known)
    assert min(row[1] for row in known) == min(row[1] for row in expected(NOW + later))


def test_a_running_sandbox_adds_each_minute_when_it_begins(tmp_path: Path) -> None:
    clock = [NOW.replace(second=59, microsecond=900_000)]
    with serve(home=tmp_path, now=lambda: clock[0]) as url:
        clock[0] += timedelta(milliseconds=200)
        newest = "SELECT max(time) / 60000 FROM candles GROUP BY currency_pair"
        _until(lambda: {row[0] for row in read(url, newest)} == {LAST + 1})
        assert read(url) == expected(NOW + timedelta(minutes=1))
    assert "sandbox candles" not in {thread.name for thread in threading.enumerate()}


def _until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_processes_that_start_at_once_share_one_file(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from sandbox.candles import serve, store\n"
        "store.MINUTES = 180\n"
        "with serve(home=Path(sys.argv[1])) as url: print(url, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with contextlib.ExitStack() as stack:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        started = [stack.enter_context(subprocess.Popen(command, **pipes)) for _ in range(4)]
        urls = {process.stdout and process.stdout.readline().strip() for process in started}
        (url,) = urls
        assert read(str(url), "SELECT count(*) FROM candles") == [(180 * len(PAIRS),)]
        for process in started:
            process.communicate()
    assert [process.returncode for process in started] == [0] * 4


def test_a_start_that_was_killed_leaves_nothing_half_made(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from datetime import datetime, UTC; from sandbox.candles import serve\n"
        "print(flush=True)\n"
        "with serve(home=Path(sys.argv[1])): pass"
    )
    with subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE) as killed:
        _until(lambda: any(tmp_path.glob("*.new")))
        killed.send_signal(signal.SIGKILL)
    assert not list(tmp_path.glob("*.sqlite"))
    with serve(home=tmp_path, now=lambda: NOW) as url:
        assert read(url) == expected(NOW)


def test_unused_files_of_other_versions_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(home=tmp_path, now=lambda: NOW) as used:
        monkeypatch.setattr(sandbox.candles, "version", lambda: "another")
        with serve(home=tmp_path, now=lambda: NOW):
            assert Path(urlsplit(used).path).exists()
    with serve(home=tmp_path, now=lambda: NOW) as url:
        assert list(tmp_path.glob("*.sqlite")) == [Path(urlsplit(url).path)]
        assert not Path(urlsplit(used).path).exists()


def test_a_home_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(SandboxError, match="cannot be stored"), serve(home=blocked / "candles", now=lambda: NOW):
        pass


def test_a_first_start_takes_seconds_and_a_later_one_less_than_one(tmp_path: Path) -> None:
    """Thirty days of twenty symbols are made within limits of processor time.

    The limits suit a laptop.
    """
    code = (
        "import sys, time; from pathlib import Path\n"
        "from sandbox.candles import serve\n"
        "with serve(home=Path(sys.argv[1])): print(time.process_time())"
    )
    took = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, encoding="utf-8", check=True)
        took.append(float(done.stdout))
    (path,) = tmp_path.glob("*.sqlite")
    found = read(f"sqlite://{path}", "SELECT count(*), count(DISTINCT currency_pair), max(time) FROM candles")
    assert found[0][:2] == (20 * 30 * 24 * 60, 20)
    assert found[0][2] / 1000 > time.time() - 180
    assert took[1] < 1.5
    assert took[0] < 15
