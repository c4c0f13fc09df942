"""Acceptance criteria about models, on the processes of agents and real servers."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from signal import SIGTERM
from typing import Any

import httpx
import pytest

from tests.handlers.agents.specification import specified_confidence
from tests.services.model_api import CLAUDE, GEMINI, GPT, KEY, TOOLLESS, Json, ModelApi, Turn, described, final, serving
from tests.toolaccord.process import PATIENCE_S, Process, started

WEEK_S = "604800"
"""Seconds of a week, in which most strategies of ETH/USD have a signal, on any day."""
WORDS = "The strategies were weighed against the market."


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@asynccontextmanager
async def generating(api: ModelApi, model: str, *arguments: str) -> AsyncIterator[Process]:
    """Run the signal generator with *model* on sample data."""
    environ = {"SIGNAL_MODEL": model, "SIGNAL_MODEL_URL": api.url, "OPENROUTER_API_KEY": KEY, "SIGNAL_MAX_AGE": WEEK_S}
    async with started(
        "--sandbox", "ETH/USD", *arguments, module="generated.agents.signal_generator", environ=environ
    ) as process:
        yield process


def market_words(request: Json) -> Turn:
    """Return an explanation with a number of a tool's result."""
    results = [json.loads(each["content"]) for each in request["messages"] if each["role"] == "tool"]
    (high_low_range,) = (each["high_low_range"] for each in results if "high_low_range" in each)
    return final(reasoning=f"{WORDS} The range of prices is {high_low_range}.")


def check_signal(signal: Mapping[str, Any]) -> None:
    """Check the formula's numbers, and each strategy with its signal in the reasoning."""
    breakdown = signal["strategy_breakdown"]
    votes = [each["signal"] for each in breakdown]
    scores = [each["score"] for each in breakdown]
    assert signal["confidence"] == pytest.approx(float(specified_confidence(votes, scores, 5)))
    assert len(breakdown) == signal["strategies_analyzed"] > 0
    for each in breakdown:
        assert f"{each['name']} {each['signal']} (score {each['score']:.2f})" in signal["reasoning"]


@pytest.mark.parametrize("model", [CLAUDE, GPT, GEMINI])
async def test_works_with_claude_gpt_4_and_gemini_by_openrouter(model: str) -> None:
    calls = (
        ("get_candles", {"symbol": "ETH/USD", "timeframe": "1h", "limit": 5}),
        ("get_volatility", {"symbol": "ETH/USD", "timeframe": "1h"}),
    )
    with serving(ModelApi([Turn(text="I look at the market.", calls=calls), market_words])) as api:
        async with generating(api, model) as agent:
            (batch,) = await agent.rest()
            assert await agent.exit_code() == 0
    (signal,) = batch["successful"]
    assert signal["reasoning"].startswith(f"{WORDS} The range of prices is ")
    check_signal(signal)
    assert [request["model"] for request in api.requests] == [model, model]
    assert b"replaces it" not in agent.logged
    assert KEY.encode() not in agent.logged


async def test_a_model_that_lacks_tool_calling_is_replaced_by_claude_sonnet_with_a_warning_and_a_metric() -> None:
    with serving(ModelApi([final(reasoning=WORDS)])) as api:
        async with generating(api, TOOLLESS, "--every", "86400", "--metrics-port", "0") as agent:
            (signal,) = (await agent.receive())["successful"]
            metrics = await read_metrics(agent)
            agent.signal(SIGTERM)
            assert await agent.exit_code() == 0
    assert signal["reasoning"].startswith(WORDS)
    assert [request["model"] for request in api.requests] == ["anthropic/claude-sonnet-4"]
    assert f'signal_generator_model_fallback_total{{from="{TOOLLESS}"}} 1.0' in metrics
    (warning,) = (line for line in agent.logged.splitlines() if b"replaces it" in line)
    assert json.loads(warning)["level"] == "WARNING"


async def test_the_analyst_explains_in_the_words_of_a_model_whose_numbers_stand_in_results() -> None:
    def explain(request: Json) -> Turn:
        data = json.loads(request["messages"][-1]["content"].partition("as JSON:\n")[2])
        price = data["results"][0]["result"]["data"]["last_price"]
        return Turn(text=json.dumps({"text": f"SBER is worth {price:.2f} roubles."}))

    question = {
        "input": {"messages": [{"role": "user", "content": "What is the price of SBER?"}], "metadata": {"locale": "en"}}
    }
    confirmation = Turn(text='{"confirmed": true}')
    with serving(ModelApi([confirmation, explain], models=[], is_openrouter=False)) as api:
        environ = {"LLM_MODEL": "qwen", "LLM_API_BASE": api.url, "LLM_API_KEY": KEY}
        module = "generated.agents.moex_analyst"
        async with started("--sandbox", json.dumps(question), module=module, environ=environ) as agent:
            (answer,) = await agent.rest()
            assert await agent.exit_code() == 0
    output = answer["output"]
    assert re.fullmatch(r"SBER is worth \d+\.\d\d roubles\.", output["text"])
    assert [call["tool"] for call in output["debug"]["tool_calls"]] == ["get_security_snapshot"]
    assert KEY.encode() not in agent.logged


async def read_metrics(agent: Process) -> list[str]:
    await agent.log_has("metrics are at")
    found = re.search(rb"metrics are at (http://\S+/metrics)", agent.logged)
    assert found
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
        return (await client.get(found[1].decode())).text.splitlines()


async def test_refuses_to_run_without_a_model_that_calls_tools() -> None:
    with serving(ModelApi(models=[described(TOOLLESS), described(CLAUDE)])) as api:
        async with generating(api, TOOLLESS) as agent:
            assert await agent.rest() == []
            assert await agent.exit_code() == 1
    assert b"set SIGNAL_MODEL to a model with tool calling and at least 8000 tokens of context" in agent.logged
