"""The calls of strategy-mcp."""

from sandbox.demo.calls import UNKNOWN_TOOL, Arguments, Recorder
from sandbox.seeded_random import SEED
from sandbox.tradestream.strategies import find_signalling_strategy


async def call_strategy_tools(recorder: Recorder) -> None:
    """Call every tool of strategy-mcp: cache, pages, bad arguments, and missing data."""
    page: Arguments = {"symbol": "BTC/USD", "limit": 3}
    await recorder.call("a miss: PostgreSQL answers", "result fresh", "get_top_strategies", page)
    await recorder.call("a hit: the cache answers", "result cached", "get_top_strategies", page)
    await recorder.call("force_refresh", "result fresh", "get_top_strategies", page | {"force_refresh": True})
    await recorder.call("page two", "result fresh", "get_top_strategies", page | {"offset": 3})
    await recorder.call("another metric", "result fresh", "get_top_strategies", page | {"metric": "accuracy"})
    await recorder.call(
        "the consensus of all strategies", "result fresh", "get_strategy_consensus", {"symbol": "BTC/USD"}
    )
    await _signal(recorder)
    await _bad_arguments(recorder)
    await _nothing_there(recorder)


async def _signal(recorder: Recorder) -> None:
    """Call for the signal of a strategy twice, and for a symbol that it does not trade."""
    arguments: Arguments = {"strategy_id": find_signalling_strategy(SEED, "BTC/USD"), "symbol": "BTC/USD"}
    await recorder.call("the signal of one strategy", "result fresh", "get_strategy_signal", arguments)
    await recorder.call("a hit", "result cached", "get_strategy_signal", arguments)
    elsewhere = arguments | {"symbol": "ETH/USD"}
    await recorder.call("no signal for this symbol", "NO_SIGNAL", "get_strategy_signal", elsewhere)


async def _bad_arguments(recorder: Recorder) -> None:
    none: Arguments = {"symbol": "BTC/USD", "limit": 0}
    several: Arguments = {"symbol": "BTC/USD", "limit": "5", "offset": -1, "page": 2}
    await recorder.call("an argument out of range", "INVALID_PARAMETER", "get_top_strategies", none)
    await recorder.call("several bad arguments at once", "INVALID_PARAMETER", "get_top_strategies", several)
    await recorder.call("an argument is missing", "INVALID_PARAMETER", "get_strategy_signal", {"symbol": "BTC/USD"})
    await recorder.call(
        "an invalid symbol has its own code", "INVALID_SYMBOL", "get_strategy_consensus", {"symbol": "btcusd"}
    )
    unknown_metric: Arguments = {"symbol": "BTC/USD", "metric": "luck"}
    await recorder.call("so has an unknown metric", "INVALID_METRIC", "get_top_strategies", unknown_metric)
    await recorder.call("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def _nothing_there(recorder: Recorder) -> None:
    nowhere: Arguments = {"symbol": "ZZZ/USD"}
    await recorder.call("an unknown symbol", "SYMBOL_NOT_FOUND", "get_top_strategies", nowhere)
    await recorder.call("a symbol without active strategies", "NO_ACTIVE_STRATEGIES", "get_strategy_consensus", nowhere)
    unknown: Arguments = {"strategy_id": "no-such-strategy", "symbol": "BTC/USD"}
    await recorder.call("an unknown strategy", "STRATEGY_NOT_FOUND", "get_strategy_signal", unknown)


async def call_without_database(recorder: Recorder) -> None:
    """Call strategy-mcp while its database is down."""
    await recorder.call("the database is down", "DATABASE_ERROR", "get_strategy_consensus", {"symbol": "BTC/USD"})
