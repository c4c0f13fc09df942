"""Models of agents: their check at start and what they write, on an API like OpenRouter's."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, Field

from tests.services.model_api import CLAUDE, GEMINI, GPT, KEY, NARROW, TOOLLESS, Json, ModelApi, Turn, final, serving
from tests.toolaccord.demo.scout import agent
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LibraryClient
from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.scripted_connection import ScriptedConnection
from toolaccord.agent.call import LanguageModel, ModelToolCall, Written
from toolaccord.agent.declarations import Agent
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.model import selection, writer
from toolaccord.agent.model.opening import open_model
from toolaccord.agent.model.tools import MAX_RESULT_LENGTH
from toolaccord.errors import ModelError, TimedOut
from toolaccord.server.startup import StartError
from toolaccord.sources import MAX_RESPONSE_BYTES
from toolaccord.telemetry.correlation import CorrelationScope, resolve_corr_id
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.deadline import deadline_in

SCOUT = agent()
BOOK: Json = {"id": 7, "title": "Dune"}
DATA: Json = {"book": "7"}


class Text(BaseModel):
    """A text."""

    text: str = Field(min_length=1, max_length=20, description="The text")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def api() -> Iterator[ModelApi]:
    with serving(ModelApi()) as running:
        yield running


class Stage:
    """An agent with a model, and a server with prepared outcomes."""

    def __init__(self, *outcomes: Any) -> None:
        self.connection = ScriptedConnection(*(outcomes or (BOOK,)))
        self.metrics = AgentMetrics(SCOUT)
        self.clock = ManualClock()

    @asynccontextmanager
    async def model(
        self, api: ModelApi, name: str = GPT, *, key: str = KEY, scout: Agent[Any, Any, Any] = SCOUT
    ) -> AsyncIterator[LanguageModel]:
        settings = {"model": name, "model_url": api.url, "model_token": key}
        clients = {"library": LibraryClient(self.connection)}
        async with open_model(scout, settings, clients, self.metrics, self.clock) as model:
            assert model is not None
            yield model

    def value(self, name: str, **labels: str) -> float | None:
        return self.metrics.registry.get_sample_value(f"scout_agent_{name}", labels)


async def write(stage: Stage, api: ModelApi, name: str = GPT, *, seconds: float = 8.0, **options: Any) -> Written[Text]:
    """Return what the model *name* writes in *seconds*."""
    async with stage.model(api, name, **options) as model:
        with deadline_in(stage.clock, seconds):
            return await model.write("Say it.", DATA, Text)


def scout_requiring(*capabilities: Any) -> Agent[Any, Any, Any]:
    assert SCOUT.model
    return replace(SCOUT, model=replace(SCOUT.model, requires=capabilities))


async def refusal(api: ModelApi, name: str = TOOLLESS, **options: Any) -> str:
    """Return the sentence with which the agent refuses to start."""
    with pytest.raises(StartError) as caught:
        async with Stage().model(api, name, **options):
            pass
    return str(caught.value)


@pytest.mark.parametrize("name", [CLAUDE, GPT, GEMINI])
async def test_models_of_three_providers_call_tools_at_once_and_answer_in_the_schema(api: ModelApi, name: str) -> None:
    api.replies = [
        Turn(text="I look them up.", calls=(("get_book", {"id": 7}), ("get_book", {"id": 8}))),
        final(text="Dune, twice."),
    ]
    stage = Stage(BOOK, BOOK | {"id": 8})
    written = await write(stage, api, name)
    assert written.output == Text(text="Dune, twice.")
    assert sorted(written.calls, key=str) == [
        ModelToolCall(tool="get_book", arguments={"id": 7}, result=BOOK),
        ModelToolCall(tool="get_book", arguments={"id": 8}, result=BOOK | {"id": 8}),
    ]
    second = api.requests[1]
    assert second["model"] == name
    results = {
        each["tool_call_id"]: json.loads(each["content"]) for each in second["messages"] if each["role"] == "tool"
    }
    (asked,) = (each for each in second["messages"] if each["role"] == "assistant")
    assert [results[call["id"]]["id"] for call in asked["tool_calls"]] == [7, 8]


async def test_the_model_gets_the_instructions_the_task_the_data_and_the_tools_that_only_read(api: ModelApi) -> None:
    await write_anything(api)
    (request,) = api.requests
    system, user = (each["content"] for each in request["messages"])
    assert "You find books." in system
    assert user == 'Say it.\n\nThe data, as JSON:\n{"book":"7"}'
    tools = {each["function"]["name"]: each["function"] for each in request["tools"]}
    assert tools.keys() == {"get_book", "list_books", "final_result"}, "misbehave writes"
    assert tools["get_book"]["description"] == "Get one book"
    assert tools["get_book"]["parameters"]["properties"]["id"]["type"] == "integer"
    assert request["max_tokens"] == writer.MAX_OUTPUT_TOKENS


async def write_anything(api: ModelApi, stage: Stage | None = None, **options: Any) -> Written[Text]:
    api.replies = [final(text="Dune.")]
    return await write(stage or Stage(), api, **options)


async def test_calls_of_the_model_carry_the_correlation_id_of_the_request(api: ModelApi) -> None:
    api.replies = [Turn(calls=(("get_book", {"id": 7}),)), final(text="Dune.")]
    stage = Stage()
    with CorrelationScope(resolve_corr_id({"corr_id": "from-a-queue"})):
        await write(stage, api)
    assert [sent.meta["corr_id"] for sent in stage.connection.sent] == ["from-a-queue"]


async def test_a_failed_call_is_an_answer_to_the_model_and_no_result(api: ModelApi) -> None:
    api.replies = [
        Turn(calls=(("get_book", {"id": 7}),)),
        Turn(calls=(("get_book", {"id": 7}),)),
        Turn(calls=(("get_book", {"id": 7}),)),
        final(text="No book."),
    ]
    written = await write(Stage(TimedOut("no answer in time"), {"code": "BOOK_NOT_FOUND", "message": "No book 7"}), api)
    assert written == Written(output=Text(text="No book."))
    results = [each["content"] for each in api.requests[-1]["messages"] if each["role"] == "tool"]
    assert ["no answer in time" in results[0], "No book 7" in results[1]] == [True, True]


async def test_invalid_arguments_are_explained_to_the_model_and_never_sent(api: ModelApi) -> None:
    api.replies = [Turn(calls=(("get_book", {"number": 7}),)), final(text="No book.")]
    stage = Stage()
    assert (await write(stage, api)).calls == ()
    assert stage.connection.sent == []
    assert "number" in str(api.requests[1]["messages"][-1])


async def test_a_result_too_long_for_a_model_is_a_hint_to_ask_for_less(api: ModelApi) -> None:
    api.replies = [Turn(calls=(("get_book", {"id": 7}),)), final(text="Long.")]
    written = await write(Stage({"id": 7, "title": "x" * MAX_RESULT_LENGTH}), api)
    assert written.calls == ()
    assert "ask for less" in api.requests[1]["messages"][-1]["content"]


async def test_an_invalid_answer_is_repeated_once(api: ModelApi) -> None:
    api.replies = [final(text="x" * 21), final(text="Short.")]
    assert (await write(Stage(), api)).output.text == "Short."
    assert "at most 20" in str(api.requests[1]["messages"][-1])


def calling(count: int) -> Turn:
    return Turn(calls=(("get_book", {"id": 7}),) * count)


@pytest.mark.parametrize(
    "reply, requests",
    [
        (final(text="x" * 21), 2),
        (Turn(text="I will not call a tool."), 2),
        (Turn(), 2),
        (500, 2),
        (400, 1),
        (302, 1),
        (401, 1),
        (calling(1), 6),
        (calling(13), 1),
        (replace(calling(1), tokens=100_001), 1),
        (Turn(calls=(("burn_book", {}),)), 2),
        ({"error": {"code": 502, "message": "Provider returned error"}}, 1),
        ({"choices": None}, 1),
        ({"nonsense": KEY, "choices": KEY}, 1),
    ],
    ids=[
        "long",
        "chatty",
        "silent",
        "away",
        "rejected",
        "elsewhere",
        "unauthorised",
        "loops",
        "greedy",
        "dear",
        "inventive",
        "upstream",
        "empty",
        "foreign",
    ],
)
async def test_a_model_without_a_valid_answer_is_an_error_after_few_requests(
    api: ModelApi, reply: Any, requests: int
) -> None:
    api.replies = [reply]
    stage = Stage()
    with capture_logs() as lines, pytest.raises(ModelError) as caught:
        await write(stage, api)
    assert str(caught.value).startswith(f"The model {GPT} wrote nothing: ")
    assert len(api.requests) == requests
    assert len(stage.connection.sent) <= 12
    assert stage.value("errors_total", type="ModelError") == 1
    (warning,) = (line for line in lines if line.levelno == logging.WARNING and "wrote nothing" in line.getMessage())
    assert KEY not in warning.getMessage() + str(caught.value)


async def test_an_answer_above_the_limit_is_an_error(api: ModelApi) -> None:
    api.replies = [final(text="Dune.")]
    _, answer = api.complete({"model": GPT}, has_key=True)
    api.replies = [answer | {"padding": "x" * MAX_RESPONSE_BYTES}]
    with pytest.raises(ModelError):
        await write(Stage(), api)
    api.replies = [answer]
    await write(Stage(), api)


async def test_no_redirect_is_followed_so_that_another_host_reads_no_prompt(api: ModelApi) -> None:
    with serving(ModelApi()) as other:
        api.moved_to = other.url
        with pytest.raises(ModelError):
            await write(Stage(), api)
        assert len(api.requests) == 1
        assert other.requests == []


async def test_a_late_model_is_an_error_at_the_deadline(api: ModelApi) -> None:
    stage = Stage()
    api.gate.clear()
    writing = asyncio.create_task(write(stage, api, seconds=8))
    assert await asyncio.to_thread(api.received.wait, PATIENCE_S)
    stage.clock.advance(7.9)
    await asyncio.sleep(0)
    assert not writing.done()
    stage.clock.advance(0.2)
    with pytest.raises(ModelError, match="the time for calls is over"):
        await asyncio.wait_for(writing, PATIENCE_S)


async def test_without_time_left_no_request_is_sent(api: ModelApi) -> None:
    with pytest.raises(ModelError):
        await write(Stage(), api, seconds=writer.MIN_TIME_S - 0.1)
    assert api.requests == []


async def test_a_text_is_logged_with_its_effort(api: ModelApi) -> None:
    api.replies = [calling(2), final(text="Dune.")]
    with capture_logs() as lines:
        await write(Stage(), api)
    (line,) = (each for each in lines if each.getMessage() == "model")
    fields: Json = line.__dict__["fields"]
    assert fields.pop("duration_ms") >= 0
    assert fields == {"model": GPT, "requests": 2, "tool_calls": 2, "input_tokens": 200, "output_tokens": 40}


async def test_without_a_name_there_is_no_model_and_no_request(api: ModelApi) -> None:
    settings = {"model": "", "model_url": api.url, "model_token": ""}
    async with open_model(SCOUT, settings, {}, AgentMetrics(SCOUT), ManualClock()) as model:
        assert model is None
    async with open_model(replace(SCOUT, model=None), {}, {}, AgentMetrics(SCOUT), ManualClock()) as model:
        assert model is None


async def test_a_capable_model_is_used_without_a_probe(api: ModelApi) -> None:
    stage = Stage()
    await write_anything(api, stage, name=GPT)
    assert [request["model"] for request in api.requests] == [GPT]
    assert stage.value("model_fallback_total", **{"from": GPT}) == 0


@pytest.mark.parametrize("name", [f"{GPT}:nitro", f"{GPT}-20250522"])
async def test_variants_and_permanent_names_are_found_in_the_list(api: ModelApi, name: str) -> None:
    await write_anything(api, name=name)
    assert [request["model"] for request in api.requests] == [name]


@pytest.mark.parametrize(
    "name, lack", [(TOOLLESS, "lacks tool calling"), (NARROW, "has a context of only 4096 tokens")]
)
async def test_a_model_that_lacks_something_is_replaced_with_a_warning_and_a_count(
    api: ModelApi, name: str, lack: str
) -> None:
    stage = Stage()
    with capture_logs() as lines:
        await write_anything(api, stage, name=name)
    assert [request["model"] for request in api.requests] == [CLAUDE]
    assert stage.value("model_fallback_total", **{"from": name}) == 1
    (line,) = (each for each in lines if each.levelno == logging.WARNING)
    assert line.getMessage() == f"the model {name} {lack}: the fallback {CLAUDE} replaces it"


async def test_an_agent_whose_fallback_lacks_tools_too_does_not_start(api: ModelApi) -> None:
    assert isinstance(api.models, list)
    api.models = [each for each in api.models if each["id"] == TOOLLESS]
    api.replies = [400]
    assert await refusal(api) == (
        f"the model {TOOLLESS} lacks tool calling, and the fallback {CLAUDE} is rejected with status 400: set "
        "SCOUT_MODEL to a model with tool calling and at least 8000 tokens of context, or unset it to work without a model"
    )


async def test_an_unlisted_model_shows_in_a_request_that_it_calls_tools(api: ModelApi) -> None:
    api.replies = [Turn(calls=(("confirm", {"confirmed": True}),)), final(text="Dune.")]
    await write(Stage(), api, "openai/gpt-4o-2024-05-13")
    probe, _ = api.requests
    assert probe["tool_choice"] == "required"
    assert [each["function"]["name"] for each in probe["tools"]] == ["confirm"]


@pytest.mark.parametrize("models", [[{"id": "small", "object": "model"}], 404, 403])
async def test_an_api_that_describes_no_models_is_probed(api: ModelApi, models: Any) -> None:
    api.is_openrouter, api.models = False, models
    api.replies = [Turn(text="I cannot."), Turn(calls=(("confirm", {}),)), final(text="Dune.")]
    stage = Stage()
    assert (await write(stage, api, "small")).output.text == "Dune."
    assert [request["model"] for request in api.requests] == ["small", CLAUDE, CLAUDE]
    assert stage.value("model_fallback_total", **{"from": "small"}) == 1


@pytest.mark.parametrize("is_openrouter", [True, False])
async def test_an_invalid_key_is_named_by_its_setting_and_never_shown(api: ModelApi, is_openrouter: bool) -> None:  # noqa: FBT001
    api.is_openrouter = is_openrouter
    sentence = await refusal(api, GPT, key="sk-or-v1-another-key")
    assert sentence == "SCOUT_MODEL_KEY is no valid key of the API in SCOUT_MODEL_URL: set it to one"


@pytest.mark.parametrize("models", [429, 503])
async def test_an_api_that_does_not_answer_keeps_the_agent_from_starting(api: ModelApi, models: int) -> None:
    api.models = models
    sentence = await refusal(api, GPT)
    assert sentence == (
        f"the model {GPT} cannot be checked, because the API in SCOUT_MODEL_URL does not answer (status {models}). "
        "Try again later, or unset SCOUT_MODEL to work without a model"
    )


async def test_an_address_without_an_api_keeps_the_agent_from_starting(api: ModelApi) -> None:
    api.url = "http://127.0.0.1:9/v1"
    assert "does not answer (Connection error: All connection attempts failed)." in await refusal(api, GPT)


async def test_an_api_that_hangs_keeps_the_agent_from_starting(api: ModelApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_TIMEOUT_S", 0)
    assert "SCOUT_MODEL_URL does not answer (no answer within 0 s)" in await refusal(api, GPT)


async def test_structured_output_without_tools_is_checked_and_used(api: ModelApi) -> None:
    for is_openrouter in (True, False):
        api.is_openrouter = is_openrouter
        if not is_openrouter:
            api.models = []
        probe = [] if is_openrouter else [Turn(text='{"confirmed": true}')]
        api.replies, api.requests = [*probe, Turn(text='{"text": "Dune."}')], []
        written = await write(Stage(), api, CLAUDE, scout=scout_requiring("structured_output"))
        assert written.output.text == "Dune."
        assert api.requests[-1]["response_format"]["type"] == "json_schema"
        assert "tools" not in api.requests[-1]


async def test_a_model_without_structured_output_is_replaced(api: ModelApi) -> None:
    api.is_openrouter, api.models = False, []
    api.replies = [Turn(text="Confirmed!"), Turn(text='{"confirmed": true}'), Turn(text='{"text": "Dune."}')]
    await write(Stage(), api, "small", scout=scout_requiring("structured_output"))
    assert [request["model"] for request in api.requests] == ["small", CLAUDE, CLAUDE]


async def test_tools_of_two_servers_have_two_names_that_the_api_admits(api: ModelApi) -> None:
    (library,) = SCOUT.uses
    dotted = replace(library.tools[0], tool=replace(GET_BOOK, name="get.book"))
    annex = replace(library, name="annex", tools=(dotted,))
    stage = Stage()
    clients = {name: LibraryClient(stage.connection) for name in ("library", "annex")}
    settings = {"model": GPT, "model_url": api.url, "model_token": KEY}
    api.replies = [Turn(calls=(("annex_get_book", {"id": 7}),)), final(text="Dune.")]
    two = replace(SCOUT, uses=(library, annex))
    async with open_model(two, settings, clients, stage.metrics, stage.clock) as model:
        assert model
        with deadline_in(stage.clock, 8):
            assert (await model.write("Say it.", DATA, Text)).calls[0].tool == "get.book"
