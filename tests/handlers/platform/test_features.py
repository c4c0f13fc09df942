"""Windows of bars and their features, on every candle store, by whole calls."""

import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from generated.platform.features.server import server
from handlers.candles.store import WIDTH_MS, Timeframe
from handlers.platform import features
from tests.handlers.candles.stores import Store
from tests.handlers.platform.formulas import atr, deviation, ema, macd, mean, rsi
from tests.services.candles import Candle
from toolaccord.call.pipeline import Pipeline
from toolaccord.sources.influxdb import Influxdb
from toolaccord.testing import ManualClock, pipeline

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
NOW_MS = int(NOW.timestamp()) * 1000
MINUTE_MS = 60_000
SYMBOL = "ETH/USD"
TOOL = "features.ohlcv_window"
INDICATORS = ["sma", "ema", "rsi", "macd", "bollinger", "volatility"]


def served(source: Influxdb) -> Pipeline:
    """Return the path of a call without cache and limit, so that every call reaches the handler."""
    declared = server(features)
    bare = replace(declared, tools=tuple(replace(tool, cache=None, rate_limit=None) for tool in declared.tools))
    return pipeline(bare, sources={"influxdb": source}, clock=ManualClock(NOW))


def format_time(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat().replace("+00:00", "Z")


async def ask(source: Influxdb, **changes: Any) -> dict[str, Any]:
    """Return the answer's body to a call for the last two hours of minutes."""
    start, end = NOW_MS - 7_200_000, NOW_MS
    arguments = {"symbol": SYMBOL, "start": format_time(start), "end": format_time(end), "interval": "1m"}
    body: dict[str, Any] = (await served(source).call(TOOL, arguments | {"features": INDICATORS} | changes)).body
    return body


def market(minutes: Iterable[int], missing: float = 0.0) -> list[Candle]:
    """Return candles with chance prices, some of them missing."""
    chance, price, found = random.Random(3), 100.0, list[Candle]()
    for minute in minutes:
        opened, price = price, round(price * chance.uniform(0.99, 1.01), 4)
        high, low = (
            round(bound + chance.uniform(0, sign), 4)
            for bound, sign in ((max(opened, price), 1), (min(opened, price), -1))
        )
        if chance.random() >= missing:
            found.append((SYMBOL, minute * MINUTE_MS, opened, high, low, price, float(chance.randrange(1, 1000))))
    return found


def bars_of(rows: list[Candle], width_ms: int) -> list[dict[str, Any]]:
    """Return the closed bars of minutes, one after the other."""
    found: dict[int, dict[str, Any]] = {}
    for _, time, opened, high, low, close, volume in rows:
        opening = time // width_ms * width_ms
        if opening + width_ms > NOW_MS:
            continue
        bar = found.setdefault(
            opening,
            {
                "timestamp": format_time(opening),
                "open": opened,
                "high": high,
                "low": low,
                "close": close,
                "volume": 0.0,
            },
        )
        bar["high"], bar["low"] = max(bar["high"], high), min(bar["low"], low)
        bar["close"], bar["volume"] = close, bar["volume"] + volume
    return list(found.values())


def stats_of(closes: list[float]) -> dict[str, float]:
    """Return every indicator of closing prices, by its formula."""
    line, signal, histogram = macd(closes)
    middle, half = mean(closes[-20:]), 2 * deviation(closes[-20:], 0)
    changes = [after / before - 1 for before, after in pairwise(closes[-21:])]
    return {
        "sma_20": middle,
        "sma_50": mean(closes[-50:]),
        "ema_12": ema(closes, 12)[-1],
        "ema_26": ema(closes, 26)[-1],
        "rsi_14": rsi(closes),
        "macd_line": line,
        "macd_signal": signal,
        "macd_histogram": histogram,
        "bollinger_upper": middle + half,
        "bollinger_middle": middle,
        "bollinger_lower": middle - half,
        "volatility": deviation(changes, 1),
    }


@pytest.mark.parametrize("interval", ["1m", "5m", "15m", "1h"])
async def test_rows_and_indicators_are_those_of_the_stored_minutes(store: Store, interval: Timeframe) -> None:
    width_ms = WIDTH_MS[interval]
    last = NOW_MS // width_ms * width_ms
    rows = market(range((last - 120 * width_ms) // MINUTE_MS, NOW_MS // MINUTE_MS + 1), missing=0.2)
    store.write(rows)
    bars = bars_of(rows, width_ms)
    body = await ask(store.source, start=format_time(last - 10 * width_ms), end=format_time(last), interval=interval)
    expected = [bar for bar in bars if bar["timestamp"] >= format_time(last - 10 * width_ms)]
    assert body["rows"] == expected
    stored = [row for row in rows if last - 10 * width_ms <= row[1] < last]
    assert body["metadata"] == {
        "total_rows": len(expected),
        "first_timestamp": expected[0]["timestamp"],
        "last_timestamp": expected[-1]["timestamp"],
        "data_completeness": pytest.approx(len(stored) * MINUTE_MS / (10 * width_ms)),
    }
    stats = stats_of([bar["close"] for bar in bars])
    assert body["stats"] == {name: pytest.approx(value, rel=1e-9, abs=1e-9) for name, value in stats.items()}


async def test_a_minute_an_hour_is_a_60th_of_the_data(store: Store) -> None:
    last = NOW_MS // WIDTH_MS["1h"] * WIDTH_MS["1h"]
    store.write(market(range((last - 4 * WIDTH_MS["1h"]) // MINUTE_MS + 7, NOW_MS // MINUTE_MS, 60)))
    start, end = format_time(last - 4 * WIDTH_MS["1h"]), format_time(last)
    body = await ask(store.source, start=start, end=end, interval="1h", features=["volume_profile"])
    assert (body["metadata"]["total_rows"], body["metadata"]["data_completeness"]) == (4, pytest.approx(1 / 60))


@pytest.mark.parametrize("interval, bars", [("4h", 8), ("1d", 2)])
async def test_wide_bars_are_aggregated_in_windows_that_start_at_midnight(
    store: Store, interval: Timeframe, bars: int
) -> None:
    width_ms = WIDTH_MS[interval]
    last = NOW_MS // width_ms * width_ms
    rows = market(range((last - bars * width_ms) // MINUTE_MS, NOW_MS // MINUTE_MS + 1, 7))
    store.write(rows)
    start = format_time(last - (bars + 1) * width_ms)
    body = await ask(store.source, start=start, interval=interval, features=["volume_profile"])
    assert body["rows"] == bars_of(rows, width_ms)
    stored = sum(row[1] < last for row in rows)
    assert body["metadata"]["data_completeness"] == pytest.approx(stored * MINUTE_MS / ((bars + 1) * width_ms))


async def test_indicators_depend_on_the_end_of_the_window_alone(store: Store) -> None:
    store.write(market(range(NOW_MS // MINUTE_MS - 400, NOW_MS // MINUTE_MS)))
    bodies = [await ask(store.source, start=format_time(NOW_MS - minutes * MINUTE_MS)) for minutes in (3, 200, 390)]
    assert bodies[0]["stats"] == bodies[1]["stats"] == bodies[2]["stats"]
    assert [body["metadata"]["total_rows"] for body in bodies] == [2, 199, 389]


async def test_the_volume_is_that_of_the_rows_alone(store: Store) -> None:
    rows = market(range(NOW_MS // MINUTE_MS - 100, NOW_MS // MINUTE_MS))
    store.write(rows)
    start = format_time(rows[-30][1])
    stats = (await ask(store.source, start=start, features=["volume_profile", "sma"]))["stats"]
    volumes = [row[6] for row in rows[-30:]]
    assert stats["volume_vwap"] == pytest.approx(sum(row[5] * row[6] for row in rows[-30:]) / sum(volumes))
    assert sum(each["volume"] for each in stats["volume_profile"]) == pytest.approx(sum(volumes))
    assert stats["volume_profile"][0]["low"] == min(row[4] for row in rows[-30:])
    assert stats["volume_profile"][-1]["high"] == max(row[3] for row in rows[-30:])


@pytest.mark.parametrize(
    "feature, needed", [("sma", 20), ("ema", 12), ("rsi", 15), ("macd", 34), ("bollinger", 20), ("volatility", 21)]
)
async def test_a_feature_needs_its_bars_and_no_more(store: Store, feature: str, needed: int) -> None:
    rows = market(range(NOW_MS // MINUTE_MS - needed, NOW_MS // MINUTE_MS))
    store.write(rows[1:])
    missing = await ask(store.source, features=["volume_profile", feature])
    assert missing["error"]["code"] == "MCP-010"
    assert missing["error"]["details"] == {"available": needed - 1, "required": needed}
    store.write(rows[:1])
    assert set((await ask(store.source, features=[feature]))["stats"]) & set(
        stats_of([100.0 + n % 7 for n in range(60)])
    )


async def test_bars_older_than_the_history_count_for_nothing(store: Store) -> None:
    last = NOW_MS // MINUTE_MS
    store.write(market([*range(last - 300, last - 250), *range(last - 10, last)]))
    body = await ask(store.source, features=["rsi"])
    assert body["error"]["details"] == {"available": 10, "required": 15}


async def test_a_flat_market_without_volume_has_no_index_and_no_average_price(store: Store) -> None:
    last = NOW_MS // MINUTE_MS
    store.write((SYMBOL, minute * MINUTE_MS, 2.0, 2.0, 2.0, 2.0, 0.0) for minute in range(last - 60, last))
    stats = (await ask(store.source, features=["rsi", "bollinger", "volatility", "volume_profile"]))["stats"]
    assert stats == {
        "bollinger_upper": 2.0,
        "bollinger_middle": 2.0,
        "bollinger_lower": 2.0,
        "volatility": 0.0,
        "volume_profile": [{"low": 2.0, "high": 2.0, "volume": 0.0}],
    }


async def test_a_period_may_be_chosen_beside_the_names(store: Store) -> None:
    rows = market(range(NOW_MS // MINUTE_MS - 900, NOW_MS // MINUTE_MS))
    store.write(rows)
    chosen = [
        {"feature": name, "period": period}
        for name, period in (("sma", 200), ("ema", 90), ("rsi", 50), ("atr", 14), ("sma", 20))
    ]
    stats = (await ask(store.source, features=[*chosen, "sma"]))["stats"]
    closes = [row[5] for row in rows]
    expected = [
        mean(closes[-200:]),
        ema(closes, 90)[-1],
        rsi(closes, 50),
        atr([(high, low, close) for _, _, _, high, low, close, _ in rows[-252:]], 14),
        stats["sma_20"],
    ]
    assert stats["by_period"] == [
        each | {"value": pytest.approx(value, rel=1e-9)} for each, value in zip(chosen, expected, strict=True)
    ]
    assert set(stats) == {"sma_20", "sma_50", "by_period"}


async def test_a_chosen_period_changes_no_other_value(store: Store) -> None:
    store.write(market(range(NOW_MS // MINUTE_MS - 1500, NOW_MS // MINUTE_MS)))
    long, short = {"feature": "rsi", "period": 80}, {"feature": "ema", "period": 21}
    both = (await ask(store.source, features=[long, short, "rsi", "ema"]))["stats"]
    alone = [(await ask(store.source, features=[each]))["stats"] for each in (long, short, "rsi", "ema")]
    assert both == {"by_period": alone[0]["by_period"] + alone[1]["by_period"]} | alone[2] | alone[3]


@pytest.mark.parametrize("feature, needed", [("sma", 34), ("ema", 34), ("rsi", 35), ("atr", 35)])
async def test_a_feature_of_a_period_needs_its_bars_and_no_more(store: Store, feature: str, needed: int) -> None:
    rows = market(range(NOW_MS // MINUTE_MS - needed, NOW_MS // MINUTE_MS))
    chosen = {"feature": feature, "period": 34}
    store.write(rows[1:])
    missing = await ask(store.source, features=[chosen])
    assert missing["error"]["code"] == "MCP-010"
    assert missing["error"]["message"].startswith(f"{feature} of 34 bars needs {needed} bars of 1m")
    assert missing["error"]["details"] == {"available": needed - 1, "required": needed}
    store.write(rows[:1])
    (found,) = (await ask(store.source, features=[chosen]))["stats"]["by_period"]
    assert found == chosen | {"value": found["value"]}


async def test_an_index_of_a_close_that_never_changed_is_left_out(store: Store) -> None:
    last = NOW_MS // MINUTE_MS
    store.write((SYMBOL, minute * MINUTE_MS, 2.0, 2.0, 2.0, 2.0, 0.0) for minute in range(last - 60, last))
    index, ranges = {"feature": "rsi", "period": 7}, {"feature": "atr", "period": 7}
    stats = (await ask(store.source, features=[index, ranges]))["stats"]
    assert stats == {"by_period": [ranges | {"value": 0.0}]}


async def test_older_versions_get_the_same_values_and_reject_periods(store: Store) -> None:
    store.write(market(range(NOW_MS // MINUTE_MS - 60, NOW_MS // MINUTE_MS)))
    start, end = format_time(NOW_MS - 600_000), format_time(NOW_MS)
    arguments = {"symbol": SYMBOL, "start": start, "end": end, "interval": "1m", "features": INDICATORS}
    calls = served(store.source)
    bodies = [(await calls.call(TOOL, arguments, version=version)).body for version in ("2.0.0", "1.1.0", "1.0.0")]
    assert set(bodies[0]["stats"]) == set(stats_of([100.0 + n % 7 for n in range(60)]))
    assert bodies[0] == bodies[1] == bodies[2]
    chosen = arguments | {"features": [{"feature": "sma", "period": 34}]}
    codes = [(await calls.call(TOOL, chosen, version=version)).body["error"]["code"] for version in ("1.1.0", "1.0.0")]
    assert codes == ["MCP-001", "MCP-001"]


async def test_the_oldest_version_gets_everything_but_the_profile(store: Store) -> None:
    store.write(market(range(NOW_MS // MINUTE_MS - 60, NOW_MS // MINUTE_MS)))
    start, end = format_time(NOW_MS - 600_000), format_time(NOW_MS)
    arguments = {"symbol": SYMBOL, "start": start, "end": end, "interval": "1m", "features": ["volume_profile", "sma"]}
    calls = served(store.source)
    newest, older = [(await calls.call(TOOL, arguments, version=version)).body for version in ("1.1.0", "1.0.0")]
    assert len(newest["stats"].pop("volume_profile")) == 20
    assert older == newest
