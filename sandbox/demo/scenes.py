"""The scenes of the demo: a call, its purpose, and the expected answer."""

import time
from dataclasses import dataclass, field
from typing import Any

from mcp import Client, MCPError

from sandbox.demo.answers import Answer, read, refused, shortened
from sandbox.tradestream import SEED
from sandbox.tradestream.strategies import vocal_strategy

UNKNOWN_TOOL = "-32602"
Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One call that was made, and its answer."""

    shows: str
    call: str
    latency_ms: float
    answer: Answer
    expected: str
    """The kind the answer must have, with `cached` or `fresh` where that matters."""

    @property
    def as_expected(self) -> bool:
        """True if the answer is the expected one."""
        kind, _, freshness = self.expected.partition(" ")
        return self.answer.kind == kind and freshness in {"", "cached" if self.answer.cached else "fresh"}


@dataclass(frozen=True, slots=True)
class Stage:
    """A server that is called, and the calls so far."""

    client: Client
    scenes: list[Scene] = field(default_factory=list)

    async def play(
        self, shows: str, expected: str, tool: str, arguments: Arguments, *, key: str | None = None
    ) -> Answer:
        """Call *tool*, with the idempotency *key* if any, record the scene, and return the answer."""
        meta: Any = None if key is None else {"idempotency_key": key}
        begun = time.perf_counter()
        try:
            answer = read(await self.client.call_tool(tool, arguments, meta=meta))
        except MCPError as error:
            answer = refused(error)
        took = (time.perf_counter() - begun) * 1000
        said = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        call = shortened(f"{tool}({said})")
        scene = Scene(shows=shows, call=call, latency_ms=took, answer=answer, expected=expected)
        self.scenes.append(scene)
        return answer


async def strategies(stage: Stage) -> None:
    """Call every tool of strategy-mcp: cache, pages, bad arguments, and missing data."""
    page: Arguments = {"symbol": "BTC/USD", "limit": 3}
    await stage.play("a miss: PostgreSQL answers", "result fresh", "get_top_strategies", page)
    await stage.play("a hit: the cache answers", "result cached", "get_top_strategies", page)
    await stage.play("force_refresh", "result fresh", "get_top_strategies", page | {"force_refresh": True})
    await stage.play("page two", "result fresh", "get_top_strategies", page | {"offset": 3})
    await stage.play("another metric", "result fresh", "get_top_strategies", page | {"metric": "accuracy"})
    await stage.play("what all strategies say", "result fresh", "get_strategy_consensus", {"symbol": "BTC/USD"})
    await _signal(stage)
    await _bad_arguments(stage)
    await _nothing_there(stage)


async def _signal(stage: Stage) -> None:
    """Call for the signal of a strategy twice, and for a symbol that it does not trade."""
    asked: Arguments = {"strategy_id": vocal_strategy(SEED, "BTC/USD"), "symbol": "BTC/USD"}
    await stage.play("what one strategy says", "result fresh", "get_strategy_signal", asked)
    await stage.play("a hit", "result cached", "get_strategy_signal", asked)
    elsewhere = asked | {"symbol": "ETH/USD"}
    await stage.play("no signal for this symbol", "NO_SIGNAL", "get_strategy_signal", elsewhere)


async def _bad_arguments(stage: Stage) -> None:
    none: Arguments = {"symbol": "BTC/USD", "limit": 0}
    several: Arguments = {"symbol": "BTC/USD", "limit": "5", "offset": -1, "page": 2}
    await stage.play("an argument out of range", "INVALID_PARAMETER", "get_top_strategies", none)
    await stage.play("several bad arguments at once", "INVALID_PARAMETER", "get_top_strategies", several)
    await stage.play("an argument is missing", "INVALID_PARAMETER", "get_strategy_signal", {"symbol": "BTC/USD"})
    await stage.play("a code of its own", "INVALID_SYMBOL", "get_strategy_consensus", {"symbol": "btcusd"})
    unknown_metric: Arguments = {"symbol": "BTC/USD", "metric": "luck"}
    await stage.play("another code of its own", "INVALID_METRIC", "get_top_strategies", unknown_metric)
    await stage.play("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def _nothing_there(stage: Stage) -> None:
    nowhere: Arguments = {"symbol": "ZZZ/USD"}
    await stage.play("nothing known of a symbol", "SYMBOL_NOT_FOUND", "get_top_strategies", nowhere)
    await stage.play("no strategy is active", "NO_ACTIVE_STRATEGIES", "get_strategy_consensus", nowhere)
    unknown: Arguments = {"strategy_id": "no-such-strategy", "symbol": "BTC/USD"}
    await stage.play("an unknown strategy", "STRATEGY_NOT_FOUND", "get_strategy_signal", unknown)


async def outage(stage: Stage) -> None:
    """Call strategy-mcp while its database is down."""
    await stage.play("the database is down", "DATABASE_ERROR", "get_strategy_consensus", {"symbol": "BTC/USD"})
