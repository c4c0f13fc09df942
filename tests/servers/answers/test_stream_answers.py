"""Prove every promise of the tools that use NATS, on a real server with JetStream."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from typing import Any

import orjson
import pytest
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StreamConfig

from handlers.platform.features import SPARE_MESSAGES
from handlers.platform.ticks import to_subject
from sandbox.nats.feed import make_tick
from tests.contracts.reading import CONTRACTS, tool
from tests.servers.backends import ALERT, SYMBOL, TICKS
from tests.servers.contracts import Observations, answers
from tests.servers.harness import NOW, Answer, ServerUnderTest, break_handler, open_server
from tests.services import nats as service
from tests.services.nats import NatsServer, jetstream
from tests.services.valkey import Valkey
from toolaccord.testing import ManualClock, capture_logs

SERVERS = {TICKS: "platform.features", ALERT: "platform.risk"}
SUBJECT = "market.data.ETH-USD"
SECOND = int(NOW.timestamp())
ARGUMENTS: dict[str, dict[str, Any]] = {
    TICKS: {"symbol": SYMBOL},
    ALERT: {"violation_type": "position_limit", "severity": "critical", "message": "EURUSD is above its limit"},
}
EXAMPLES = {name: tool(server, name)["examples"][0] for name, server in SERVERS.items()}


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with service.running(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
async def streams(nats: NatsServer) -> AsyncIterator[JetStreamContext]:
    """The streams of the platform, empty."""
    async with jetstream(nats.url) as streams:
        await streams.add_stream(StreamConfig(name="MARKET_DATA", subjects=["market.data.*"], allow_direct=True))
        await streams.add_stream(StreamConfig(name="RISK_ALERTS", subjects=["risk.alerts"]))
        yield streams
        for name in ("MARKET_DATA", "RISK_ALERTS"):
            await streams.delete_stream(name)


@pytest.fixture
def settings(nats: NatsServer, valkey: Valkey, streams: JetStreamContext) -> dict[str, Any]:  # noqa: ARG001 - they are there
    valkey.command("FLUSHALL")
    return {"nats_url": nats.url, "redis_url": valkey.url}


@pytest.fixture
async def features(
    settings: dict[str, Any], clock: ManualClock, observations: Observations
) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SERVERS[TICKS], settings, observations, clock) as server:
        yield server


@pytest.fixture
async def risk(
    settings: dict[str, Any], clock: ManualClock, observations: Observations
) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SERVERS[ALERT], settings, observations, clock) as server:
        yield server


async def publish_ticks(streams: JetStreamContext, seconds: range) -> None:
    for second in seconds:
        await streams.publish(SUBJECT, make_tick(SYMBOL, second))


async def read_alerts(streams: JetStreamContext) -> list[dict[str, Any]]:
    count = (await streams.stream_info("RISK_ALERTS")).state.messages
    return [
        orjson.loads((await streams.get_msg("RISK_ALERTS", seq=number)).data or b"") for number in range(1, count + 1)
    ]


async def alert(risk: ServerUnderTest, _key: str | None = None, **more: Any) -> Answer:
    return await risk.call(ALERT, _key, **ARGUMENTS[ALERT] | more)


# --- ticks ------------------------------------------------------------------------------------------------------------


async def test_the_ticks_of_the_last_minutes_come_in_order_and_once(
    features: ServerUnderTest, streams: JetStreamContext
) -> None:
    await publish_ticks(streams, range(SECOND - 90, SECOND))
    body = (await features.call(TICKS, symbol=SYMBOL, lookback_minutes=1)).body
    expected = [json.loads(make_tick(SYMBOL, second)) for second in range(SECOND - 60, SECOND)]
    assert [(tick["price"], tick["bid"], tick["ask"], tick["volume"]) for tick in body["ticks"]] == [
        (tick["price"], tick["bid"], tick["ask"], tick["volume"]) for tick in expected
    ]
    assert [body["ticks"][0]["timestamp"], body["ticks"][-1]["timestamp"]] == [
        "2026-11-21T11:59:00Z",
        "2026-11-21T11:59:59Z",
    ]
    assert body["metadata"] == {"total_ticks": 60, "skipped": 0, "remaining": 0}


async def test_no_call_leaves_a_consumer_behind(features: ServerUnderTest, streams: JetStreamContext) -> None:
    await publish_ticks(streams, range(SECOND - 5, SECOND))
    assert (await features.call(TICKS, symbol=SYMBOL)).code is None
    assert (await features.call(TICKS, symbol=SYMBOL, limit=1)).code is None
    assert (await features.call(TICKS, symbol="NEW/USD")).code == "MCP-010"
    assert (await streams.account_info()).consumers == 0


async def test_the_newest_ticks_are_returned_and_older_ones_above_the_limit_counted(
    features: ServerUnderTest, streams: JetStreamContext
) -> None:
    await publish_ticks(streams, range(SECOND - 30, SECOND))
    body = (await features.call(TICKS, symbol=SYMBOL, limit=10)).body
    assert [body["ticks"][place]["timestamp"] for place in (0, -1)] == ["2026-11-21T11:59:50Z", "2026-11-21T11:59:59Z"]
    assert body["metadata"] == {"total_ticks": 10, "skipped": 0, "remaining": 20}


async def test_ticks_of_older_time_that_arrive_late_take_no_place(
    features: ServerUnderTest, streams: JetStreamContext
) -> None:
    await publish_ticks(streams, range(SECOND - 90, SECOND))
    body = (await features.call(TICKS, symbol=SYMBOL, lookback_minutes=1, limit=2)).body
    assert [tick["timestamp"] for tick in body["ticks"]] == ["2026-11-21T11:59:58Z", "2026-11-21T11:59:59Z"]
    await publish_ticks(streams, range(SECOND - 60 - SPARE_MESSAGES, SECOND - 60))
    body = (await features.call(TICKS, symbol=SYMBOL, lookback_minutes=1, limit=1)).body
    assert [tick["timestamp"] for tick in body["ticks"]] == ["2026-11-21T11:59:59Z"]


async def test_a_tick_that_arrives_late_is_not_the_newest(features: ServerUnderTest, streams: JetStreamContext) -> None:
    await publish_ticks(streams, range(SECOND - 30, SECOND))
    await publish_ticks(streams, range(SECOND - 50, SECOND - 45))
    body = (await features.call(TICKS, symbol=SYMBOL, limit=1)).body
    assert [tick["timestamp"] for tick in body["ticks"]] == ["2026-11-21T11:59:59Z"]
    assert body["metadata"] == {"total_ticks": 1, "skipped": 0, "remaining": 34}


async def test_the_newest_of_more_ticks_than_a_call_returns_are_the_last_that_arrived(
    features: ServerUnderTest, streams: JetStreamContext
) -> None:
    for place in range(3000):  # in a minute
        tick = json.loads(make_tick(SYMBOL, SECOND)) | {"timestamp": f"2026-11-21T11:59:{place / 50:09.6f}+00:00"}
        await streams._nc.publish(SUBJECT, orjson.dumps(tick))
    await publish_ticks(streams, range(SECOND, SECOND + 1))
    body = (await features.call(TICKS, symbol=SYMBOL)).body
    stamps = [datetime.fromisoformat(tick["timestamp"]) for tick in body["ticks"]]
    assert (stamps[0], stamps[-1], len(stamps)) == (NOW - timedelta(seconds=999 / 50), NOW, 1000)
    assert body["metadata"]["remaining"] == 2001
    assert [tick["timestamp"] for tick in (await features.call(TICKS, symbol=SYMBOL, limit=1)).body["ticks"]] == [
        "2026-11-21T12:00:00Z"
    ]


async def test_ticks_of_the_future_and_epoch_times_are_counted_and_named_in_the_log(
    features: ServerUnderTest, streams: JetStreamContext
) -> None:
    await publish_ticks(streams, range(SECOND - 2, SECOND))
    tick = json.loads(make_tick(SYMBOL, SECOND))
    stamps = ["2026-11-21T12:00:01Z", "2026-11-21T12:00:02Z", "2026-11-21T13:00:00Z", SECOND, SECOND * 1000.0]
    for stamp in (*stamps, "1970-01-01T00:00:00Z"):
        await streams.publish(SUBJECT, orjson.dumps(tick | {"timestamp": stamp}))
    with capture_logs() as records:
        body = (await features.call(TICKS, symbol=SYMBOL, limit=3)).body
    assert body["metadata"] == {"total_ticks": 3, "skipped": 5, "remaining": 0}
    assert body["ticks"][-1]["timestamp"] == "2026-11-21T12:00:01Z"  # its clock may differ by a second
    (line,) = [record.getMessage() for record in records if record.name == "handlers.platform.features"]
    assert line == (
        "messages on market.data.ETH-USD are no ticks: 2 of the future, 3 with a number or 1970 as timestamp"
    )


async def test_messages_that_are_no_ticks_do_not_hide_older_ticks(
    features: ServerUnderTest, streams: JetStreamContext
) -> None:
    await publish_ticks(streams, range(SECOND - 2, SECOND))
    for _ in range(2 * SPARE_MESSAGES):
        await streams.publish(SUBJECT, b"[]")
    body = (await features.call(TICKS, symbol=SYMBOL, limit=1)).body
    assert [tick["timestamp"] for tick in body["ticks"]] == ["2026-11-21T11:59:59Z"]
    assert body["metadata"] == {"total_ticks": 1, "skipped": 2 * SPARE_MESSAGES, "remaining": 1}


async def test_messages_that_are_no_ticks_are_skipped_and_counted(
    features: ServerUnderTest, streams: JetStreamContext
) -> None:
    await publish_ticks(streams, range(SECOND - 2, SECOND))
    tick = make_tick(SYMBOL, SECOND)
    beyond = tick.replace(b"2026-11-21T12:00:00+00:00", b"9999-12-31T23:00:00-10:00")
    assert beyond != tick
    local = tick.replace(b"+00:00", b"")
    for payload in (b"", b"[]", b"{", make_tick("BTC/USD", SECOND), local, beyond):
        await streams.publish(SUBJECT, payload)
    body = (await features.call(TICKS, symbol=SYMBOL)).body
    assert body["metadata"] == {"total_ticks": 2, "skipped": 6, "remaining": 0}


async def test_ticks_are_sorted_by_their_time_in_utc(features: ServerUnderTest, streams: JetStreamContext) -> None:
    later = make_tick(SYMBOL, SECOND - 1).replace(b"T11:59:59+00:00", b"T13:59:59+02:00")
    for payload in (later, make_tick(SYMBOL, SECOND - 2)):
        await streams.publish(SUBJECT, payload)
    body = (await features.call(TICKS, symbol=SYMBOL)).body
    assert [tick["timestamp"] for tick in body["ticks"]] == ["2026-11-21T11:59:58Z", "2026-11-21T11:59:59Z"]


async def test_each_symbol_has_a_subject_of_its_own(features: ServerUnderTest, streams: JetStreamContext) -> None:
    await streams.publish(to_subject("EURUSD"), make_tick(SYMBOL, SECOND).replace(b"ETH/USD", b"EURUSD"))
    await streams.publish(to_subject("EUR/USD"), make_tick(SYMBOL, SECOND).replace(b"ETH/USD", b"EUR/USD"))
    for symbol in ("EURUSD", "EUR/USD"):
        body = (await features.call(TICKS, symbol=symbol)).body
        assert body["metadata"] == {"total_ticks": 1, "skipped": 0, "remaining": 0}


@answers(TICKS, "MCP-010")
async def test_a_symbol_without_recent_ticks_has_insufficient_data(
    features: ServerUnderTest, streams: JetStreamContext, clock: ManualClock
) -> None:
    await publish_ticks(streams, range(SECOND - 5, SECOND))
    answer = await features.call(TICKS, symbol="NEW/USD")
    assert (answer.code, answer.details) == ("MCP-010", {"available": 0, "required": 1})
    clock.advance(timedelta(minutes=2).total_seconds())
    assert (await features.call(TICKS, symbol=SYMBOL, lookback_minutes=1)).code == "MCP-010"


@answers(TICKS, "MCP-001")
@pytest.mark.parametrize(
    "change",
    [
        {"symbol": "eth"},
        {"symbol": "market.data.>"},
        {"lookback_minutes": 0},
        {"lookback_minutes": 61},
        {"limit": 1001},
    ],
    ids=str,
)
async def test_invalid_arguments_never_reach_the_stream(features: ServerUnderTest, change: dict[str, Any]) -> None:
    answer = await features.call(TICKS, **ARGUMENTS[TICKS] | change)
    assert answer.code == "MCP-001"
    assert answer.details["field"] == next(iter(change))


# --- alerts -----------------------------------------------------------------------------------------------------------


async def test_the_contracts_example_publishes_its_alert(risk: ServerUnderTest, streams: JetStreamContext) -> None:
    example = EXAMPLES[ALERT]
    assert (await risk.call(ALERT, **example["arguments"])).body == example["returns"]
    assert await read_alerts(streams) == [example["arguments"] | {"timestamp": "2026-11-21T12:00:00Z"}]


async def test_equal_alerts_of_an_hour_are_published_once(
    risk: ServerUnderTest, streams: JetStreamContext, clock: ManualClock
) -> None:
    first = await alert(risk)
    clock.advance(60)
    assert (await alert(risk)).body == first.body
    assert len(await read_alerts(streams)) == 1
    assert (await alert(risk, severity="emergency")).code is None
    assert len(await read_alerts(streams)) == 2


async def test_a_key_of_the_caller_tells_equal_alerts_apart(risk: ServerUnderTest, streams: JetStreamContext) -> None:
    for key in ("one", "two", "one"):
        assert (await alert(risk, key)).code is None
    assert len(await read_alerts(streams)) == 2


@answers(ALERT, "MCP-005")
async def test_a_key_with_another_alert_is_a_conflict(risk: ServerUnderTest, streams: JetStreamContext) -> None:
    await alert(risk, "one")
    answer = await alert(risk, "one", severity="warning")
    assert (answer.code, answer.details) == ("MCP-005", {"idempotency_key": "one"})
    assert len(await read_alerts(streams)) == 1


@answers(ALERT, "MCP-001")
@pytest.mark.parametrize(
    "change",
    [
        {"violation_type": "bug"},
        {"severity": "low"},
        {"message": ""},
        {"message": "x" * 501},
        {"symbol": "eurusd"},
        {"timestamp": "2026-11-21T12:00:00Z"},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_an_invalid_alert_is_not_published(
    risk: ServerUnderTest, streams: JetStreamContext, change: dict[str, Any]
) -> None:
    answer = await alert(risk, **change)
    assert answer.code == "MCP-001"
    assert answer.details["field"] == next(iter(change))
    assert await read_alerts(streams) == []


@answers(ALERT, "MCP-003")
async def test_a_full_stream_fails_an_alert_and_the_next_call_works(
    risk: ServerUnderTest, streams: JetStreamContext
) -> None:
    full = StreamConfig(name="RISK_ALERTS", subjects=["risk.alerts"], max_msgs=1, discard=DiscardPolicy.NEW)
    await streams.update_stream(full)
    assert (await alert(risk)).code is None
    with capture_logs(logging.DEBUG) as logs:
        answer = await alert(risk, message="The next one")
    assert (answer.code, answer.details) == ("MCP-003", {"service": "nats"})
    assert "maximum messages exceeded" in str([record.exc_info for record in logs])
    await streams.update_stream(full.evolve(max_msgs=2))
    assert (await alert(risk, message="The next one")).code is None


async def test_without_redis_an_alert_is_published_and_its_repetition_has_its_answer(
    risk: ServerUnderTest, streams: JetStreamContext, valkey: Valkey, clock: ManualClock
) -> None:
    with valkey.stopped(), capture_logs():
        first = await alert(risk)
        clock.advance(60)
        again = await alert(risk)
        repeated = await risk.client.call_tool(ALERT, ARGUMENTS[ALERT])
        assert (await alert(risk, "a-key")).code is None
    assert (first.code, first.body["timestamp"]) == (None, "2026-11-21T12:00:00Z")
    assert again.body == first.body
    assert (repeated.meta or {})["replayed"] is True
    assert [published["timestamp"] for published in await read_alerts(streams)] == [
        "2026-11-21T12:00:00Z",
        "2026-11-21T12:01:00Z",
    ]


async def test_a_full_redis_stops_no_alert(risk: ServerUnderTest, streams: JetStreamContext, valkey: Valkey) -> None:
    with valkey.full(), capture_logs():
        assert [(await alert(risk)).code for _ in range(2)] == [None, None]
    assert len(await read_alerts(streams)) == 1


async def test_an_alert_whose_key_was_lost_is_acknowledged_with_the_time_of_the_stored_message(
    risk: ServerUnderTest, streams: JetStreamContext, valkey: Valkey, clock: ManualClock
) -> None:
    first = await alert(risk)
    valkey.command("FLUSHALL")  # as if the server was killed between the publication and the storing of its result
    clock.advance(60)
    assert (await alert(risk)).body == first.body
    (published,) = await read_alerts(streams)
    assert published["timestamp"] == first.body["timestamp"] == "2026-11-21T12:00:00Z"


async def test_an_alert_that_the_stream_has_dropped_is_not_published_again(
    risk: ServerUnderTest, streams: JetStreamContext, valkey: Valkey, clock: ManualClock
) -> None:
    await alert(risk)
    await streams.purge_stream("RISK_ALERTS")
    valkey.command("FLUSHALL")
    clock.advance(60)
    assert (await alert(risk)).body["timestamp"] == "2026-11-21T12:01:00Z"
    assert (await streams.stream_info("RISK_ALERTS")).state.messages == 0


async def test_a_published_alert_fits_the_schema_of_the_event(risk: ServerUnderTest, streams: JetStreamContext) -> None:
    schema = json.loads((CONTRACTS.parent / "generated/platform/risk/schemas/events/risk_alert.json").read_text())
    await alert(risk, portfolio_id="port_1", threshold=1.5, current_value=-2)
    (published,) = await read_alerts(streams)
    assert published.keys() <= schema["properties"].keys()
    assert set(schema["required"]) <= published.keys()


# --- faults of both ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [pytest.param(name, marks=answers(name, "MCP-003")) for name in SERVERS])
async def test_an_unreachable_nats_is_an_unavailable_backend(
    name: str, settings: dict[str, Any], observations: Observations
) -> None:
    with capture_logs():
        async with open_server(SERVERS[name], settings | {"nats_url": "nats://127.0.0.1:9"}, observations) as server:
            answer = await server.call(name, **ARGUMENTS[name])
    assert (answer.code, answer.details) == ("MCP-003", {"service": "nats"})


@pytest.mark.parametrize("name", [pytest.param(name, marks=answers(name, "MCP-004")) for name in SERVERS])
async def test_a_stream_that_takes_too_long_is_a_timeout_at_the_deadline(
    name: str,
    settings: dict[str, Any],
    observations: Observations,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, waiting = ManualClock(NOW), asyncio.Event()

    async def wait(*_arguments: Any, **_options: Any) -> None:
        waiting.set()
        await asyncio.Event().wait()

    for method in ("publish_once", "last_messages"):
        monkeypatch.setattr(f"toolaccord.sources.nats.client.JetStreamClient.{method}", wait)
    async with open_server(SERVERS[name], settings, observations, clock) as server:
        call = asyncio.create_task(server.call(name, **ARGUMENTS[name]))
        await waiting.wait()
        timeout_ms = tool(SERVERS[name], name)["deadline"]["timeout_ms"]
        clock.advance(timeout_ms / 1000)
        answer = await call
    assert (answer.code, answer.details) == ("MCP-004", {"tool": name, "timeout_ms": timeout_ms})


@pytest.mark.parametrize("name", [pytest.param(name, marks=answers(name, "MCP-999")) for name in SERVERS])
async def test_the_bug_of_a_handler_is_an_internal_error_without_its_text(
    name: str, settings: dict[str, Any], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_handler(monkeypatch, SERVERS[name], name)
    with capture_logs():
        async with open_server(SERVERS[name], settings, observations) as server:
            answer = await server.call(name, **ARGUMENTS[name])
    assert (answer.code, answer.details) == ("MCP-999", {})
    assert "s3cr3t" not in str(answer.body)
