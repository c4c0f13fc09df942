"""Prove the resources of our servers, on PostgreSQL and on the stand-in of the exchange."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import date
from typing import Any, cast

import mcp_types as types
import pytest
from jsonschema import Draft202012Validator
from mcp import MCPError

from handlers.tradestream.registry import RULES, STRATEGIES
from tests.contracts.reading import contracts, tool
from tests.servers.contracts import Observations
from tests.servers.harness import ServerUnderTest, error_code, open_server
from tests.services.exchange import Exchange
from toolaccord.testing import ManualClock

SPECS, MOEX = "tradestream.strategy_db", "moex.iss"
SPEC: dict[str, Any] = {
    "name": "RESOURCE_TEST",
    "indicators": [{"id": "ema", "type": "EMA", "params": {"period": 20}}],
    "entry_conditions": [{"type": "IS_RISING", "indicator": "ema"}],
    "exit_conditions": [{"type": "IS_FALLING", "indicator": "ema"}],
    "parameters": [],
    "reasoning": "Rises go on.",
}


@pytest.fixture
async def specs(market: str, clock: ManualClock, observations: Observations) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SPECS, {"database_url": market}, observations, clock) as server:
        yield server


@pytest.fixture
def exchange(clock: ManualClock) -> Iterator[Exchange]:
    with Exchange(clock.now).running() as each:
        yield each


@pytest.fixture
async def moex(exchange: Exchange, clock: ManualClock, observations: Observations) -> AsyncIterator[ServerUnderTest]:
    async with open_server(MOEX, {"iss_base_url": exchange.url}, observations, clock) as server:
        yield server


async def read(server: ServerUnderTest, uri: str) -> Any:
    """Return the JSON at a URI."""
    (found,) = (await server.client.read_resource(uri)).contents
    assert isinstance(found, types.TextResourceContents)
    return json.loads(found.text)


async def complete(server: ServerUnderTest, template: str, member: str, text: str) -> list[str]:
    """Return the completions of a text."""
    reference = types.ResourceTemplateReference(uri=template)
    return (await server.client.complete(reference, {"name": member, "value": text})).completion.values


async def test_every_listed_spec_can_be_read(specs: ServerUnderTest) -> None:
    listed = await read(specs, "strategy://specs")
    assert listed["total"] == len(listed["specs"]) > 10
    for each in listed["specs"]:
        spec = await read(specs, f"strategy://specs/{each['name']}")
        assert (spec["name"], spec["source"]) == (each["name"], each["source"])
        assert spec["indicators"]


async def test_names_of_specs_are_completed_in_any_case(specs: ServerUnderTest) -> None:
    names = {each["name"] for each in (await read(specs, "strategy://specs"))["specs"]}
    found = await complete(specs, "strategy://specs/{name}", "name", "sma")
    assert found == sorted(name for name in names if name.lower().startswith("sma"))
    assert found
    assert await complete(specs, "strategy://specs/{name}", "name", "%") == []


async def test_a_name_that_no_spec_has_is_not_found(specs: ServerUnderTest) -> None:
    with pytest.raises(MCPError, match="strategy://specs lists the names") as caught:
        await read(specs, "strategy://specs/'%20OR%201=1")
    assert caught.value.data == {"uri": "strategy://specs/'%20OR%201=1"}


async def test_a_new_spec_is_reported_and_read_as_it_was_submitted(specs: ServerUnderTest) -> None:
    async with specs.client.listen(resource_subscriptions=["strategy://specs"]) as changes:
        submitted = await specs.call("submit_new_spec", **SPEC)
        change = await asyncio.wait_for(anext(aiter(changes)), 60)
    assert cast("Any", change).uri == "strategy://specs"
    spec = await read(specs, f"strategy://specs/{SPEC['name']}")
    assert spec["spec_id"] == submitted.body["data"]["spec_id"]
    assert (spec["reasoning"], spec["source"]) == (SPEC["reasoning"], "LLM_GENERATED")
    assert spec["exit_conditions"][0]["type"] == "IS_FALLING"


async def test_a_rejected_spec_is_not_reported(specs: ServerUnderTest) -> None:
    async with specs.client.listen(resource_subscriptions=["strategy://specs"]) as changes:
        assert (await specs.call("submit_new_spec", **SPEC | {"name": "SMA_RSI"})).code == "DUPLICATE_NAME"
        await specs.call("submit_new_spec", **SPEC | {"name": "RESOURCE_TEST_2"})
        reported = [await asyncio.wait_for(anext(aiter(changes)), 60)]
        await specs.client.read_resource("strategy://specs")
    assert len(reported) == 1


async def test_the_registry_has_what_submit_new_spec_accepts(specs: ServerUnderTest) -> None:
    registry = await read(specs, "strategy://indicators")
    parameters = tool(SPECS, "submit_new_spec")["parameters"]["properties"]
    assert set(registry["conditions"]) == set(RULES)
    assert set(registry["built_in_strategies"]) == STRATEGIES
    validator = Draft202012Validator(parameters["indicators"])
    assert all(validator.is_valid([{"id": "x", "type": kind}]) for kind in registry["indicators"])
    assert not validator.is_valid([{"id": "x", "type": "NOTHING"}])


async def test_the_boards_are_those_of_the_exchange(moex: ServerUnderTest) -> None:
    boards = {each["board"]: each for each in (await read(moex, "moex://boards"))["boards"]}
    assert boards["TQBR"]["is_traded"] is True
    assert all(each["title"] for each in boards.values())


async def test_the_calendar_tells_the_days_on_which_the_exchange_differs_from_the_week(moex: ServerUnderTest) -> None:
    calendar = await read(moex, "moex://calendar/2026")
    assert [day["week_day"] for day in calendar["week"]] == [1, 2, 3, 4, 5, 6, 7]
    assert calendar["week"][0]["opens"] < calendar["week"][0]["closes"]
    closed = {date.fromisoformat(each["day"]) for each in calendar["exceptions"] if not each["is_trading"]}
    assert {date(2026, 1, 1), date(2026, 5, 9), date(2026, 11, 4)} <= closed
    assert {day.year for day in closed} == {2026}


async def test_the_years_of_the_calendar_are_completed_newest_first(moex: ServerUnderTest) -> None:
    assert (await complete(moex, "moex://calendar/{year}", "year", "20"))[:2] == ["2027", "2026"]
    assert await complete(moex, "moex://calendar/{year}", "year", "19") == []


async def test_an_exchange_that_fails_is_reported_as_unavailable(
    clock: ManualClock, observations: Observations
) -> None:
    settings = {"iss_base_url": "http://127.0.0.1:9/iss"}
    async with open_server(MOEX, settings, observations, clock, connection_timeout_s=1, retries=0) as server:
        with pytest.raises(MCPError) as caught:
            await read(server, "moex://boards")
    assert (caught.value.code, error_code(caught.value.data)) == (-32603, "ISS_UNAVAILABLE")


@pytest.mark.parametrize("module", [name for name, each in contracts().items() if "contracts_as_resources" in each])
async def test_the_contract_of_each_tool_can_be_read(module: str, observations: Observations) -> None:
    settings = {"database_url": "postgresql://somebody@127.0.0.1:9/nothing"}
    async with open_server(module, settings, observations) as server:
        listed = [each.uri for each in (await server.client.list_resources()).resources if "contract:" in each.uri]
        read_contracts = [await read(server, uri) for uri in listed]
    assert [each["name"] for each in read_contracts] == [each["name"] for each in contracts()[module]["tools"]]
    assert "$ref" not in json.dumps(read_contracts)
