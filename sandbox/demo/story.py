"""The story of the demo: a few calls that show what servers and agents are for."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from sandbox.demo.agents import GENERATOR, connect_generator
from sandbox.demo.calls import Arguments, Recorder
from sandbox.demo.exchange import SNAPSHOT
from sandbox.demo.report import build_line
from sandbox.demo.sections import Section
from sandbox.seeded_random import SEED
from sandbox.tradestream.performance import DAYS
from sandbox.tradestream.strategies import find_signalling_strategy
from toolaccord_codegen.reporting.charts.candles import Candle, draw_candles

SYMBOL = "ETH/USD"
NAMES = frozenset({
    "BACKTESTER_TARGET", "DATABASE_URL", "INFLUXDB_QUERY_LANGUAGE", "INFLUXDB_URL", "MOEX_ISS_BASE_URL",
    "PORTFOLIO_ACCOUNT_ID", "REDIS_URL",
})  # fmt: skip
"""The environment of the story's servers."""
HOURS = 48
CHART = 90, 8
"""The columns and lines of the chart."""
Body: TypeAlias = dict[str, Any]
Describe: TypeAlias = Callable[[Body], str]
"""Returns the sentence of a result's data."""


@dataclass
class Story:
    """Tells each call when it is answered; later calls use answers of earlier ones."""

    console: Console
    leader: Body = field(default_factory=dict)
    price: float = 0.0

    def list_sections(self) -> Sequence[Section]:
        """Return the servers in the order of the story."""
        return (
            Section("strategy-mcp", "tradestream.strategy", self._tell_strategies),
            Section("market-data-mcp", "tradestream.market_data", self._tell_market),
            Section("backtest-mcp", "tradestream.backtest", self._tell_backtest),
            Section("portfolio-mcp", "tradestream.portfolio", self._tell_trades),
            Section("decisions-mcp", "tradestream.decisions", self._tell_decision),
            Section("moex-iss-mcp", "moex.iss", self._tell_exchange),
            Section("signal-generator", "agents.signal_generator", self._tell_agent, connect=connect_generator),
        )

    def _show(self, recorder: Recorder, told: str | Describe = "", below: RenderableType = "") -> None:
        """Print the last call of *recorder*: its purpose, and *told* of its result, or its error."""
        call = recorder.calls[-1]
        if call.answer.kind != "result":
            error = Text(f"{call.answer.kind}: ", style="yellow") + Text(call.answer.summary, style="")
            self.console.print(build_line(call, Text(call.purpose), error))
            return
        text = told if isinstance(told, str) else told(call.answer.data)
        self.console.print(build_line(call, Text(call.purpose), Text(text)))
        if below:
            self.console.print(Padding(below, (0, 0, 0, 3)))

    async def _tell_strategies(self, recorder: Recorder) -> None:
        page: Arguments = {"symbol": SYMBOL, "limit": 3}
        top = await recorder.call(f"Which strategies lead for {SYMBOL}?", "result fresh", "get_top_strategies", page)
        self.leader = next(iter(top.data.get("items", [])), {})
        self._show(recorder, _describe_leaders)
        await recorder.call("The same question again", "result cached", "get_top_strategies", page)
        self._show(recorder, "the same three")
        symbol: Arguments = {"symbol": SYMBOL}
        await recorder.call("What do all strategies say now?", "result fresh", "get_strategy_consensus", symbol)
        self._show(recorder, _describe_consensus)
        strategy = symbol | {"strategy_id": find_signalling_strategy(SEED, SYMBOL)}
        await recorder.call("And one of them?", "result fresh", "get_strategy_signal", strategy)
        self._show(recorder, _describe_signal)

    async def _tell_market(self, recorder: Recorder) -> None:
        hours: Arguments = {"symbol": SYMBOL, "limit": HOURS}
        answer = await recorder.call("The last two days", "result fresh", "get_candles", hours)
        self._show(recorder, "one-minute candles, combined by the store:", _draw(answer.data.get("items", [])))
        answer = await recorder.call("The price", "result fresh", "get_current_price", {"symbol": SYMBOL})
        self.price = answer.data.get("price", 1.0)
        self._show(recorder, lambda data: f"{data['price']:,.2f} dollars, {data['change_24h']:+.1%} in a day")

    async def _tell_backtest(self, recorder: Recorder) -> None:
        today = datetime.now(UTC).date()
        days = {"start_date": str(today - timedelta(days=DAYS)), "end_date": str(today)}
        arguments = {"strategy_id": self.leader.get("strategy_id", "none"), "symbol": SYMBOL} | days
        name = self.leader.get("name", "the leader")
        await recorder.call(f"A backtest of {name}", "result", "run_backtest", arguments)
        self._show(recorder, self._describe_backtest)

    def _describe_backtest(self, data: Body) -> str:
        ranked = ", as ranked" if data.get("sharpe_ratio") == self.leader.get("sharpe") else ""
        earned = f"{data['total_return']:+.1%} in {DAYS} days by {data['trades']} trades"
        return f"{earned}; Sharpe ratio {data.get('sharpe_ratio', 0):.2f}{ranked}"

    async def _tell_trades(self, recorder: Recorder) -> None:
        trade: Arguments = {"symbol": SYMBOL, "side": "BUY", "price": self.price}
        small, large = ({"size": round(dollars / self.price, 3)} for dollars in (3_000, 3_000_000))
        await recorder.call(f"May it buy {small['size']:g} ETH?", "result", "validate_trade", trade | small)
        self._show(recorder, lambda data: data["reason"])
        await recorder.call(f"And {large['size']:,.0f} ETH?", "INSUFFICIENT_BALANCE", "validate_trade", trade | large)
        self._show(recorder)

    async def _tell_decision(self, recorder: Recorder) -> None:
        reasoning = "The demo decided on it."
        decision = {"symbol": SYMBOL, "action": "BUY", "confidence": 0.72, "reasoning": reasoning}
        key, save = f"demo-{secrets.token_hex(8)}", "save_decision"
        saved = await recorder.call("A decision is saved", "result", save, decision, key=key)
        self._show(recorder, lambda data: f"as {data['decision_id']}")
        await recorder.call("Sent again after a lost answer", "result", save, decision, key=key, repeats=saved)
        self._show(recorder, "saved once: the answer is the same")

    async def _tell_exchange(self, recorder: Recorder) -> None:
        share: Arguments = {"ticker": "SBER"}
        await recorder.call("SBER's day in Moscow", "result fresh", SNAPSHOT, share)
        self._show(recorder, _describe_share)
        await recorder.call("The same share again", "result cached", SNAPSHOT, share)
        self._show(recorder, "the same, without a request to the exchange")

    async def _tell_agent(self, recorder: Recorder) -> None:
        await recorder.call(f"An agent's signal for {SYMBOL}", "result", GENERATOR, {"symbol": SYMBOL})
        self._show(recorder, _describe_agent)


def _describe_leaders(data: Body) -> str:
    return ", ".join(f"{each['name']} {each['sharpe']:.2f}" for each in data["items"]) + " (annual Sharpe ratios)"


def _describe_consensus(data: Body) -> str:
    votes = f"{data['bullish_count']} buy, {data['bearish_count']} sell, {data['neutral_count']} hold"
    return f"{data['consensus']}: {votes}; confidence {data['confidence']:.2f}"


def _describe_signal(data: Body) -> str:
    at = datetime.fromisoformat(data["triggered_at"])
    return f"{data['signal']} at {at:%H:%M} UTC, confidence {data['confidence']:.2f}"


def _draw(items: Sequence[Body]) -> RenderableType:
    """Return a chart of candles; nothing without any."""
    prices = ("open", "high", "low", "close", "volume")
    candles = [
        Candle(time=datetime.fromisoformat(each["timestamp"]), **{name: each[name] for name in prices})
        for each in items
    ]
    return draw_candles(sorted(candles, key=lambda each: each.time), *CHART) if candles else ""


def _describe_share(data: Body) -> str:
    change = data.get("price_change_pct")
    price = f"{data['last_price']:,.2f} roubles" + ("" if change is None else f", {change:+.2f} %")
    if data.get("low_price") is None:
        return price
    return f"{price}, between {data['low_price']:,.2f} and {data['high_price']:,.2f}; {data['volume']:,} shares"


def _describe_agent(batch: Body) -> str:
    (signal,) = batch["successful"]
    return f"{signal['action']}, confidence {signal['confidence']:.2f}. {signal['reasoning']}"
