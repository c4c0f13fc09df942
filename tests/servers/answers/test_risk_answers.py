"""Prove every promise of risk-mcp on real PostgreSQL and Redis, also when they fail."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast

import httpx
import pytest

from generated.platform.risk.models import RiskPositionLimitsCheckResult
from sandbox.platform.database import SCHEMA, load
from tests.conftest import NewDatabase
from tests.contracts.reading import tool
from tests.servers.backends import (
    KILL_WAITING,
    LIMITS,
    connect_database,
    lock_tables,
    run_in_thread,
    wait_for_blocked_queries,
)
from tests.servers.clients import BUSY, start_server
from tests.servers.contracts import Observations, answers, cached
from tests.servers.harness import Answer, ServerUnderTest, break_handler, error_code, open_server
from tests.services.valkey import Valkey
from tests.toolaccord.listener import listening
from tests.toolaccord.process import PATIENCE_S
from toolaccord.testing import Era, ManualClock, capture_logs

SERVER = "platform.risk"
HANDLER = "risk_position_limits_check"
PROMISED = tool(SERVER, LIMITS)
EXAMPLE = PROMISED["examples"][0]
TABLE = "portfolio_limits"
UNREACHABLE = "postgresql://somebody:secret@127.0.0.1:9/nothing"


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
def settings(limits_url: str, valkey: Valkey) -> dict[str, Any]:
    """Settings of a server with an empty cache."""
    valkey.command("FLUSHALL")
    return {"risk_database_url": limits_url, "redis_url": valkey.url}


@pytest.fixture
async def risk(
    settings: dict[str, Any], clock: ManualClock, observations: Observations
) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SERVER, settings, observations, clock, connection_timeout_s=PATIENCE_S) as server:
        yield server


async def check(risk: ServerUnderTest, **more: Any) -> Answer:
    return await risk.call(LIMITS, **EXAMPLE["arguments"] | more)


async def test_the_contracts_example_is_the_answer_of_the_sample_data(risk: ServerUnderTest) -> None:
    assert (await check(risk)).body == EXAMPLE["returns"]


# --- versions ---------------------------------------------------------------------------------------------------------


async def call_version(risk: ServerUnderTest, version: str, **arguments: Any) -> dict[str, Any]:
    """Return the result of a version of the tool."""
    result = await risk.client.call_tool(LIMITS, arguments, meta=cast("Any", {"version": version}))
    assert not result.is_error, result
    body: dict[str, Any] = result.structured_content or {}
    return body


def downgraded(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result under the names of versions 1.x."""
    metrics = dict(result["risk_metrics"])
    metrics["strategy_exposure"] = metrics.pop("portfolio_exposure")
    older = {name: value for name, value in result.items() if name != "max_quantity"}
    return older | {"max_qty": result["max_quantity"], "risk_metrics": metrics}


@pytest.mark.parametrize("side, direction", [("buy", "long"), ("long", "long"), ("sell", "short"), ("short", "short")])
@pytest.mark.parametrize("quantity", [10_000, 30_000, 0.5])
async def test_every_version_has_the_same_answer_under_its_own_names(
    risk: ServerUnderTest, side: str, direction: str, quantity: float
) -> None:
    given = {"EURUSD": 20_000, "SPY": -10, "BTC/USD": 0.5}
    old = {"strategy": "momentum_v2", "instrument": "EURUSD", "qty": quantity, "side": side, "current_positions": given}
    new = {"portfolio_id": "momentum_v2", "symbol": "EURUSD", "quantity": quantity, "direction": direction}
    swing: dict[str, Any] = {"time_horizon": "swing"}
    for horizon in ({}, swing):
        newest = await call_version(risk, "2.0.0", **new, **horizon, current_positions=given, force_refresh=True)
        assert await call_version(risk, "1.1.0", **old, **horizon) == downgraded(newest)
        if not horizon:
            assert await call_version(risk, "1.0.0", **old) == downgraded(newest)


async def test_the_horizon_of_a_swing_is_the_square_root_of_ten_times_as_risky(risk: ServerUnderTest) -> None:
    day, days = (await check(risk)).body, (await check(risk, time_horizon="swing")).body
    impacts = [each["risk_metrics"]["var_impact"] for each in (day, days)]
    assert impacts[1] == pytest.approx(impacts[0] * 10**0.5)


async def test_only_the_first_version_says_that_it_is_deprecated(risk: ServerUnderTest) -> None:
    old = {"strategy": "momentum_v2", "instrument": "EURUSD", "qty": 1, "side": "buy"}
    for version, arguments in (("1.0.0", old), ("1.1.0", old), ("2.0.0", EXAMPLE["arguments"])):
        result = await risk.client.call_tool(LIMITS, arguments, meta=cast("Any", {"version": version}))
        meta = result.meta or {}
        assert meta.get("successor") == ("1.1.0" if version == "1.0.0" else None)
        assert meta.get("sunset_on") == ("2027-01-19" if version == "1.0.0" else None)


async def test_the_first_version_ends_sixty_days_after_its_deprecation(
    settings: dict[str, Any], clock: ManualClock, observations: Observations
) -> None:
    (first,) = [each for each in PROMISED["versions"] if each["version"] == "1.0.0"]
    sunset_on = date.fromisoformat(first["sunset_on"])
    assert sunset_on - date.fromisoformat(first["deprecated_on"]) == timedelta(days=60)
    old = {"strategy": "momentum_v2", "instrument": "EURUSD", "qty": 1, "side": "buy"}
    async with open_server(SERVER, settings, observations, clock) as risk:
        clock.advance((datetime.combine(sunset_on, time(23), UTC) - clock.now()).total_seconds())
        last = await risk.client.call_tool(LIMITS, old, meta=cast("Any", {"version": "1.0.0"}))
        clock.advance(3600)
        ended = await risk.client.call_tool(LIMITS, old, meta=cast("Any", {"version": "1.0.0"}))
    assert error_code(last.structured_content or {}) != "MCP-007"
    assert error_code(ended.structured_content or {}) == "MCP-007"


# --- invalid requests -------------------------------------------------------------------------------------------------


@answers(LIMITS, "MCP-001")
@pytest.mark.parametrize(
    "change",
    [
        {"portfolio_id": "a b"},
        {"portfolio_id": ""},
        {"portfolio_id": "x" * 51},
        {"symbol": "eurusd"},
        {"symbol": "EURUSD\n"},
        {"quantity": 0},
        {"quantity": -1},
        {"quantity": 1e13},
        {"direction": "buy"},
        {"current_positions": {"EURUSD": "1"}},
        {"current_positions": {"EURUSD": 1e13}},
        {"current_positions": [1]},
        {"current_positions": {f"{chr(65 + place // 26)}{chr(65 + place % 26)}USD": 1 for place in range(501)}},
        {"current_positions": {"no symbol": 1}},
        {"current_positions": {"": 1}},
        {"current_positions": {"EUR\0USD": 1}},
        {"time_horizon": "month"},
        {"verbose": True},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_invalid_arguments_never_reach_the_database(risk: ServerUnderTest, change: dict[str, Any]) -> None:
    answer = await check(risk, **change)
    assert answer.code == "MCP-001"
    assert answer.details["field"].partition("/")[0] == next(iter(change))
    assert risk.source_requests == 0


@answers(LIMITS, "MCP-011")
@pytest.mark.parametrize(
    "change, missing, name",
    [
        ({"portfolio_id": "port_7"}, "limits", "port_7"),
        ({"symbol": "NOTHNG"}, "instrument", "NOTHNG"),
        ({"current_positions": {"NOTHNG": 1}}, "instrument", "NOTHNG"),
    ],
)
async def test_missing_limits_and_unknown_instruments_are_a_missing_configuration(
    risk: ServerUnderTest, change: dict[str, Any], missing: str, name: str
) -> None:
    answer = await check(risk, **change)
    assert (answer.code, answer.details) == ("MCP-011", {"missing": missing, "name": name})


# --- the cache --------------------------------------------------------------------------------------------------------


@cached(LIMITS)
async def test_a_result_is_cached_for_a_minute_unless_the_caller_forces_a_refresh(
    risk: ServerUnderTest, clock: ManualClock
) -> None:
    first = await check(risk)
    clock.advance(PROMISED["cache"]["memory_ttl_s"] / 2)
    assert (await check(risk)).body == first.body
    assert risk.source_requests == 1
    await check(risk, force_refresh=True)
    assert risk.source_requests == 2


async def test_replicas_share_results_through_redis(
    settings: dict[str, Any], observations: Observations, risk: ServerUnderTest
) -> None:
    first = await check(risk)
    async with open_server(SERVER, settings, observations) as replica:
        assert (await check(replica)).body == first.body
        assert (risk.source_requests, replica.source_requests) == (1, 0)


async def test_versions_share_a_cached_result(risk: ServerUnderTest) -> None:
    newest = (await check(risk)).body
    old = {"strategy": "port_123", "instrument": "EURUSD", "qty": 10_000, "side": "buy"}
    assert await call_version(risk, "1.0.0", **old) == downgraded(newest)
    assert risk.source_requests == 1


async def test_without_redis_a_check_has_its_result(
    risk: ServerUnderTest, valkey: Valkey, settings: dict[str, Any], observations: Observations
) -> None:
    with valkey.stopped(), capture_logs():
        assert (await check(risk)).body == EXAMPLE["returns"]
        async with open_server(SERVER, settings, observations) as replica:
            assert (await check(replica)).body == EXAMPLE["returns"]


# --- faults of the database -------------------------------------------------------------------------------------------


@answers(LIMITS, "MCP-003")
async def test_an_unreachable_database_is_an_unavailable_backend(
    settings: dict[str, Any], observations: Observations
) -> None:
    async with open_server(SERVER, settings | {"risk_database_url": UNREACHABLE}, observations) as risk:
        answer = await check(risk)
    assert (answer.code, answer.message) == ("MCP-003", "The data source postgres is unavailable; call again later.")
    assert answer.details == {"service": "postgresql"}


@answers(LIMITS, "MCP-003")
async def test_a_connection_killed_in_mid_query_is_an_unavailable_backend_and_the_next_call_works(
    risk: ServerUnderTest, limits_url: str
) -> None:
    async with lock_tables(limits_url, TABLE) as holder:
        call = asyncio.create_task(check(risk))
        await wait_for_blocked_queries(holder)
        await holder.fetchval(KILL_WAITING)
        assert (await call).code == "MCP-003"
    assert (await check(risk)).code is None


@answers(LIMITS, "MCP-003")
async def test_a_table_that_is_missing_is_an_unavailable_backend_without_its_name(
    risk: ServerUnderTest, limits_url: str
) -> None:
    async with connect_database(limits_url) as administrator:
        await administrator.execute(f"ALTER TABLE {TABLE} RENAME TO moved")
        try:
            with capture_logs(logging.DEBUG) as records:
                answer = await check(risk)
        finally:
            await administrator.execute(f"ALTER TABLE moved RENAME TO {TABLE}")
    assert answer.code == "MCP-003"
    assert "relation" not in str(answer.body)
    assert any("does not exist" in str(record.exc_info) for record in records)
    assert (await check(risk)).code is None


@answers(LIMITS, "MCP-004")
async def test_a_locked_table_is_a_timeout_at_the_deadline_and_the_next_call_works(
    risk: ServerUnderTest, limits_url: str, clock: ManualClock
) -> None:
    timeout_ms = PROMISED["deadline"]["timeout_ms"]
    async with lock_tables(limits_url, TABLE) as holder:
        call = asyncio.create_task(check(risk))
        await wait_for_blocked_queries(holder)
        clock.advance(timeout_ms / 1000)
        answer = await call
    assert (answer.code, answer.details) == ("MCP-004", {"tool": LIMITS, "timeout_ms": timeout_ms})
    assert (await check(risk, quantity=50)).code is None


async def test_a_database_that_accepts_no_connection_in_time_is_unavailable_before_the_deadline(
    settings: dict[str, Any], observations: Observations, limits_url: str, clock: ManualClock
) -> None:
    async with open_server(SERVER, settings, observations, clock) as risk:
        async with lock_tables(limits_url, TABLE) as holder:
            blocked = [asyncio.create_task(check(risk, quantity=1 + place)) for place in range(10)]
            await wait_for_blocked_queries(holder, 10)
            # The pool has no connection left. The others must not expire before the one that waits for one.
            late = asyncio.create_task(check(risk, quantity=20))
            await risk.wait_for_source_requests(11)
            clock.advance(0.08)
            assert (await late).code == "MCP-003"
            clock.advance(0.02)
            assert {(await each).code for each in blocked} == {"MCP-004"}
        assert (await check(risk, quantity=50)).code is None


# --- faults of the server ---------------------------------------------------------------------------------------------


@answers(LIMITS, "MCP-999")
async def test_the_bug_of_the_handler_is_an_internal_error_without_its_text(
    settings: dict[str, Any], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_handler(monkeypatch, SERVER, HANDLER)
    answer = await call_patched(settings, observations)
    assert (answer.code, answer.message, answer.details) == ("MCP-999", "The server failed to answer.", {})


@answers(LIMITS, "MCP-008")
async def test_a_handler_that_is_not_implemented_has_a_code_of_its_own(
    settings: dict[str, Any], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_request: Any, _call: Any) -> None:
        raise NotImplementedError

    monkeypatch.setattr(f"handlers.{SERVER}.{HANDLER}", refuse)
    assert (await call_patched(settings, observations)).code == "MCP-008"


@answers(LIMITS, "MCP-009")
async def test_a_result_that_breaks_the_contract_is_never_sent(
    settings: dict[str, Any], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def mislead(_request: Any, _call: Any) -> RiskPositionLimitsCheckResult:
        return RiskPositionLimitsCheckResult.model_construct(reason="s3cr3t")

    monkeypatch.setattr(f"handlers.{SERVER}.{HANDLER}", mislead)
    answer = await call_patched(settings, observations)
    assert answer.code == "MCP-009"
    assert "s3cr3t" not in str(answer.body)


async def call_patched(settings: dict[str, Any], observations: Observations) -> Answer:
    """Call a server whose handler was replaced."""
    with capture_logs():
        async with open_server(SERVER, settings, observations) as risk:
            return await check(risk)


# --- whole processes --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def environ(new_database: NewDatabase, valkey: Valkey) -> Iterator[dict[str, str]]:
    """The environment of a process, with today's sample data and time to connect."""
    with new_database() as url:
        run_in_thread(SCHEMA.migrate(url))
        run_in_thread(load(url, datetime.now(UTC)))
        yield {
            "RISK_DATABASE_URL": url,
            "REDIS_URL": valkey.url,
            "NATS_URL": "nats://127.0.0.1:1",
            "POSTGRES_CONNECTION_TIMEOUT_S": "60",
        }


OLD = {"strategy": "momentum_v2", "instrument": "EURUSD", "qty": 10_000, "side": "sell"}
OLDER_TODAY = ["1.1.0", "1.0.0"] if datetime.now(UTC).date() <= date(2027, 1, 19) else ["1.1.0"]
"""Older versions that a process answers by the machine's clock."""
NEW = {"portfolio_id": "momentum_v2", "symbol": "EURUSD", "quantity": 10_000, "direction": "short"}


async def test_versions_answer_alike_over_rest(environ: dict[str, str]) -> None:
    async with listening(module="generated.platform.risk", environ=environ) as listener:

        async def post(version: str, arguments: dict[str, Any]) -> httpx.Response:
            path = f"/mcp/tools/{LIMITS}?version={version}"
            async with asyncio.timeout(PATIENCE_S):
                while (response := await listener.client.post(path, json=arguments)).status_code in {503, 504}:
                    pass  # a busy machine misses a deadline of 100 ms
            return response

        newest = (await post("2.0.0", NEW)).json()
        for version in OLDER_TODAY:
            response = await post(version, OLD)
            assert (response.status_code, response.json()) == (200, downgraded(newest))
            assert ("Deprecation" in response.headers) == (version == "1.0.0")
            assert ("Sunset" in response.headers) == (version == "1.0.0")
        assert (await post("1.1.0", NEW)).status_code == 400
        assert (await post("0.9.0", OLD)).json()["error"]["details"] == {"versions": ["2.1.1", *OLDER_TODAY]}
        assert (await post("1.1.0", OLD | {"strategy": "nobody"})).json()["error"]["code"] == "MCP-011"


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_versions_answer_alike_on_standard_input_and_output(environ: dict[str, str], era: Era) -> None:
    async with start_server("generated.platform.risk", era=era, environment=environ) as client:

        async def ask(version: str, arguments: dict[str, Any]) -> Any:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    params = {"name": LIMITS, "arguments": arguments, "version": version}
                    body = (await client.request("tools/call", params))["result"]["structuredContent"]
                    if error_code(body) not in BUSY:
                        return body

        newest = await ask("2.0.0", NEW)
        assert newest["limits_applied"]
        assert [await ask(version, OLD) for version in OLDER_TODAY] == [downgraded(newest)] * len(OLDER_TODAY)
        assert error_code(await ask("2.0.0", OLD)) == "MCP-001"
