"""Words of a language model about a signal; they count if their numbers stand in its data."""

from __future__ import annotations

import logging

from pydantic import BaseModel, ConfigDict, Field

from generated.agents.signal_generator.models import Signal
from handlers.agents.analysis.number_check import find_unsupported
from handlers.agents.evidence import CANDLES
from handlers.agents.words import Words
from toolpact.agent.call import LanguageModel
from toolpact.errors import ModelError
from toolpact.json_values import JsonObject

_LOG = logging.getLogger(__name__)
MAX_LENGTH = 2000
"""Largest number of characters of a model's words."""
_TASK = f"""\
Explain the trading signal below to a trader, in two to five sentences of plain English, at most {MAX_LENGTH} characters.
Its action, its confidence and its counts are final: explain them, and do not judge again.
Say which strategies agree, and if price, volume and volatility support them. You may look at candles for a pattern.
Do not list all strategies: a list with their signals and scores follows your words.
Write numbers in digits, and only those of the data or of a tool's result. Do not compute others."""
_FRACTIONS = {"price_change_1h", "volatility_1h"}
"""Members of the market context that people read in percent."""


class Narration(BaseModel):
    """The explanation of a signal."""

    model_config = ConfigDict(defer_build=True)  # an agent without a model needs no validator

    reasoning: Words = Field(min_length=1, max_length=MAX_LENGTH, description="Two to five sentences in plain English")


async def narrate(signal: Signal, model: LanguageModel | None) -> str:
    """Return the words of *model* about *signal*, in one line.

    They are empty without a model, without a strategy to write about, without an answer in time, and if a number of
    them has no evidence.
    """
    if model is None or not signal.strategies_analyzed:
        return ""
    data = _describe(signal)
    try:
        written = await model.write(_TASK, data, Narration)
    except ModelError:
        return ""
    words = " ".join(written.output.reasoning.split())
    results = [data, *(call.result for call in written.calls)]
    if unsupported := find_unsupported(words, results, "en", percentages=("pct",)):
        _LOG.warning("the words of the model are not used, because no data has %s", ", ".join(unsupported))
        return ""
    return words


def _describe(signal: Signal) -> JsonObject:
    """Return *signal* as data for a model; fractions are in percent, too, or only."""
    data: JsonObject = signal.model_dump(mode="json", exclude_none=True, exclude={"signal_id", "reasoning"})
    data["confidence_pct"] = _percent(signal.confidence)
    for strategy in data["strategy_breakdown"]:
        strategy["score_pct"] = _percent(strategy["score"])
    if context := data.get("market_context"):
        percentages = {f"{name}_pct": _percent(context.pop(name)) for name in _FRACTIONS & context.keys()}
        data["market_context"] = context | percentages | {"hours_of_change": 1, "hours_of_mean_volume": CANDLES - 1}
    return data


def _percent(fraction: float) -> float:
    return round(fraction * 100, 6)  # 0.023 is 2.3, and not 2.3000000000000003
