"""Ask a person by clients of the SDK, in both eras: real servers over HTTP on PostgreSQL."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import mcp_types as types
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.handlers.tradestream.test_strategy_db import SOUND
from tests.services.served import Served, serving

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
TRADE = {"symbol": "ETH/USD", "side": "BUY", "size": 2000, "price": 1}
"""A trade that costs a fifth of the balance; the limit is a tenth."""
_NUMBERS = itertools.count(1)
"""Numbers of conditions, so that no two tests have specs of equal kinds."""
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.parametrize("mode", ERAS)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def portfolio(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("INSERT INTO accounts VALUES ('ann', 10000, 10000, 0, now())")
    await connection.close()
    environ = {"DATABASE_URL": postgres_url, "PORTFOLIO_ACCOUNT_ID": "ann"}
    async with serving("generated.tradestream.portfolio", tmp_path_factory.mktemp("portfolio"), env=environ) as served:
        yield served


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def strategy_db(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    environ = {"DATABASE_URL": postgres_url}
    folder = tmp_path_factory.mktemp("strategy_db")
    async with serving("generated.tradestream.strategy_db", folder, env=environ) as served:
        yield served


@asynccontextmanager
async def client_of(
    server: Served, mode: str, answer: str | dict[str, Any] | None
) -> AsyncIterator[tuple[Client, list[str]]]:
    """Give a client whose user gives *answer*, and the messages that the user has read.

    An answer is an action, or a form; None stands for a client that cannot be asked.
    """

    async def fill_in(_context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        asked.append(params.message)
        given = {"action": "accept", "content": answer} if isinstance(answer, dict) else {"action": answer}
        return types.ElicitResult.model_validate(given)

    asked: list[str] = []
    options: dict[str, Any] = {} if answer is None else {"elicitation_callback": fill_in}
    target: Any = streamable_http_client(f"{server.url}/mcp")
    async with Client(target, mode=mode, **options) as client:
        assert client.protocol_version == ERAS[mode]
        yield client, asked


async def result_of(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content
    data: dict[str, Any] = result.structured_content["data"]
    return data


@pytest.mark.parametrize("answer", [{"allow": True}, {"allow": False}, "decline", "cancel", None], ids=str)
async def test_a_trade_above_the_limit_is_valid_only_if_the_user_allows_it(
    mode: str, answer: str | dict[str, Any] | None, portfolio: Served
) -> None:
    async with client_of(portfolio, mode, answer) as (client, asked):
        checked = await result_of(client, "validate_trade", TRADE)
    is_allowed = answer == {"allow": True}
    assert checked["valid"] == is_allowed
    assert checked["reason"].endswith("The user allowed it.") == is_allowed
    assert ["BUY 2000" in message for message in asked] == [True] * (answer is not None)


@pytest.mark.parametrize("answer", [{"store": True}, {"store": False}, "decline", "cancel", None], ids=str)
async def test_a_near_copy_of_a_spec_is_stored_if_its_author_wants_it_or_cannot_be_asked(
    mode: str, answer: str | dict[str, Any] | None, strategy_db: Served
) -> None:
    kinds = [{"type": "IS_RISING", "indicator": "ema"}] * next(_NUMBERS)
    first, second = (SOUND | {"name": f"{name}_{len(kinds)}", "entry_conditions": kinds} for name in ("ONE", "TWO"))
    async with client_of(strategy_db, mode, None) as (client, _):
        assert (await result_of(client, "submit_new_spec", first))["created"]
    async with client_of(strategy_db, mode, answer) as (client, asked):
        submitted = await result_of(client, "submit_new_spec", second)
    assert submitted["created"] == (answer in ({"store": True}, None))
    assert [message.split(". ")[1] for message in asked] == ["Store it all the same?"] * (answer is not None)
