"""Words of a language model about a signal; they count if its data say the same."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from functools import partial

from pydantic import BaseModel, ConfigDict, Field

from generated.agents.signal_generator.models import Signal
from handlers.agents.claims.check import find_false_claims
from handlers.agents.claims.facts import Facts, Topic
from handlers.agents.claims.sentences import Mention
from handlers.agents.evidence import CANDLES
from handlers.agents.words import Words
from toolaccord.agent.call import LanguageModel, ModelToolCall
from toolaccord.errors import ModelError
from toolaccord.json_values import JsonObject

_LOG = logging.getLogger(__name__)
MAX_LENGTH = 2000
"""Largest number of characters of a model's words."""
_TASK = f"""\
Explain the trading signal below to a trader, in two to five sentences of plain English, at most {MAX_LENGTH} characters.
Its action, its confidence and its counts are final: explain them, and do not judge again.
Say which strategies agree, and if price, volume and volatility support them. You may look at candles for a pattern.
Do not list all strategies: a list with their signals and scores follows your words.
Write numbers in digits, and only those of the data or of a tool's result. Do not compute others.
Say what each number is, name the strategy of a score, and give no other advice than the action."""
_OWN_WORDS = {"signal_id", "reasoning"}
_DOLLARS = {"USD", "USDT", "USDC"}
_COINS = {
    "BITCOIN": "BTC",
    "ETHER": "ETH",
    "ETHEREUM": "ETH",
    "SOLANA": "SOL",
    "RIPPLE": "XRP",
    "DOGECOIN": "DOGE",
    "CARDANO": "ADA",
}
_SYMBOLS = re.compile(rf"(?<![\w])(?:[A-Z]{{2,10}}[/-][A-Z]{{2,10}}|[A-Z]{{2,10}}|(?i:{'|'.join(_COINS)}))(?![\w])")
_TERMS = _DOLLARS | {
    "BUY",
    "SELL",
    "HOLD",
    "RSI",
    "MACD",
    "EMA",
    "SMA",
    "ATR",
    "ADX",
    "VWAP",
    "OBV",
    "OHLC",
    "OHLCV",
    "UTC",
    "AI",
}
"""Words in capitals that are no symbols."""
_FRACTIONS = {"price_change_1h", "volatility_1h"}
"""Members of the market context that people read in percent."""


class Narration(BaseModel):
    """The explanation of a signal."""

    model_config = ConfigDict(defer_build=True)  # an agent without a model needs no validator

    reasoning: Words = Field(min_length=1, max_length=MAX_LENGTH, description="Two to five sentences in plain English")


async def narrate(signal: Signal, model: LanguageModel | None) -> str:
    """Return the words of *model* about *signal*, in one line.

    They are empty without a model, without a strategy to write about, without an answer in time, and if one of their
    claims has no fact.
    """
    if model is None or not signal.strategies_analyzed:
        return ""
    data = _describe(signal)
    try:
        written = await model.write(_TASK, data, Narration, only={"symbol": (signal.symbol,)})
    except ModelError:
        return ""
    words = " ".join(written.output.reasoning.split())
    if false := find_false_words(words, signal, written.calls):
        _LOG.warning("the words of the model are not used, because no data says %s", ", ".join(false))
        return ""
    return words


def find_false_words(words: str, signal: Signal, calls: Iterable[ModelToolCall] = ()) -> tuple[str, ...]:
    """Return the parts of *words* about *signal* that neither it nor results of *calls* support."""
    facts = Facts(currency=_currency_of(signal.symbol), action=signal.action)
    facts.add_result(signal.model_dump(mode="json", exclude_none=True, exclude=_OWN_WORDS), signal.symbol, "security")
    agreement = max(signal.strategies_bullish, signal.strategies_bearish, signal.strategies_neutral)
    facts.add(signal.symbol, Topic.AGREEMENT, agreement, "strategies")
    for hours in (1, CANDLES - 1):
        facts.add(signal.symbol, Topic.DURATION, hours, "hours")
    for call in calls:
        facts.add_result(call.result, str(call.arguments.get("symbol", signal.symbol)), "security")
    return find_false_claims(words, facts, "en", partial(_find_mentions, signal))


def _find_mentions(signal: Signal, text: str) -> Iterator[Mention]:
    """Yield the named strategies and symbols; unknown words in capitals are symbols."""
    taken: list[Mention] = []
    for name in sorted({each.name for each in signal.strategy_breakdown}, key=len, reverse=True):
        pattern = "[_ -]".join(map(re.escape, re.split("[_ -]", name)))
        found = re.finditer(rf"(?<![\w]){pattern}(?![\w])", text, re.IGNORECASE)
        taken.extend(Mention(*match.span(), name, "strategy") for match in found)
    base = signal.symbol.partition("/")[0]
    for match in _SYMBOLS.finditer(text):
        word = match.group().upper()
        symbol = _COINS.get(word, word)
        is_free = not any(each.start < match.end() and match.start() < each.end for each in taken)
        if is_free and symbol not in _TERMS:
            yield Mention(*match.span(), signal.symbol if symbol in (base, signal.symbol) else symbol, "security")
    yield from taken


def _currency_of(symbol: str) -> str:
    quote = symbol.partition("/")[2]
    return "USD" if quote in _DOLLARS else quote


def _describe(signal: Signal) -> JsonObject:
    """Return *signal* as data for a model; fractions are in percent, too, or only."""
    data: JsonObject = signal.model_dump(mode="json", exclude_none=True, exclude=_OWN_WORDS)
    data["confidence_pct"] = _percent(signal.confidence)
    for strategy in data["strategy_breakdown"]:
        strategy["score_pct"] = _percent(strategy["score"])
    if context := data.get("market_context"):
        percentages = {f"{name}_pct": _percent(context.pop(name)) for name in _FRACTIONS & context.keys()}
        data["market_context"] = context | percentages | {"hours_of_change": 1, "hours_of_mean_volume": CANDLES - 1}
    return data


def _percent(fraction: float) -> float:
    return round(fraction * 100, 6)  # 0.023 is 2.3, and not 2.3000000000000003
