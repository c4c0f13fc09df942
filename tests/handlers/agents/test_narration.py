"""Signals in the words of a model, on an API like OpenRouter's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from generated.agents.signal_generator.models import Signal
from handlers.agents.narration import MAX_LENGTH
from tests.handlers.agents.scripted_tools import AGENT, GONE, VALIDATOR, ScriptedTools
from tests.services.model_api import GPT, KEY, Json, ModelApi, Turn, final, serving
from tests.toolaccord.process import PATIENCE_S
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.model.opening import open_model
from toolaccord.agent.outcomes import Answered, Outcome
from toolaccord.agent.requests import Dependencies, RequestRunner
from toolaccord.call.events import bind_events
from toolaccord.telemetry.redaction import Redactor
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.deadline import deadline_in

VOTES = "4 of 5 top strategies signal BUY (4 BUY, 1 SELL and 0 HOLD)."
STRATEGIES = (
    "Strategies: RSI_REVERSAL BUY (score 0.89), MACD_CROSS BUY (score 0.85), BOLLINGER_BOUNCE BUY (score 0.78), "
    "EMA_TREND BUY (score 0.72), VOLUME_BREAKOUT SELL (score 0.65)."
)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def api() -> Iterator[ModelApi]:
    with serving(ModelApi()) as running:
        yield running


@asynccontextmanager
async def with_model(tools: ScriptedTools, api: ModelApi) -> AsyncIterator[ScriptedTools]:
    """Give *tools* the model of *api*, which may call them."""
    settings = {"model": GPT, "model_url": api.url, "model_token": KEY}
    clients = {"strategy": tools.strategy, "market_data": tools.market_data}
    async with open_model(AGENT, settings, clients, AgentMetrics(AGENT), tools.clock) as tools.model:
        yield tools


async def judge(api: ModelApi, *replies: Any, tools: ScriptedTools | None = None) -> Signal:
    """Return the signal of a model with *replies*."""
    api.replies = list(replies)
    async with with_model(tools or ScriptedTools(), api) as stage:
        with deadline_in(stage.clock, 8):
            return await stage.answer()


async def test_the_words_of_the_model_come_first_and_the_strategies_follow(api: ModelApi) -> None:
    words = (
        "Four of 5 strategies agree on BUY, with a confidence of 81%.\n\nThe price is up 2.3% at 2,450.50 in 1h; "
        "the volume is 1.45 times its 24-hour mean."
    )
    tools = ScriptedTools()
    signal = await judge(api, final(reasoning=words), tools=tools)
    assert signal.reasoning == f"{words.replace(chr(10) * 2, ' ')} {VOTES} {STRATEGIES}"
    ((channel, published),) = tools.channel.published
    assert (channel, published["reasoning"]) == ("channel:raw-signals", signal.reasoning)
    VALIDATOR.validate(published)


async def test_nothing_but_the_reasoning_depends_on_the_model(api: ModelApi) -> None:
    judged = await judge(api, final(reasoning="SELL it all."))
    plain = await ScriptedTools().answer()
    assert judged.model_copy(update={"reasoning": plain.reasoning}) == plain


async def test_the_model_receives_the_signal_with_percentages(api: ModelApi) -> None:
    await judge(api, final(reasoning="Buy."))
    prompt = api.requests[0]["messages"][-1]["content"]
    data: Json = json.loads(prompt.partition("as JSON:\n")[2])
    assert (data["action"], data["confidence_pct"]) == ("BUY", pytest.approx(81.226))
    assert data["strategy_breakdown"][0] == {"name": "RSI_REVERSAL", "signal": "BUY", "score": 0.89, "score_pct": 89.0}
    assert data["market_context"] == {
        "current_price": 2450.5,
        "volume_ratio": 1.45,
        "price_change_1h_pct": 2.3,
        "volatility_1h_pct": 1.8,
        "hours_of_change": 1,
        "hours_of_mean_volume": 24,
    }


async def test_numbers_of_tools_that_the_model_called_count_as_evidence(api: ModelApi) -> None:
    looks_up = Turn(calls=(("get_volatility", {"symbol": "ETH/USD", "timeframe": "1h"}),))
    signal = await judge(api, looks_up, final(reasoning="The average true range is 31.2."))
    assert signal.reasoning.startswith("The average true range is 31.2. ")


async def test_the_model_s_tools_answer_for_the_symbol_of_the_request_alone(api: ModelApi) -> None:
    looks_up = Turn(calls=(("get_candles", {"symbol": "BTC/USD", "timeframe": "1h", "limit": 5}),))
    tools = ScriptedTools()
    signal = await judge(api, looks_up, final(reasoning="The strategies agree."), tools=tools)
    assert signal.reasoning.startswith("The strategies agree. ")
    assert all(arguments.get("symbol") == "ETH/USD" for _tool, arguments in tools.sent)
    (judged,) = [each["content"] for each in api.requests[-1]["messages"] if each["role"] == "tool"]
    assert "Only ETH/USD may be the symbol of a call for this request." in judged


async def test_a_fraction_of_a_tool_is_no_percentage(api: ModelApi) -> None:
    looks_up = Turn(calls=(("get_volatility", {"symbol": "ETH/USD", "timeframe": "1h"}),))
    signal = await judge(api, looks_up, final(reasoning="The volatility is 0.018%."))
    assert "0.018" not in signal.reasoning


@pytest.mark.parametrize(
    "words",
    [
        "The confidence is 99%.",
        "The average true range is 31.2.",
        "The volatility is 0.018%.",
        "On 2026-11-22, it rose.",
        "It rose for 6 hours.",
        "It doubled to 4901.",
        "The price fell by 2.3%.",
        "BTC rose by 2.3%.",
        "Sell now.",
        "See https://example.com for the 4 BUY signals.",
        "x" * (MAX_LENGTH + 1),
        " \n ",
    ],
)
async def test_words_without_evidence_give_way_to_the_deterministic_text(api: ModelApi, words: str) -> None:
    signal = await judge(api, final(reasoning=words))
    assert signal.reasoning == (await ScriptedTools().answer()).reasoning


async def test_nothing_invisible_of_the_model_reaches_a_subscriber(api: ModelApi) -> None:
    signal = await judge(api, final(reasoning=" The\x1b[m\0 strategies\n\u202eagree.\u200b"))
    assert signal.reasoning == f"The[m strategies agree. {VOTES} {STRATEGIES}"


async def test_words_of_which_nothing_is_visible_are_an_error_in_the_log(api: ModelApi) -> None:
    with capture_logs() as lines:
        await judge(api, final(reasoning=" \n\u200b"))
    assert f"the model {GPT} wrote nothing: " in next(
        each.getMessage() for each in lines if each.levelname == "WARNING"
    )


async def test_a_rejection_is_logged_with_the_numbers(api: ModelApi) -> None:
    with capture_logs() as lines:
        await judge(api, final(reasoning="It doubled to 4901 in 3 minutes."))
    assert "the words of the model are not used, because no data says doubled, 4901, 3 minutes" in [
        each.getMessage() for each in lines
    ]


async def test_missing_data_stands_in_the_reasoning_beside_the_model_s_words(api: ModelApi) -> None:
    signal = await judge(api, final(reasoning="The strategies agree."), tools=ScriptedTools(price=GONE))
    assert signal.reasoning == (
        f"The strategies agree. {VOTES} Degraded signal due to unavailable tools: get_current_price (ServerGone). "
        f"The penalty for it is 10%. {STRATEGIES}"
    )


async def test_without_a_vote_no_model_is_asked(api: ModelApi) -> None:
    signal = await judge(api, final(reasoning="Buy."), tools=ScriptedTools(ranking=GONE))
    assert signal.reasoning.startswith("The signals of the strategies are unknown")
    assert api.requests == []


def run_by(tools: ScriptedTools, clock: ManualClock) -> asyncio.Task[Outcome]:
    """Run a request of the agent with *tools*."""
    source: Any = tools.channel
    settings = {setting.name: setting.default for setting in AGENT.settings}
    dependencies = Dependencies(
        clients={"strategy": tools.strategy, "market_data": tools.market_data},
        sources={"bus": source},
        events={each.event.name: each for each in bind_events(AGENT.events, {"bus": source})},
        settings=settings,
        metrics=AgentMetrics(AGENT),
        redactor=Redactor(()),
        clock=clock,
        model=tools.model,
    )
    return asyncio.create_task(RequestRunner(AGENT, dependencies).run({"symbol": "ETH/USD"}))


async def test_a_model_that_hangs_leaves_time_to_publish_the_signal(api: ModelApi) -> None:
    api.gate.clear()
    async with with_model(ScriptedTools(), api) as tools:
        running = run_by(tools, tools.clock)
        assert await asyncio.to_thread(api.received.wait, PATIENCE_S)
        tools.clock.advance(7.9)
        await asyncio.sleep(0)
        assert tools.channel.published == []
        tools.clock.advance(0.2)
        outcome = await asyncio.wait_for(running, PATIENCE_S)
    assert isinstance(outcome, Answered)
    assert outcome.missing == ()
    assert [payload for _, payload in tools.channel.published] == [outcome.result]
    assert VOTES in outcome.result["reasoning"]
