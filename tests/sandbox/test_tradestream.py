import asyncio
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

import sandbox
from sandbox.backtester.rules import find_signals
from sandbox.backtester.simulation import find_positions
from sandbox.backtester.specs import read_specs
from sandbox.candles.minutes import compute_candles
from sandbox.errors import SandboxError
from sandbox.market import PAIRS, Market
from sandbox.seeded_random import SEED, normals, uniform
from sandbox.tradestream import sample as whole
from sandbox.tradestream.database import DATABASE, SCHEMA
from sandbox.tradestream.load import load
from sandbox.tradestream.performance import read_bars
from sandbox.tradestream.portfolio import account_row, position_rows
from sandbox.tradestream.sample import COLUMNS, Table
from sandbox.tradestream.signals import WARM_UP, WEEK
from toolaccord.testing.postgresql import Cluster
from toolaccord.testing.postgresql.locks import hold

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
HOUR = timedelta(hours=1)
ROOT = Path(__file__).parents[2]

NAMES = """
ADX_DMI ADX_STOCHASTIC AROON_MFI ATR_CCI ATR_TRAILING_STOP AWESOME_OSCILLATOR BBAND_WILLIAMS_R CHAIKIN_OSCILLATOR
CMF_ZERO_LINE CMO_MFI DEMA_TEMA_CROSSOVER DONCHIAN_BREAKOUT DOUBLE_EMA_CROSSOVER DOUBLE_TOP_BOTTOM DPO_CROSSOVER
ELDER_RAY_MA EMA_MACD FIBONACCI_RETRACEMENTS FRAMA GANN_SWING HEIKEN_ASHI ICHIMOKU_CLOUD KLINGER_VOLUME KST_OSCILLATOR
LINEAR_REGRESSION_CHANNELS MACD_CROSSOVER MASS_INDEX MOMENTUM_PINBALL MOMENTUM_SMA_CROSSOVER OBV_EMA PARABOLIC_SAR PIVOT
PRICE_GAP PRICE_OSCILLATOR_SIGNAL PVT RAINBOW_OSCILLATOR RANGE_BARS REGRESSION_CHANNEL RENKO_CHART ROC_MA_CROSSOVER
RSI_EMA_CROSSOVER RVI SAR_MFI SMA_EMA_CROSSOVER SMA_RSI STOCHASTIC_EMA STOCHASTIC_RSI TICK_VOLUME_ANALYSIS
TRIPLE_EMA_CROSSOVER TRIX_SIGNAL_LINE VARIABLE_PERIOD_EMA VOLATILITY_STOP VOLUME_BREAKOUT VOLUME_PROFILE
VOLUME_PROFILE_DEVIATIONS VOLUME_SPREAD_ANALYSIS VOLUME_WEIGHTED_MACD VPT VWAP_CROSSOVER VWAP_MEAN_REVERSION
"""
INDICATORS = """
AD ADX AROON_DOWN AROON_UP ATR AWESOME_OSCILLATOR BOLLINGER_LOWER BOLLINGER_MIDDLE BOLLINGER_UPPER CCI
CHAIKIN_OSCILLATOR CLOSE CMF CMO CONSTANT DEMA DONCHIAN_LOWER DONCHIAN_MIDDLE DONCHIAN_UPPER DPO EMA FRAMA HIGH KAMA
KELTNER_LOWER KELTNER_MIDDLE KELTNER_UPPER KLINGER_VOLUME_OSCILLATOR LOW MACD MASS_INDEX MEDIAN_PRICE MFI MINUS_DI
MOMENTUM NVI OBV OPEN PARABOLIC_SAR PLUS_DI PREVIOUS PVT ROC RSI SMA STD_DEV STOCHASTIC_D STOCHASTIC_K TEMA TRIX
TYPICAL_PRICE VOLUME VWAP WILLIAMS_R WMA ZLEMA
"""
RULES = """
ABOVE AND BELOW CROSSED_DOWN CROSSED_DOWN_CONSTANT CROSSED_UP CROSSED_UP_CONSTANT CROSSES_ABOVE CROSSES_BELOW
CROSSOVER IS_FALLING IS_RISING OR OVER OVER_CONSTANT OVER_INDICATOR STOP_GAIN STOP_LOSS TRAILING_STOP_LOSS UNDER
UNDER_CONSTANT UNDER_INDICATOR UP
"""


@cache
def sample(seed: int, now: datetime, *names: str) -> Mapping[str, Table]:
    """Return the tables *names*, or all."""
    return whole.build_sample(seed, now, names or COLUMNS)


def rows(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


async def content(url: str) -> dict[str, list[Any]]:
    connection: asyncpg.Connection = await asyncpg.connect(url)
    try:
        statements = {
            name: f"SELECT {', '.join(columns.split())} FROM {name} ORDER BY 1, 2, 3"
            for name, columns in COLUMNS.items()
        }
        return {name: [tuple(row) for row in await connection.fetch(text)] for name, text in statements.items()}
    finally:
        await connection.close()


def signals_at(now: datetime) -> dict[Any, dict[str, Any]]:
    return {row["signal_id"]: row for row in rows(sample(SEED, now, "signals")["signals"])}


def test_the_same_seed_and_time_give_the_same_rows_in_every_process() -> None:
    program = """
from datetime import UTC, datetime
from hashlib import sha256
from sandbox.tradestream.sample import build_sample
tables = build_sample(1, datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC))
print(sha256(repr([(name, table.columns, table.rows) for name, table in tables.items()]).encode()).hexdigest())
"""
    other = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    mine = repr([(name, table.columns, table.rows) for name, table in sample(1, NOW).items()])
    assert other.stdout.strip() == sha256(mine.encode()).hexdigest()


def test_another_seed_is_another_market() -> None:
    one, two = (sample(seed, NOW, "signals") for seed in (1, 2))
    assert not {row[0] for row in one["signals"].rows} & {row[0] for row in two["signals"].rows}
    assert Market(1).price("ETH/USD", 490_000) != Market(2).price("ETH/USD", 490_000)


def test_there_are_the_sixty_specs_and_twenty_symbols() -> None:
    tables = sample(SEED, NOW)
    assert [row["name"] for row in rows(tables["strategy_specs"])] == NAMES.split()
    assert {row["symbol"] for row in rows(tables["strategies"])} == set(PAIRS)
    assert len(PAIRS) == 20


def test_the_specs_use_the_indicators_and_rules_that_tradestream_knows() -> None:
    for spec in read_specs():
        known = {indicator["id"] for indicator in spec.indicators}
        conditions = [*spec.entry_conditions, *spec.exit_conditions]
        assert {indicator["type"] for indicator in spec.indicators} <= set(INDICATORS.split()), spec.name
        assert {condition["type"] for condition in conditions} <= set(RULES.split()), spec.name
        named = [indicator["input"] for indicator in spec.indicators if "input" in indicator]
        named += [condition["indicator"] for condition in conditions]
        named += [each for condition in conditions for each in condition["params"].values() if isinstance(each, str)]
        assert set(named) <= known, spec.name
        used = re.findall(r"\$\{(\w+)\}", str(spec.indicators))
        assert used == [parameter.name for parameter in spec.parameters], spec.name


def test_implementations_choose_within_the_bounds_of_their_spec() -> None:
    bounds = {spec.name: {each.name: each.bounds for each in spec.parameters} for spec in read_specs()}
    tables = sample(SEED, NOW)
    names = {row["spec_id"]: row["name"] for row in rows(tables["strategy_specs"])}
    for row in rows(tables["strategy_implementations"]):
        allowed = bounds[names[row["spec_id"]]]
        chosen = json.loads(row["parameters"])
        assert chosen.keys() == allowed.keys()
        assert all(allowed[name][0] <= value <= allowed[name][1] for name, value in chosen.items())


@pytest.mark.parametrize("hours", [0, 5, 17, 24 * 30])
def test_whenever_it_is_opened_every_symbol_has_current_signals_and_most_have_strategies_without(hours: int) -> None:
    now = NOW + hours * HOUR
    tables = sample(SEED, now, "signals", "strategies")
    current = {row["strategy_id"] for row in rows(tables["signals"]) if row["triggered_at"] >= now - 24 * HOUR}
    silent = set()
    for symbol in PAIRS:
        active = {
            row["strategy_id"]
            for row in rows(tables["strategies"])
            if (row["symbol"], row["is_active"]) == (symbol, True)
        }
        assert len(active & current) >= 5
        silent |= {symbol} if active - current else set()
    assert len(silent) > len(PAIRS) / 2


def test_no_signal_is_of_the_future_and_none_older_than_a_week() -> None:
    times = [row["triggered_at"] for row in signals_at(NOW).values()]
    assert min(times) > NOW - 7 * 24 * HOUR
    assert NOW - HOUR < max(times) <= NOW


def test_a_signal_is_the_same_whenever_it_is_asked_for() -> None:
    before, after = signals_at(NOW), signals_at(NOW + 30 * HOUR)
    shared = before.keys() & after.keys()
    assert all(before[each] == after[each] for each in shared)
    assert {after[each]["triggered_at"] > NOW for each in after.keys() - shared} == {True}
    assert {before[each]["triggered_at"] <= NOW - (7 * 24 - 30) * HOUR for each in before.keys() - shared} == {True}


def test_performance_covers_the_thirty_days_before_today() -> None:
    periods = {(row["period_start"], row["period_end"]) for row in rows(sample(SEED, NOW)["strategy_performance"])}
    assert [tuple(map(str, each)) for each in periods] == [("2026-10-22", "2026-11-20")]


def test_a_signal_is_the_last_trade_that_the_strategys_rules_made_in_the_day_before() -> None:
    tables = sample(SEED, NOW)
    parameters = {row["impl_id"]: json.loads(row["parameters"]) for row in rows(tables["strategy_implementations"])}
    strategies = {row["strategy_id"]: (row["name"], parameters[row["impl_id"]]) for row in rows(tables["strategies"])}
    newest = {row["strategy_id"]: row for row in rows(tables["signals"]) if row["symbol"] == "ETH/USD"}
    for strategy, row in newest.items():
        minute = int(row["triggered_at"].timestamp()) // 3600 * 60
        bars = read_bars(Market(SEED), "ETH/USD", minute // WEEK * WEEK - WARM_UP, minute)
        trades = [*find_positions(bars, find_signals(*strategies[strategy], bars))]
        ends = [(place + 1, side) for trade in trades for place, side in zip(trade, ("BUY", "SELL"), strict=True)]
        closed = [(place, side) for place, side in ends if side == "BUY" or place < len(bars)]
        last = [side for place, side in closed if place > len(bars) - 1440]
        assert row["signal"] == (last[-1] if last else "HOLD"), strategies[strategy]


def test_prices_move_as_far_in_a_day_as_the_pair_is_volatile() -> None:
    market = Market(SEED)
    for symbol, pair in PAIRS.items():
        days = [market.price(symbol, 480_000 + 24 * day) for day in range(300)]
        returns = [later / earlier - 1 for earlier, later in itertools.pairwise(days)]
        assert 0.5 < statistics.pstdev(returns) / pair.volatility < 2


def test_pairs_move_together_but_not_alike() -> None:
    market = Market(SEED)
    one, two = ([market.price(symbol, 480_000 + 24 * day) for day in range(300)] for symbol in ("BTC/USD", "ETH/USD"))
    returns = [[later / earlier - 1 for earlier, later in itertools.pairwise(days)] for days in (one, two)]
    assert 0.2 < statistics.correlation(*returns) < 0.9


def test_draws_are_spread_as_they_say() -> None:
    even = [uniform("even", each) for each in range(5000)]
    assert abs(statistics.fmean(even) - 0.5) < 0.02
    bell = [draw for each in range(1000) for draw in normals(8, "bell", each)]
    assert abs(statistics.fmean(bell)) < 0.05
    assert abs(statistics.stdev(bell) - 1) < 0.05


@pytest.mark.parametrize("late", [timedelta(0), timedelta(days=3), timedelta(days=400)])
def test_the_used_margin_is_the_cost_of_the_positions(late: timedelta) -> None:
    tables = sample(SEED, NOW + late, "accounts", "positions")
    (account,) = rows(tables["accounts"])
    held = rows(tables["positions"])
    assert account["margin_used"] == sum(row["size"] * row["entry_price"] for row in held) > 0
    assert account["total_balance"] == account["available_balance"] + account["margin_used"]
    assert {row["account_id"] for row in held} == {account["account_id"]}


def test_half_of_the_account_is_free_on_any_day() -> None:
    for days in range(0, 10 * 365, 5):
        _, total, _, bound, _ = account_row(SEED, NOW + timedelta(days=days))
        assert bound < total / 2


def test_positions_are_held_for_ten_days_and_priced_by_the_market() -> None:
    market = Market(SEED)
    days = [NOW + day * 24 * HOUR for day in range(12)]
    held = [{row[0]: row for row in position_rows(SEED, now)} for now in days]
    for now, positions in zip(days, held, strict=True):
        for _, _, symbol, _, _, _, price, priced_at, opened_at in positions.values():
            assert now - timedelta(days=10) <= opened_at <= now
            minute = int(now.timestamp()) // 60
            (candle,) = compute_candles(market, symbol, minute, minute + 1).T
            assert (float(price), priced_at) == (candle[1], now)
        long = {symbol for _, _, symbol, side, *_ in positions.values() if side == "LONG"}
        assert {"BTC/USD", "ETH/USD"} <= long
    assert not held[0].keys() & held[11].keys()
    assert {row[3] for positions in held for row in positions.values()} == {"LONG", "SHORT"}


def test_an_agent_decided_on_every_symbol_four_times_a_day_and_decides_the_same_whenever_asked() -> None:
    before, after = (
        {row["decision_id"]: row for row in rows(sample(SEED, now, "agent_decisions")["agent_decisions"])}
        for now in (NOW, NOW + 30 * HOUR)
    )
    assert 27 * len(PAIRS) <= len(before) <= 29 * len(PAIRS)
    assert {row["action"] for row in before.values()} == {"BUY", "SELL", "HOLD"}
    assert {row["opportunity_score"] is None for row in before.values()} == {True, False}
    assert all(before[each] == after[each] for each in before.keys() & after.keys())
    times = [row["created_at"] for row in before.values()]
    assert NOW - 7 * 24 * HOUR < min(times) <= max(times) <= NOW


async def test_the_sandboxs_account_is_one_that_the_sample_has(empty_postgres_url: str) -> None:
    await SCHEMA.migrate(empty_postgres_url)
    await load(empty_postgres_url, SEED, NOW)
    with sandbox.environment({"PORTFOLIO_ACCOUNT_ID"}) as values:
        assert [row[0] for row in (await content(empty_postgres_url))["accounts"]] == [values["PORTFOLIO_ACCOUNT_ID"]]


async def test_the_loaded_rows_are_the_sample(empty_postgres_url: str) -> None:
    await SCHEMA.migrate(empty_postgres_url)
    assert await load(empty_postgres_url, SEED, NOW)
    loaded = await content(empty_postgres_url)
    wanted = {
        name: sorted(map(tuple, table.rows), key=lambda row: row[:3]) for name, table in sample(SEED, NOW).items()
    }
    assert {name: len(found) for name, found in loaded.items()} == {name: len(table) for name, table in wanted.items()}
    for name in ("strategies", "strategy_performance", "accounts", "positions"):
        assert loaded[name] == wanted[name]


async def test_data_younger_than_an_hour_are_left_alone(empty_postgres_url: str) -> None:
    await SCHEMA.migrate(empty_postgres_url)
    loads = [await load(empty_postgres_url, SEED, NOW + late) for late in (0 * HOUR, HOUR / 2, HOUR, 1.5 * HOUR)]
    assert loads == [True, False, True, False]


@pytest.mark.parametrize("late", [-5 * HOUR, timedelta(days=40)])
async def test_refreshed_data_are_what_a_first_load_would_have_given(
    postgres_url: str, empty_postgres_url: str, late: timedelta
) -> None:
    await SCHEMA.migrate(empty_postgres_url)
    await load(empty_postgres_url, SEED, NOW + late)
    await load(postgres_url, SEED, NOW)
    await load(postgres_url, SEED, NOW + late)
    assert await content(postgres_url) == await content(empty_postgres_url)


async def test_a_refresh_keeps_what_others_wrote(empty_postgres_url: str) -> None:
    await SCHEMA.migrate(empty_postgres_url)
    await load(empty_postgres_url, SEED, NOW)
    connection: asyncpg.Connection = await asyncpg.connect(empty_postgres_url)
    await connection.execute(
        "INSERT INTO strategy_specs (name, indicators, entry_conditions, exit_conditions, parameters, source)"
        " VALUES ('MINE', '[]', '[]', '[]', '[]', 'LLM_GENERATED')"
    )
    await load(empty_postgres_url, SEED, NOW + 2 * HOUR)
    assert await connection.fetchval("SELECT count(*) FROM strategy_specs") == 61
    await connection.close()


async def test_processes_that_load_at_once_load_once(empty_postgres_url: str) -> None:
    await SCHEMA.migrate(empty_postgres_url)
    loads = await asyncio.gather(*(load(empty_postgres_url, SEED, NOW) for _ in range(3)))
    assert sorted(loads) == [False, False, True]


@pytest.fixture
def caches(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a user's cache directory with a path short enough for a socket.

    The test ends after the server.
    """
    with TemporaryDirectory() as folder:
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
        yield Path(folder)
        for home in (Path(folder) / "toolaccord").iterdir():
            with hold(home / "server.lock"):
                pass


def test_a_sandbox_without_postgresql_names_what_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLACCORD_POSTGRES_BIN", "/nowhere")
    with pytest.raises(SandboxError, match="/nowhere"), sandbox.environment({"DATABASE_URL"}):
        pass


async def test_the_environment_is_a_database_with_current_signals(caches: Path) -> None:
    with sandbox.environment({"DATABASE_URL", "SOMETHING_ELSE"}) as values:
        assert values.keys() == {"DATABASE_URL"}
        connection: asyncpg.Connection = await asyncpg.connect(values["DATABASE_URL"])
        newest = await connection.fetchval("SELECT max(triggered_at) FROM signals")
        await connection.close()
    assert abs(datetime.now(UTC) - newest) < 2 * HOUR
    assert [home.name.startswith("postgresql-") for home in (caches / "toolaccord").iterdir()] == [True]


@pytest.mark.usefixtures("caches")
def test_data_are_refreshed_until_the_sandbox_is_left() -> None:
    def refreshing() -> bool:
        return "sandbox TradeStream" in {thread.name for thread in threading.enumerate()}

    with sandbox.environment({"DATABASE_URL"}):
        assert refreshing()
    assert not refreshing()


def test_names_that_the_sandbox_does_not_know_start_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with sandbox.environment({"SOMETHING_ELSE"}) as values:
        assert values == {}
    assert list(tmp_path.iterdir()) == []


def test_a_database_of_the_real_environment_is_not_touched(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@production.invalid/real")
    with sandbox.environment({"DATABASE_URL"}) as values:
        assert str(caches) in values["DATABASE_URL"].replace("%2F", "/")


async def test_a_database_whose_migrations_were_edited_is_made_anew(empty_postgres_url: str) -> None:
    class Given(Cluster):
        def url(self, database: str = "postgres") -> str:
            return urlsplit(empty_postgres_url)._replace(path=f"/{database}").geturl()

    cluster, name = Given(Path()), urlsplit(empty_postgres_url).path.removeprefix("/")
    await SCHEMA.migrate(empty_postgres_url)
    connection: asyncpg.Connection = await asyncpg.connect(empty_postgres_url)
    await connection.execute("UPDATE toolaccord_migrations SET checksum = 'another'")
    await connection.close()
    await asyncio.gather(*(replace(DATABASE, name=name).prepare(cluster, NOW) for _ in range(3)))
    assert len((await content(empty_postgres_url))["strategy_specs"]) == 60
