"""Answers in the words of a model, with real tools on the exchange's stand-in."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import pytest

from generated.moex.iss.client import GET_OHLCV_TIMESERIES
from handlers.agents.analysis.narration import MAX_ROWS
from tests.handlers.agents.analysis.analyst import AGENT, NOON, Analyst, analyst_on
from tests.services.exchange import Exchange
from tests.services.model_api import KEY, Json, ModelApi, Turn, serving
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.model.opening import open_model
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.deadline import deadline_in

MODEL = "Qwen/Qwen3-235B-A22B-Instruct-2507"
QUESTION = "Как изменилась цена Сбербанка за октябрь?"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def api() -> Iterator[ModelApi]:
    """An API that describes no models, as that of Cloud.ru."""
    with serving(ModelApi([Turn(text='{"confirmed": true}')], models=[{"id": MODEL}], is_openrouter=False)) as running:
        yield running


@pytest.fixture
async def analyst(api: ModelApi) -> AsyncIterator[Analyst]:
    """The analyst with a model, which a deadline bounds."""
    settings, clock = {"model": MODEL, "model_url": api.url, "model_token": KEY}, ManualClock()
    with Exchange(lambda: NOON).running() as exchange:
        async with (
            analyst_on(exchange.url) as running,
            open_model(AGENT, settings, {"iss": running.client}, AgentMetrics(AGENT), clock) as running.model,
        ):
            api.requests.clear()
            with deadline_in(clock, 8):
                yield running


def saying(text: str) -> Turn:
    return Turn(text=json.dumps({"text": text}))


def shown(api: ModelApi) -> Json:
    """Return the data that the model received."""
    data: Json = json.loads(api.requests[0]["messages"][-1]["content"].partition("as JSON:\n")[2])
    return data


async def test_an_answer_with_numbers_of_the_tools_is_the_model_s(analyst: Analyst, api: ModelApi) -> None:
    def answer(request: Json) -> Turn:
        (found,) = json.loads(request["messages"][-1]["content"].partition("as JSON:\n")[2])["results"]
        percent = str(round(found["result"]["metrics"]["total_return_pct"], 1)).replace(".", ",")
        return saying(f"За октябрь доходность SBER составила {percent} %, без резких движений.")

    api.replies = [answer]
    output = await analyst.ask(QUESTION)
    assert output["text"].endswith("%, без резких движений.")
    assert [each["tool"] for each in output["debug"]["tool_calls"]] == [GET_OHLCV_TIMESERIES.name]
    assert output["tables"]


@pytest.mark.parametrize("text", ["SBER вырос на 777,7 %.", "SBER вырос. Цель 5000 руб. к 31.12.2027."])
async def test_a_number_without_evidence_brings_the_template_back(analyst: Analyst, api: ModelApi, text: str) -> None:
    api.replies = [saying(text)]
    with capture_logs() as lines:
        output = await analyst.ask(QUESTION)
    assert output["text"].startswith("SBER с 01.10.2026 по ")
    assert any("no result says" in line.getMessage() for line in lines)


@pytest.mark.parametrize("reply", [503, Turn(text="no JSON"), saying("")])
async def test_a_model_without_an_answer_brings_the_template_back(
    analyst: Analyst, api: ModelApi, reply: Turn | int
) -> None:
    api.replies = [reply]
    assert (await analyst.ask(QUESTION))["text"].startswith("SBER с 01.10.2026 по ")


async def test_the_model_reads_the_question_and_the_results_with_few_rows(analyst: Analyst, api: ModelApi) -> None:
    api.replies = [saying("Rose.")]
    await analyst.ask("Hello", "How did GAZP change from 2026-01-01 to 2026-10-31?", locale="en", user_role="CEO")
    data = shown(api)
    assert data["messages"] == ["Hello", "How did GAZP change from 2026-01-01 to 2026-10-31?"]
    (found,) = data["results"]
    assert (found["tool"], found["subject"]) == ("get_ohlcv_timeseries", "GAZP")
    days = [row["ts"] for row in found["result"]["data"]]
    assert len(days) == MAX_ROWS
    assert days == sorted(days)
    task = api.requests[0]["messages"][-1]["content"]
    assert "in English, in one or two sentences" in task


async def test_failed_tools_stand_beside_the_model_s_words(analyst: Analyst, api: ModelApi) -> None:
    api.replies = [saying("SBER вырос.")]
    template = (await analyst.ask("Сравни SBER и NSVZ за октябрь"))["text"]
    assert template == "SBER вырос. NSVZ: за это время у биржи нет данных."


async def test_the_model_cannot_hide_what_was_not_understood(analyst: Analyst, api: ModelApi) -> None:
    api.replies = [saying("SBER вырос, дивиденды щедрые.")]
    output = await analyst.ask("Как изменился Сбербнак за октябрь и какие у него дивиденды?")
    assert output["text"].startswith("Я прочёл «Сбербнак» как SBER (Сбербанк). Дивиденды я не сообщаю")
    assert [each["args"]["ticker"] for each in output["debug"]["tool_calls"]] == ["SBER"]


async def test_a_question_that_cannot_be_answered_reaches_no_model(analyst: Analyst, api: ModelApi) -> None:
    await analyst.ask("Кто ты?")
    for text in ("SBER в 2031 году", "Дивиденды Сбера", "Цена ТГК", "Цена AT&T", "Сбер 31 февраля", "Сбер бубубу"):
        await analyst.ask(text)
    assert api.requests == []
