"""The reference backtester, against a second computation in plain Python."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct

from generated.tradestream.backtester_pb2 import BacktestRequest, BacktestResult, Candle
from sandbox.backtester.bars import to_bars
from sandbox.backtester.errors import BadCandlesError, BadParametersError, TooFewCandlesError, UnknownStrategyError
from sandbox.backtester.rules import find_spec_signals, strategy_names
from sandbox.backtester.run import backtest
from sandbox.backtester.specs import read_specs
from tests.sandbox.backtester.plain import Account, candle, candles, crossed_up, ema, flat, rsi, sma, true_range

Rules = tuple[Sequence[bool], Sequence[bool]]


def request(strategy: str, bars: Sequence[Candle], **parameters: float) -> BacktestRequest:
    made = BacktestRequest(candles=bars)
    made.strategy.strategy_name = strategy
    if parameters:
        chosen = Struct()
        chosen.update(parameters)
        made.strategy.parameters.Pack(chosen)
    return made


def run(strategy: str, bars: Sequence[Candle], **parameters: float) -> BacktestResult:
    return backtest(request(strategy, bars, **parameters))


def double_ema(bars: Sequence[Candle]) -> Rules:
    closes = [bar.close for bar in bars]
    short, long = ema(closes, 12), ema(closes, 26)
    return crossed_up(short, long), crossed_up(long, short)


def macd(bars: Sequence[Candle]) -> Rules:
    closes = [bar.close for bar in bars]
    lines = zip(ema(closes, 12), ema(closes, 26), strict=True)
    macd = [None if short is None or long is None else short - long for short, long in lines]
    signal = ema(macd, 9)
    crossed = crossed_up(macd, signal)
    entries = [up and (value or 0) > 0 for up, value in zip(crossed, macd, strict=True)]
    return entries, crossed_up(signal, macd)


def sma_rsi(bars: Sequence[Candle]) -> Rules:
    smooth = sma(rsi([bar.close for bar in bars], 14), 5)
    return [each is not None and each < 30 for each in smooth], [each is not None and each > 70 for each in smooth]


def donchian(bars: Sequence[Candle]) -> Rules:
    places = range(len(bars))
    closes: list[float | None] = [bar.close for bar in bars]
    upper = [None if place < 20 else max(bar.high for bar in bars[place - 20 : place]) for place in places]
    lower = [None if place < 10 else min(bar.low for bar in bars[place - 10 : place]) for place in places]
    return crossed_up(closes, upper), crossed_up(lower, closes)


def vwap_crossover(bars: Sequence[Candle]) -> Rules:
    fast, places = ema([bar.close for bar in bars], 9), range(len(bars))
    typical = [(bar.high + bar.low + bar.close) / 3 for bar in bars]
    mean: list[float | None] = []
    for place in places:
        window = range(place - 23, place + 1)
        volume = sum(bars[each].volume for each in window) if place >= 23 else 0
        worth = sum(typical[each] * bars[each].volume for each in window) if place >= 23 else 0
        mean.append(worth / volume if volume else None)
    return crossed_up(fast, mean), crossed_up(mean, fast)


@pytest.mark.parametrize(
    "strategy, rules",
    [
        ("DOUBLE_EMA_CROSSOVER", double_ema),
        ("MACD_CROSSOVER", macd),
        ("SMA_RSI", sma_rsi),
        ("DONCHIAN_BREAKOUT", donchian),
        ("VWAP_CROSSOVER", vwap_crossover),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_figure_is_what_plain_python_computes(
    strategy: str, rules: Callable[[Sequence[Candle]], Rules], seed: int
) -> None:
    bars = candles(3000, seed=seed)
    closes = [bar.close for bar in bars]
    account = Account().follow(closes, *rules(bars))
    assert len(account.gains) > 3
    result = run(strategy, bars)
    found = {name: getattr(result, name) for name in account.figures(closes)}
    assert found == pytest.approx(account.figures(closes), rel=1e-6)
    assert result.timeframe == "1m"


def test_a_trailing_stop_leaves_where_the_price_has_fallen_from_its_highest_close_since_the_entry() -> None:
    bars = candles(6000, seed=3, volatility=0.004)
    closes, widths = [bar.close for bar in bars], true_range(bars, 14)
    entries = [
        crossed and place > 14 and (widths[place] or 0) > (widths[place - 1] or 0)
        for place, crossed in enumerate(crossed_up([*closes], ema(closes, 22)))
    ]
    exits, highest = [False] * len(bars), None
    for place, close in enumerate(closes):
        if highest is None:
            highest = close if entries[place] else None
            continue
        entries[place] = False
        highest = max(highest, close)
        if close <= highest * 0.97:
            exits[place], highest = True, None
    account = Account().follow(closes, entries, exits)
    result = run("ATR_TRAILING_STOP", bars)
    assert result.number_of_trades == len(account.gains) > 5
    assert result.cumulative_return == pytest.approx(account.figures(closes)["cumulative_return"], rel=1e-9)


def test_a_stop_leaves_where_the_price_is_so_many_percent_below_the_entry() -> None:
    before, gap = candle(0, (100, 100, 100, 100)), candle(1, (101, 101, 101, 101))
    after = [candle(2 + place, (price,) * 4) for place, price in enumerate((99.5, 99.0, 98.5, 90.0))]
    result = run("PRICE_GAP", [before, gap, *after])
    assert result.number_of_trades == 1
    assert result.average_trade_duration == 3
    assert result.cumulative_return == pytest.approx(98.5 / 101 * 0.999 / 1.001 - 1)


def test_a_price_that_comes_back_costs_two_fees_for_each_trade() -> None:
    result = run("RENKO_CHART", _steps())
    assert result.number_of_trades > 0
    assert result.cumulative_return < 0
    assert result.win_rate == 0


def _steps() -> list[Candle]:
    """The price goes up and down again, ever wider, by less than the fees."""
    prices = [100 + (0.0001 * step if step % 2 else 0) for step in range(60)]
    return flat(*prices)


def test_without_a_trade_nothing_is_won_or_lost() -> None:
    result = run("DOUBLE_EMA_CROSSOVER", flat(*[100.0] * 100))
    assert result.alpha == pytest.approx(-0.02)  # what the cash would have earned without risk
    rest = BacktestResult(timeframe="1m", alpha=result.alpha, strategy_score=result.strategy_score)
    assert result == rest


def test_an_open_position_is_sold_at_the_last_close() -> None:
    falling_then_rising = flat(*[100.0 - place for place in range(40)], *[60.0 + 2 * place for place in range(20)])
    result = run("DOUBLE_EMA_CROSSOVER", falling_then_rising)
    assert result.number_of_trades == 1
    assert result.win_rate == 1
    assert result.profit_factor == float("inf")
    assert result.cumulative_return > 0


def test_the_same_request_has_the_same_answer_to_the_last_bit() -> None:
    bars = candles(2000)
    answers = {run(name, bars).SerializeToString(deterministic=True) for name in ["MACD_CROSSOVER"] * 5}
    assert len(answers) == 1


@pytest.mark.parametrize("strategy", strategy_names())
def test_every_strategy_trades_by_rules_of_its_own(strategy: str) -> None:
    bars = candles(20_000 if strategy == "MASS_INDEX" else 3000, seed=5)
    result = run(strategy, bars)
    assert 0 < result.number_of_trades < len(bars) / 2
    assert -1 < result.cumulative_return < 1
    assert 0 <= result.max_drawdown < 1
    assert 0 <= result.strategy_score <= 1
    assert result.profit_factor > 0


def test_all_sample_specs_can_be_run() -> None:
    assert strategy_names() == [spec.name for spec in read_specs()]
    assert len(strategy_names()) == 60


def test_parameters_change_what_is_done_and_those_that_are_missing_have_the_specs_default() -> None:
    bars = candles(2000)
    usual = run("DOUBLE_EMA_CROSSOVER", bars)
    assert run("DOUBLE_EMA_CROSSOVER", bars, shortPeriod=12, longPeriod=26) == usual
    assert run("DOUBLE_EMA_CROSSOVER", bars, longPeriod=26) == usual
    assert run("DOUBLE_EMA_CROSSOVER", bars, longPeriod=60) != usual


def test_an_average_over_one_candle_is_the_candle() -> None:
    bars = candles(500)
    assert run("DOUBLE_EMA_CROSSOVER", bars, shortPeriod=1).number_of_trades > 5


@pytest.mark.parametrize("strategy, message", [("RSI_REVERSAL", "no strategy RSI_REVERSAL"), ("", "no strategy")])
def test_a_strategy_it_does_not_know_is_never_run(strategy: str, message: str) -> None:
    with pytest.raises(UnknownStrategyError, match=message):
        run(strategy, candles(100))


def test_a_spec_with_an_indicator_that_the_backtester_lacks_is_never_run() -> None:
    spec = replace(read_specs()[0], indicators=({"id": "adx", "type": "MOON_PHASE"},))
    with pytest.raises(UnknownStrategyError, match="needs MOON_PHASE"):
        find_spec_signals(spec, {}, to_bars(candles(100)))


@pytest.mark.parametrize("period", [0, -3, 0.5, float("nan")])
def test_a_period_that_is_none_is_refused(period: float) -> None:
    with pytest.raises(BadParametersError):
        run("DOUBLE_EMA_CROSSOVER", candles(100), longPeriod=period)


def test_a_parameter_that_the_library_refuses_is_refused() -> None:
    with pytest.raises(BadParametersError):
        run("SMA_RSI", candles(100), rsiPeriod=1)


def test_parameters_in_a_message_that_nobody_knows_are_refused() -> None:
    made = request("SMA_RSI", candles(100))
    made.strategy.parameters.Pack(Candle())
    with pytest.raises(BadParametersError, match=r"backtesting\.Candle"):
        backtest(made)
    made.strategy.parameters.type_url = "type.googleapis.com/google.protobuf.Struct"
    made.strategy.parameters.value = b"\xff"
    with pytest.raises(BadParametersError, match="cannot be read"):
        backtest(made)


@pytest.mark.parametrize("count", [0, 1, 2, 20, 33])
def test_fewer_candles_than_the_indicators_need_are_too_few(count: int) -> None:
    with pytest.raises(TooFewCandlesError):
        run("EMA_MACD", candles(count))


def test_as_many_candles_as_the_indicators_need_are_enough() -> None:
    assert run("EMA_MACD", candles(34)).number_of_trades >= 0


def _spoiled(**change: Any) -> list[Candle]:
    bars = candles(100)
    for name, value in change.items():
        setattr(bars[50], name, value)
    return bars


@pytest.mark.parametrize(
    "bars",
    [
        candles(100)[::-1],
        [*candles(50), *candles(50)],
        _spoiled(close=float("nan")),
        _spoiled(open=0.0),
        _spoiled(low=-1.0),
        _spoiled(high=float("inf")),
        _spoiled(volume=-1.0),
    ],
)
def test_candles_that_no_market_has_are_refused(bars: Sequence[Candle]) -> None:
    with pytest.raises(BadCandlesError):
        run("SMA_RSI", bars)


def test_a_year_is_counted_in_candles_of_any_width() -> None:
    bars = candles(500)
    for place, bar in enumerate(bars):
        bar.timestamp.seconds = 1_760_000_000 + 300 * place
    wide, narrow = run("DOUBLE_EMA_CROSSOVER", bars), run("DOUBLE_EMA_CROSSOVER", candles(500))
    assert wide.timeframe == "5m"
    assert wide.volatility == pytest.approx(narrow.volatility / 5**0.5)
