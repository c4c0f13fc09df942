"""Prove that typed clients call real servers on a real database, on stdio and over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Literal, TypeAlias, TypeVar, get_args

import pytest

import sandbox
from generated.gateway.errors import InconsistentParams
from generated.gateway.swimmy.client import SwimmyClient
from generated.gateway.swimmy.models import BacktestStatusRequest, BacktestSubmitRequest
from generated.tradestream.decisions.client import DecisionsClient
from generated.tradestream.decisions.models import SaveDecisionRequest
from generated.tradestream.errors import NoSignal
from generated.tradestream.strategy.client import GET_TOP_STRATEGIES, StrategyClient
from generated.tradestream.strategy.models import GetStrategySignalRequest, GetTopStrategiesRequest
from tests.contracts.reading import ROOT
from tests.servers.backends import BACKTEST, STRATEGY_WITH_SIGNAL, SYMBOL, connect_database
from tests.toolaccord.listener import listening
from tests.toolaccord.process import PATIENCE_S
from toolaccord.client.base import ServerClient
from toolaccord.errors import UndeclaredError

Transport: TypeAlias = Literal["stdio", "http"]
Kind = TypeVar("Kind", bound=ServerClient)

TRANSPORTS = pytest.mark.parametrize("transport", get_args(Transport))


@asynccontextmanager
async def open_client(
    kind: type[Kind], transport: Transport, environ: Mapping[str, str], token: str | None = None
) -> AsyncIterator[Kind]:
    """Give a client of a server in the environment *environ*."""
    if transport == "stdio":
        async with kind.stdio(env=environ, cwd=ROOT, name="tests") as client:
            yield client
        return
    async with (
        listening(module=kind._server.module, environ=environ) as server,
        kind.http(f"http://127.0.0.1:{server.port}/mcp", name="tests", token=token) as client,
    ):
        yield client


@TRANSPORTS
async def test_a_result_of_one_tool_is_an_argument_of_the_next(transport: Transport, market_today: str) -> None:
    request = GetTopStrategiesRequest(symbol=SYMBOL, limit=5)
    async with connect_database(market_today) as connection:
        strategy_id = str(
            await connection.fetchval(STRATEGY_WITH_SIGNAL, SYMBOL)
        )  # the best strategy may have no signal today
    async with open_client(StrategyClient, transport, {"DATABASE_URL": market_today}) as client:
        top = await client.get_top_strategies(request)
        again = await client.call(GET_TOP_STRATEGIES, request)
        assert (again.result, again.cached, again.source) == (top, True, "postgresql")
        pages = [page async for page in client.pages(GET_TOP_STRATEGIES, request)]
        listed = {each.strategy_id for page in pages for each in page.items}
        assert len(listed) == top.pagination.total
        assert strategy_id in listed
        signal = await client.get_strategy_signal(GetStrategySignalRequest(strategy_id=strategy_id, symbol=SYMBOL))
        assert 0 <= signal.confidence <= 1
        with pytest.raises(NoSignal, match="has no current signal for ABC/XYZ"):
            await client.get_strategy_signal(GetStrategySignalRequest(strategy_id=strategy_id, symbol="ABC/XYZ"))


@TRANSPORTS
async def test_a_write_repeated_under_its_key_is_answered_but_not_repeated(
    transport: Transport, postgres_url: str
) -> None:
    decision = SaveDecisionRequest(symbol=SYMBOL, action="HOLD", confidence=0.5, reasoning="quiet")
    other = decision.model_copy(update={"action": "BUY"})
    key = f"monday.{transport}"
    async with open_client(DecisionsClient, transport, {"DATABASE_URL": postgres_url}) as client:
        first = await client.save_decision(decision, idempotency_key=key)
        assert await client.save_decision(decision, idempotency_key=key) == first
        assert (await client.save_decision(decision)).decision_id != first.decision_id
        with pytest.raises(UndeclaredError) as caught:
            await client.save_decision(other, idempotency_key=key)
        assert caught.value.code == "IDEMPOTENCY_CONFLICT"


@TRANSPORTS
async def test_the_result_of_a_backtest_is_found_by_its_id(transport: Transport) -> None:
    request = BacktestSubmitRequest.model_validate(BACKTEST | {"request_id": "typed"})
    with sandbox.environment([name for name in sandbox.NAMES if name.startswith("SWIMMY_")]) as environ:
        token = environ["SWIMMY_MCP_API_KEY"]
        async with open_client(SwimmyClient, transport, environ, token) as client, asyncio.timeout(PATIENCE_S):
            found = None
            while found is None or found.state == "pending":  # the first results may be missed while it connects
                assert (await client.backtest_submit(request)).request_id == "typed"
                for _ in range(100):
                    found = await client.backtest_status(BacktestStatusRequest(request_id="typed"))
            assert (found.mode, found.state) == ("request", "done")
            assert found.result is not None
            assert found.result.strategy_name == "t"
            with pytest.raises(InconsistentParams, match="/data_id cannot be combined"):
                await client.backtest_submit(request.model_copy(update={"candles_file": "x.csv"}))
