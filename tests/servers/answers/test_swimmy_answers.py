"""Prove every promise of swimmy-mcp on a Guardian, also when that or a file fails."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from generated.gateway.swimmy.server import SwimmyCall
from handlers.gateway.swimmy import known_state_back
from sandbox.guardian import Guardian
from tests.contracts.reading import tool as promised
from tests.servers.backends import BACKTEST, GATEWAY_SERVER, GATEWAY_TOOLS, METRICS, PING, RESULT, RUN, STATUS
from tests.servers.contracts import Observations, answers, parametrize_tools
from tests.servers.harness import Answer, ServerUnderTest, break_handler, name_handler, open_server
from tests.services import guardian
from tests.services.guardian import GuardianServer
from tests.toolaccord.process import PATIENCE_S
from toolaccord import SourceError
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.clock import SystemClock

ARGUMENTS: dict[str, dict[str, Any]] = {name: {} for name in GATEWAY_TOOLS} | {RUN: BACKTEST}
FILES = {
    STATUS: ("swimmy_status_file", {"swimmy": {}, "backtest": {}}),
    METRICS: ("metrics_file", {}),
    RESULT: ("backtest_status_file", {"mode": "latest"}),
}
"""A file that each tool reads, and the answer without any file."""

TICK_REAL_S = 0.01
"""Real seconds in which the manual clock advances by 0.1 s."""


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardianServer]:
    with guardian.running(tmp_path_factory.mktemp("guardian")) as server:
        yield server


def settings_of(running: Guardian) -> dict[str, str]:
    """Return the gateway's settings for a Guardian."""
    names = ("endpoint", "results_endpoint", "backtest_status_file", "metrics_file")
    return {name: getattr(running, name) for name in names} | {"swimmy_status_file": running.status_file}


def settings_without_guardian(folder: Path) -> dict[str, str]:
    """Return the gateway's settings for a bus without anybody, and files in an empty folder."""
    files = ("swimmy_status_file", "backtest_status_file", "metrics_file")
    nobody = {"endpoint": "tcp://127.0.0.1:9", "results_endpoint": ""}
    return nobody | {name: str(folder / name) for name in files}


@pytest.fixture
async def gateway(bus: GuardianServer, observations: Observations) -> AsyncIterator[ServerUnderTest]:
    """The server with the contract's limits and deadlines, on the machine's clock."""
    async with open_server(GATEWAY_SERVER, settings_of(bus.guardian), observations, SystemClock()) as server:
        await wait_for_connections(server)
        yield server


async def wait_for_connections(gateway: ServerUnderTest) -> None:
    """Wait until both connections to the Guardian are made."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(SourceError):
                return await gateway.check()
            await gateway.call(PING)  # meanwhile, the event loop connects


@pytest.fixture
async def alone(tmp_path: Path, observations: Observations, clock: ManualClock) -> AsyncIterator[ServerUnderTest]:
    """The server without a Guardian, and without its files."""
    async with open_server(GATEWAY_SERVER, settings_without_guardian(tmp_path), observations, clock) as server:
        yield server


async def run_to_the_end(gateway: ServerUnderTest, **arguments: Any) -> Answer:
    """Submit a backtest and return its status once there is one."""
    submitted = await gateway.call(RUN, **BACKTEST | arguments)
    assert submitted.body["status"] == 202
    async with asyncio.timeout(PATIENCE_S):
        while True:
            found = await gateway.call(RESULT, request_id=submitted.body["request_id"])
            if found.body["state"] != "pending":
                return found


async def test_a_submitted_backtest_has_a_result_under_its_id(gateway: ServerUnderTest) -> None:
    answer = await run_to_the_end(gateway, request_id="REQ-42")
    assert (answer.body["mode"], answer.body["request_id"], answer.body["state"]) == ("request", "REQ-42", "done")
    result = answer.body["result"]
    assert (result["strategy_name"], result["request_id"]) == ("t", "REQ-42")
    assert result["trades"] > 0
    assert "trade_list" not in result
    latest = (await gateway.call(RESULT)).body
    assert latest["mode"] == "latest"
    assert latest["last_request_id"] == "REQ-42"
    assert latest["timestamp"].endswith("Z")


async def test_an_id_of_the_gateway_is_new_each_time(gateway: ServerUnderTest) -> None:
    first, second = [(await gateway.call(RUN, **BACKTEST)).body["request_id"] for _ in range(2)]
    assert first != second


async def test_the_trades_of_a_backtest_are_listed_if_requested(gateway: ServerUnderTest) -> None:
    result = (await run_to_the_end(gateway, include_trades=True)).body["result"]
    assert len(result["trade_list"]) == result["trades"]
    assert set(result["trade_list"][0]) == {"timestamp", "pnl"}


async def test_five_thousand_candles_of_the_caller_reach_the_guardian(
    gateway: ServerUnderTest, bus: GuardianServer
) -> None:
    candles = [{"t": 3600 * hour, "o": 1.25, "h": 1.5, "l": 1, "c": 1.25, "v": hour} for hour in range(5_000)]
    submitted = {"strategy": BACKTEST["strategy"], "candles": candles, "request_id": "inline"}
    assert (await gateway.call(RUN, **submitted)).code is None
    answer = await run_to_the_end(gateway)  # the bus keeps the order of messages
    assert answer.body["state"] == "done"
    (message,) = [each["message"] for each in bus.guardian.received() if '(request_id . "inline")' in each["message"]]
    assert message.count("(t . ") == 5_000
    assert "((t . 17996400) (o . 1.25) (h . 1.5) (l . 1) (c . 1.25) (v . 4999))" in message
    assert (await gateway.call(RUN, **submitted | {"candles": [*candles, candles[0]]})).code == "INVALID_PARAMS"


async def test_a_backtest_that_the_guardian_cannot_run_has_failed(gateway: ServerUnderTest) -> None:
    strategy = BACKTEST["strategy"] | {"indicator_type": "vpoc"}
    answer = await run_to_the_end(gateway, strategy=strategy)
    assert (answer.body["mode"], answer.body["state"]) == ("request", "failed")
    assert "vpoc" in answer.body["reason"]
    assert "result" not in answer.body


async def test_a_submitted_backtest_is_pending_until_its_result_comes(
    gateway: ServerUnderTest, bus: GuardianServer, observations: Observations
) -> None:
    with bus.frozen():
        await gateway.call(RUN, **BACKTEST | {"request_id": "patient"})
        answer = await gateway.call(RESULT, request_id="patient")
        assert answer.body == {"mode": "request", "request_id": "patient", "state": "pending"}
    async with asyncio.timeout(PATIENCE_S):
        while (answer := await gateway.call(RESULT, request_id="patient")).body["state"] == "pending":
            pass
    assert answer.body["state"] == "done"
    async with open_server(GATEWAY_SERVER, settings_of(bus.guardian), observations, SystemClock()) as restarted:
        assert (await restarted.call(RESULT, request_id="patient")).body["state"] == "unknown"


@pytest.mark.parametrize(
    "state, before", [("pending", "unknown"), ("unknown", "unknown"), ("done", "done"), ("failed", "failed")]
)
async def test_a_caller_of_the_first_version_knows_no_pending_backtest(state: str, before: str) -> None:
    assert await known_state_back(state, cast("SwimmyCall", None)) == before


async def test_a_backtest_on_data_that_do_not_exist_has_failed(gateway: ServerUnderTest) -> None:
    answer = await run_to_the_end(gateway, data_id="XYZUSD_M1")
    assert (answer.body["state"], "there are no candles XYZUSD_M1" in answer.body["reason"]) == ("failed", True)


async def test_an_id_that_was_never_submitted_is_unknown(gateway: ServerUnderTest) -> None:
    answer = await gateway.call(RESULT, request_id="never")
    assert answer.body == {"mode": "request", "request_id": "never", "state": "unknown"}


async def test_the_status_files_of_the_guardian_are_read(gateway: ServerUnderTest) -> None:
    swimmy = (await gateway.call(STATUS)).body["swimmy"]
    assert swimmy.keys() <= {"time", "ticks", "equity", "pnl", "mt5"}  # it is written line by line
    metrics = (await gateway.call(METRICS)).body
    assert metrics["schema_version"] == 1
    assert metrics["timestamp"].endswith("Z")
    assert (await gateway.call(PING)).body == {"status": "ok"}


@pytest.mark.parametrize(
    "name,arguments",
    [
        *(pytest.param(name, {"unknown": 1}, marks=answers(name, "INVALID_PARAMS")) for name in GATEWAY_TOOLS),
        pytest.param(RUN, {"action": "CPCV_VALIDATE"}, marks=answers(RUN, "INVALID_PARAMS")),
        pytest.param(RUN, {"type": "CLOSE"}, marks=answers(RUN, "INVALID_PARAMS")),
        pytest.param(RUN, {"x) (type": "CLOSE"}, marks=answers(RUN, "INVALID_PARAMS")),
        pytest.param(RUN, {"strategy": BACKTEST["strategy"] | {"type": 1}}, marks=answers(RUN, "INVALID_PARAMS")),
        pytest.param(RUN, {"candles_file": "../x.csv"}, marks=answers(RUN, "INVALID_PARAMS")),
        pytest.param(RUN, {"candles_file": "/etc/x.csv"}, marks=answers(RUN, "INVALID_PARAMS")),
        pytest.param(RUN, {"data_id": "mcp:x.csv"}, marks=answers(RUN, "INVALID_PARAMS")),
        pytest.param(RUN, {"candles_file": "x.csv"}, marks=answers(RUN, "INCONSISTENT_PARAMS")),
        pytest.param(RUN, {"start_time": 2, "end_time": 1}, marks=answers(RUN, "INCONSISTENT_PARAMS")),
        pytest.param(RUN, {"request_id": "CPCV_VALIDATE"}, marks=answers(RUN, "INCONSISTENT_PARAMS")),
        pytest.param(RESULT, {"request_id": "a b"}, marks=answers(RESULT, "INVALID_PARAMS")),
    ],
    ids=str,
)
async def test_rejected_arguments_send_nothing(
    gateway: ServerUnderTest, bus: GuardianServer, name: str, arguments: dict[str, Any]
) -> None:
    await run_to_the_end(gateway)
    before = len(bus.guardian.received())
    answer = await gateway.call(name, **ARGUMENTS[name] | arguments)
    assert answer.code in {"INVALID_PARAMS", "INCONSISTENT_PARAMS"}
    assert answer.details["violations"]
    await gateway.call(RUN, **BACKTEST | {"request_id": "after"})
    async with asyncio.timeout(PATIENCE_S):
        while not (sent := bus.guardian.received()[before:]):
            await gateway.call(PING)  # no event tells that the Guardian has read the message
    assert '(request_id . "after")' in sent[0]["message"]


@answers(RUN, "UNAVAILABLE")
async def test_a_backtest_without_a_guardian_is_an_error_in_time_and_is_never_sent(
    alone: ServerUnderTest, clock: ManualClock
) -> None:
    answer = await pass_time(clock, alone.call(RUN, **BACKTEST))
    assert (answer.code, answer.details) == ("UNAVAILABLE", {})
    with pytest.raises(SourceError):
        await pass_time(clock, alone.check())


async def pass_time(clock: ManualClock, work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of *work*, while the clock passes."""
    task = asyncio.create_task(work)
    while not (await asyncio.wait([task], timeout=TICK_REAL_S))[0]:
        clock.advance(0.1)
    return await task


@answers(RESULT, "UNAVAILABLE")
async def test_an_invalid_address_of_results_is_an_unavailable_source(
    tmp_path: Path, observations: Observations
) -> None:
    settings = settings_without_guardian(tmp_path) | {"results_endpoint": "nowhere"}
    async with open_server(GATEWAY_SERVER, settings, observations) as server:
        assert (await server.call(RESULT, request_id="r1")).code == "UNAVAILABLE"


@pytest.mark.parametrize("name", FILES)
async def test_a_tool_without_its_files_answers_empty(alone: ServerUnderTest, name: str) -> None:
    assert (await alone.call(name)).body == FILES[name][1]


@pytest.mark.parametrize("fault", ["folder", "fifo", "loop", "too large", "half written"])
@pytest.mark.parametrize("name", FILES)
async def test_an_unreadable_file_is_empty_and_a_warning(
    alone: ServerUnderTest, tmp_path: Path, name: str, fault: str
) -> None:
    path = tmp_path / FILES[name][0]
    create: dict[str, Callable[[], object]] = {
        "folder": path.mkdir,
        "fifo": lambda: os.mkfifo(path),
        "loop": lambda: path.symlink_to(path),
        "too large": lambda: path.write_bytes(b"a: b\n" * 20_000),
        "half written": lambda: path.write_bytes(b"((schema_version . 1) (a"),
    }
    create[fault]()
    with capture_logs() as records:
        assert (await alone.call(name)).body == FILES[name][1]
    if name == METRICS or fault != "half written":  # lines that are not finished are left out without a word
        assert [record.levelname for record in records if "answered as empty" in record.getMessage()] == ["WARNING"]


async def test_a_result_without_an_address_of_results_is_the_latest(alone: ServerUnderTest, tmp_path: Path) -> None:
    lines = "timestamp: 3973000000\nlast_request_id: r2\nmode: none\nstate: done\nresult: 1\n"
    (tmp_path / "backtest_status_file").write_text(lines, encoding="utf-8")
    answer = await alone.call(RESULT, request_id="r1")
    assert answer.body == {"mode": "latest", "timestamp": "2025-11-24T19:06:40Z", "last_request_id": "r2"}


async def test_orders_are_rejected(alone: ServerUnderTest) -> None:
    answer = await alone.call("trade.submit", symbol="USDJPY", side="BUY", lot=0.01)
    assert (answer.code, answer.message) == ("TRADE_DISABLED", "trade-capable disabled")
    assert answer.body["error"]["code"] == -32003


# --- faults of the server ------------------------------------------------------------------------------------------


@parametrize_tools(GATEWAY_TOOLS, "TIMEOUT")
async def test_a_handler_that_does_not_end_is_answered_at_the_deadline(
    tmp_path: Path, observations: Observations, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    started = asyncio.Event()

    async def hang(_request: Any, _call: Any) -> None:
        started.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(f"handlers.{GATEWAY_SERVER}.{name_handler(tool)}", hang)
    async with open_server(GATEWAY_SERVER, settings_without_guardian(tmp_path), observations, clock) as server:
        call = asyncio.create_task(server.call(tool, **ARGUMENTS[tool]))
        await started.wait()
        clock.advance(promised(GATEWAY_SERVER, tool)["deadline"]["timeout_ms"] / 1000)
        assert (await call).code == "TIMEOUT"


@parametrize_tools(GATEWAY_TOOLS, "UNAVAILABLE")
async def test_a_source_that_fails_is_unavailable_without_its_text(
    tmp_path: Path, observations: Observations, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    async def fail(_request: Any, _call: Any) -> None:
        raise SourceError("s3cr3t")

    monkeypatch.setattr(f"handlers.{GATEWAY_SERVER}.{name_handler(tool)}", fail)
    answer = await call_alone(tmp_path, observations, tool)
    assert (answer.code, answer.body["error"]["code"]) == ("UNAVAILABLE", -32603)
    assert "s3cr3t" not in str(answer.body)


@parametrize_tools(GATEWAY_TOOLS, "INTERNAL_ERROR")
async def test_the_bug_of_a_handler_is_an_internal_error_without_its_text(
    tmp_path: Path, observations: Observations, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    break_handler(monkeypatch, GATEWAY_SERVER, tool)
    answer = await call_alone(tmp_path, observations, tool)
    assert (answer.code, answer.body["error"]["code"]) == ("INTERNAL_ERROR", -32603)
    assert "s3cr3t" not in str(answer.body)


async def call_alone(folder: Path, observations: Observations, name: str) -> Answer:
    """Call a tool of a server without a Guardian."""
    with capture_logs():
        async with open_server(GATEWAY_SERVER, settings_without_guardian(folder), observations) as server:
            return await server.call(name, **ARGUMENTS[name])
