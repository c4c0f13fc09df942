import itertools
import random
from datetime import timedelta
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generated.tradestream.errors import NoActiveStrategies, NoSignal, StrategyNotFound, SymbolNotFound
from generated.tradestream.strategy.models import (
    GetStrategyConsensusRequest,
    GetStrategyConsensusResult,
    GetStrategySignalRequest,
    GetStrategySignalResult,
    GetTopStrategiesRequest,
    Strategy,
)
from generated.tradestream.strategy.queries import CurrentSignalsRow
from generated.tradestream.strategy.server import StrategyCall
from handlers.tradestream.consensus import find_consensus
from handlers.tradestream.strategy import get_strategy_consensus, get_strategy_signal, get_top_strategies
from tests.handlers.tradestream.rows import to_record, to_records
from toolaccord import Page

DAY = timedelta(hours=24)


async def top(call: StrategyCall, symbol: str, **arguments: Any) -> Page[Strategy]:
    request = GetTopStrategiesRequest(symbol=symbol, **arguments)
    return to_records(Strategy, await get_top_strategies(request, call))


async def signal(call: StrategyCall, strategy_id: UUID | str, symbol: str) -> GetStrategySignalResult:
    request = GetStrategySignalRequest(strategy_id=str(strategy_id), symbol=symbol)
    return to_record(GetStrategySignalResult, await get_strategy_signal(request, call))


async def consensus(call: StrategyCall, symbol: str) -> GetStrategyConsensusResult:
    return await get_strategy_consensus(GetStrategyConsensusRequest(symbol=symbol), call)


async def test_the_score_is_the_value_of_the_requested_metric(call: StrategyCall, book: Any) -> None:
    one, two = await book.strategy("AAA/USD"), await book.strategy("AAA/USD")
    await book.month(one, 10, sharpe=2.0, accuracy=0.4, gained=0.05)
    await book.month(two, 10, sharpe=1.0, accuracy=0.6, gained=0.01)
    ranked = {
        metric: [(UUID(item.strategy_id), item.score) for item in (await top(call, "AAA/USD", metric=metric)).items]
        for metric in ("sharpe", "accuracy", "return")
    }
    assert ranked == {
        "sharpe": [(one, 2.0), (two, 1.0)],
        "accuracy": [(two, 0.6), (one, 0.4)],
        "return": [(one, 0.05), (two, 0.01)],
    }


async def test_only_the_newest_period_of_a_strategy_counts(call: StrategyCall, book: Any) -> None:
    strategy = await book.strategy("AAB/USD")
    await book.month(strategy, 9, sharpe=9.0, accuracy=0.9)
    await book.month(strategy, 10, sharpe=-1.0, accuracy=0.3)
    await book.month(strategy, 8, sharpe=8.0, accuracy=0.8)
    (item,) = (await top(call, "AAB/USD")).items
    assert (item.score, item.sharpe, item.accuracy, item.signals_count) == (-1.0, -1.0, 0.3, 10)


async def test_a_strategy_with_too_few_signals_is_not_the_best_however_high_its_score(
    call: StrategyCall, book: Any
) -> None:
    lucky, tried, proven = [await book.strategy("AAG/USD") for _ in range(3)]
    await book.month(lucky, 10, sharpe=9.0, accuracy=1.0, gained=3.0, signals=1)
    await book.month(tried, 10, sharpe=1.0, accuracy=0.5, gained=0.1, signals=10)
    await book.month(proven, 10, sharpe=0.9, accuracy=0.4, gained=0.05, signals=10)
    for metric, highest in (("sharpe", 9.0), ("accuracy", 1.0), ("return", 3.0)):
        ranked = (await top(call, "AAG/USD", metric=metric)).items
        assert [UUID(item.strategy_id) for item in ranked] == [tried, proven, lucky]
        assert [item.signals_count for item in ranked] == [10, 10, 1]
        assert ranked[2].score == highest, "the score is the value of the metric"


async def test_many_signals_prove_more_than_a_slightly_higher_score_of_few(call: StrategyCall, book: Any) -> None:
    few, many, rest = [await book.strategy("AAH/USD") for _ in range(3)]
    await book.month(few, 10, sharpe=1.0, accuracy=0.7, signals=10)
    await book.month(many, 10, sharpe=1.0, accuracy=0.65, signals=200)
    await book.month(rest, 10, sharpe=1.0, accuracy=0.4, signals=300)
    ranked = (await top(call, "AAH/USD", metric="accuracy")).items
    assert [UUID(item.strategy_id) for item in ranked] == [many, few, rest]


@given(measured=st.lists(st.tuples(st.integers(0, 40), st.floats(-1e308, 1e308)), min_size=1, max_size=8))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_the_order_is_that_of_the_shrunk_scores(
    call: StrategyCall, book: Any, measured: list[tuple[int, float]]
) -> None:
    await book.postgres.fetch("DELETE FROM strategies WHERE symbol = 'AAI/USD'")
    made = [await book.strategy("AAI/USD") for _ in measured]
    for strategy, (signals, sharpe) in zip(made, measured, strict=True):
        await book.month(strategy, 10, sharpe=sharpe, signals=signals)
    total = sum(signals for signals, _ in measured)
    scores = [(signals, Fraction(repr(sharpe))) for signals, sharpe in measured]
    mean = sum(n * x for n, x in scores) / total if total else sum(x for _, x in scores) / len(scores)
    shrunk = {each: (n < 10, -(n * x + 20 * mean) / (n + 20)) for each, (n, x) in zip(made, scores, strict=True)}
    ranked = [UUID(item.strategy_id) for item in (await top(call, "AAI/USD", limit=8)).items]
    assert [item[0] for item in map(shrunk.get, ranked) if item] == sorted(is_few for is_few, _ in shrunk.values())
    for better, worse in itertools.pairwise(map(shrunk.__getitem__, ranked)):
        tolerance = Fraction(max(abs(better[1]), abs(worse[1]))) / 10**12 + Fraction(1, 10**12)
        assert better[0] < worse[0] or better[1] <= worse[1] + tolerance


async def test_pages_neither_repeat_nor_lose_a_row_even_when_all_scores_are_equal(
    call: StrategyCall, book: Any
) -> None:
    made = [await book.strategy("AAC/USD") for _ in range(23)]
    for strategy in made:
        await book.month(strategy, 10, sharpe=1.5)
    pages = [await top(call, "AAC/USD", limit=5, offset=offset) for offset in range(0, 25, 5)]
    assert [len(page.items) for page in pages] == [5, 5, 5, 5, 3]
    assert {page.total for page in pages} == {23}
    assert [UUID(item.strategy_id) for page in pages for item in page.items] == sorted(made)


async def test_equal_scores_are_ordered_by_the_strategys_identifier(call: StrategyCall, book: Any) -> None:
    high, low = UUID(int=2**127), UUID(int=1)
    for strategy_id in (high, low):
        await book.month(await book.strategy("AAD/USD", strategy_id=strategy_id), 10, sharpe=1.0)
    assert [UUID(item.strategy_id) for item in (await top(call, "AAD/USD")).items] == [low, high]


async def test_a_page_past_the_end_is_empty_and_still_knows_the_total(call: StrategyCall, book: Any) -> None:
    await book.month(await book.strategy("AAE/USD"), 10, sharpe=1.0)
    page = await top(call, "AAE/USD", offset=1_000_000)
    assert (page.items, page.total) == ([], 1)


async def test_a_symbol_with_nothing_behind_it_is_not_found(call: StrategyCall) -> None:
    with pytest.raises(SymbolNotFound) as raised:
        await top(call, "NOTHING/USD", offset=3)
    assert raised.value.details == {"symbol": "NOTHING/USD"}


async def test_strategies_that_do_not_run_or_were_never_measured_are_not_ranked(call: StrategyCall, book: Any) -> None:
    await book.month(await book.strategy("AAF/USD", active=False), 10, sharpe=1.0)
    await book.strategy("AAF/USD")
    with pytest.raises(SymbolNotFound):
        await top(call, "AAF/USD")


async def test_the_newest_signal_is_the_current_one(call: StrategyCall, book: Any) -> None:
    strategy = await book.strategy("BAA/USD")
    await book.signal(strategy, "BAA/USD", "SELL", age=timedelta(hours=3))
    await book.signal(strategy, "BAA/USD", "BUY", age=timedelta(hours=1), confidence=0.75)
    await book.signal(strategy, "BAA/USD", "HOLD", age=timedelta(hours=2))
    found = await signal(call, strategy, "BAA/USD")
    assert (found.signal, found.confidence, found.parameters) == ("BUY", 0.75, {"period": 14})
    assert found.triggered_at == call.now - timedelta(hours=1)
    assert found.triggered_at.utcoffset() == timedelta(0)


async def test_an_identifier_counts_in_any_case(call: StrategyCall, book: Any) -> None:
    strategy = await book.strategy("BAB/USD", strategy_id=UUID("abcdefab-cdef-4bcd-8bcd-abcdefabcdef"))
    await book.signal(strategy, "BAB/USD", "BUY")
    assert (await signal(call, str(strategy).upper(), "BAB/USD")).signal == "BUY"


@pytest.mark.parametrize(
    "strategy_id",
    [
        "x",
        "1",
        "' OR true --",
        "{0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01}",
        "0b7e6f2c5d4a4a349a530f6f6c1f6a01",
        "\0",
        "\N{ARABIC-INDIC DIGIT ONE}1111111-1111-4111-8111-111111111111",
    ],
)
async def test_a_malformed_identifier_belongs_to_no_strategy(call: StrategyCall, strategy_id: str) -> None:
    with pytest.raises(StrategyNotFound) as raised:
        await signal(call, strategy_id, "ETH/USD")
    assert raised.value.details == {"strategy_id": strategy_id}


async def test_an_unknown_strategy_is_not_found_whatever_the_symbol(call: StrategyCall) -> None:
    with pytest.raises(StrategyNotFound):
        await signal(call, uuid4(), "ETH/USD")


async def test_a_signal_is_current_up_to_its_greatest_age_and_not_a_moment_longer(
    call: StrategyCall, book: Any
) -> None:
    just, late = await book.strategy("BAC/USD"), await book.strategy("BAC/USD")
    await book.signal(just, "BAC/USD", "BUY", age=DAY)
    await book.signal(late, "BAC/USD", "BUY", age=DAY + timedelta(microseconds=1))
    assert (await signal(call, just, "BAC/USD")).signal == "BUY"
    with pytest.raises(NoSignal) as raised:
        await signal(call, late, "BAC/USD")
    assert raised.value.details == {"strategy_id": str(late), "symbol": "BAC/USD"}


async def test_a_signal_for_another_symbol_is_none(call: StrategyCall, book: Any) -> None:
    strategy = await book.strategy("BAD/USD")
    await book.signal(strategy, "BAD/USD", "BUY")
    with pytest.raises(NoSignal):
        await signal(call, strategy, "BAD/EUR")


# Each case: the active strategies' signals, and what they mean together.
MEANINGS = {
    "B": ("STRONG_BUY", 0.9),
    "S": ("STRONG_SELL", 0.2),
    "H": ("NEUTRAL", 0.4),
    "BS": ("NEUTRAL", 0.55),
    "BBSS": ("NEUTRAL", 0.55),
    "BH": ("NEUTRAL", 0.65),
    "BBBBBBBSSS": ("STRONG_BUY", 0.9),
    "BBBBBBSSSS": ("BUY", 0.9),
    "SSSSSSSHHH": ("STRONG_SELL", 0.2),
    "SSSSSSHHHB": ("SELL", 0.2),
    "SSHHH": ("NEUTRAL", 0.32),
    "BBS": ("BUY", 0.9),
    "BBS----": ("BUY", 0.9),
    "----": ("NEUTRAL", 0.0),
}
KINDS = {"B": ("BUY", 0.9), "S": ("SELL", 0.2), "H": ("HOLD", 0.4)}


@pytest.mark.parametrize("case", list(MEANINGS))
async def test_the_consensus_is_of_the_active_strategies_that_have_a_current_signal(
    call: StrategyCall, book: Any, case: str
) -> None:
    symbol = f"C{list(MEANINGS).index(case)}/USD"
    for letter in case:
        strategy = await book.strategy(symbol)
        if letter in KINDS:
            kind, confidence = KINDS[letter]
            await book.signal(strategy, symbol, kind, confidence=confidence)
        else:
            await book.signal(strategy, symbol, "SELL", age=2 * DAY)
    await book.signal(await book.strategy(symbol, active=False), symbol, "SELL")
    found = await consensus(call, symbol)
    counts = (found.bullish_count, found.bearish_count, found.neutral_count)
    assert counts == (case.count("B"), case.count("S"), case.count("H"))
    meaning, confidence = MEANINGS[case]
    assert found.consensus == meaning
    assert found.confidence == pytest.approx(confidence)


async def test_of_several_signals_of_a_strategy_the_newest_votes(call: StrategyCall, book: Any) -> None:
    strategy = await book.strategy("CA/USD")
    for age, kind in ((1, "SELL"), (2, "BUY"), (3, "BUY")):
        await book.signal(strategy, "CA/USD", kind, age=timedelta(hours=age))
    found = await consensus(call, "CA/USD")
    assert (found.bullish_count, found.bearish_count, found.consensus) == (0, 1, "STRONG_SELL")


@pytest.mark.parametrize("symbol", ["NOBODY/USD", "RETIRED/USD"])
async def test_without_an_active_strategy_there_is_no_consensus(call: StrategyCall, book: Any, symbol: str) -> None:
    await book.signal(await book.strategy("RETIRED/USD", active=False), "RETIRED/USD", "BUY")
    with pytest.raises(NoActiveStrategies) as raised:
        await consensus(call, symbol)
    assert raised.value.details == {"symbol": symbol}


def test_bulls_and_bears_are_judged_alike() -> None:
    mirrored = {
        "STRONG_BUY": "STRONG_SELL",
        "BUY": "SELL",
        "NEUTRAL": "NEUTRAL",
        "SELL": "BUY",
        "STRONG_SELL": "STRONG_BUY",
    }
    chance = random.Random(7)
    for _ in range(500):
        bulls, bears, others = (chance.randrange(12) for _ in range(3))
        there = {"bullish_confidence": 0.8, "bearish_confidence": 0.8, "mean_confidence": 0.8}
        one, _ = find_consensus(
            CurrentSignalsRow(strategies=100, bullish=bulls, bearish=bears, neutral=others, **there)
        )
        other, _ = find_consensus(
            CurrentSignalsRow(strategies=100, bullish=bears, bearish=bulls, neutral=others, **there)
        )
        assert mirrored[one] == other


def test_exactly_seven_of_ten_is_strong_whatever_the_count() -> None:
    there = {"bullish_confidence": 1.0, "bearish_confidence": 1.0, "mean_confidence": 1.0}
    for tens in range(1, 50):
        strong, _ = find_consensus(
            CurrentSignalsRow(strategies=100, bullish=7 * tens, bearish=0, neutral=3 * tens, **there)
        )
        weak, _ = find_consensus(
            CurrentSignalsRow(strategies=100, bullish=7 * tens - 1, bearish=0, neutral=3 * tens + 1, **there)
        )
        assert (strong, weak) == ("STRONG_BUY", "BUY")
