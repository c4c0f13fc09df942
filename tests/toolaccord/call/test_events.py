"""Events that tools publish, on a real NATS server and a real Valkey."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from math import nan
from typing import Any

import orjson
import pytest
from nats.js import JetStreamContext
from nats.js.api import StreamConfig
from redis.asyncio import Redis

from tests.services import nats as service
from tests.services import zmq
from tests.services.nats import NatsServer, jetstream
from tests.services.valkey import Valkey
from tests.toolaccord.demo.alarm import Raise, Warden
from tests.toolaccord.generated.demo.alarm.models import Fire, Siren
from tests.toolaccord.generated.demo.alarm.server import AlarmCall, server
from toolaccord.call.events import BoundEvent, EventPublisher
from toolaccord.call.pipeline import Pipeline
from toolaccord.declarations.events import Event
from toolaccord.json_values import JsonObject
from toolaccord.sources import Source
from toolaccord.sources.zmq import ZmqPubSource
from toolaccord.testing import capture_logs, connect, pipeline
from toolaccord.timing.clock import SystemClock

KEYED = {"idempotency_key": "alarm:1"}
BARN = {"place": "barn"}


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with service.running(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
async def streams(nats: NatsServer, valkey: Valkey) -> AsyncIterator[JetStreamContext]:
    """JetStream with the stream ALARMS, which is empty, as is Valkey."""
    valkey.command("FLUSHALL")
    async with jetstream(nats.url) as streams:
        await streams.add_stream(StreamConfig(name="ALARMS", subjects=["alarms.>"]))
        yield streams
        await streams.delete_stream("ALARMS")


@pytest.fixture
async def sources(nats: NatsServer, valkey: Valkey, streams: JetStreamContext) -> AsyncIterator[dict[str, Source]]:  # noqa: ARG001 - they are there
    settings = {"nats_url": nats.url, "redis_url": valkey.url}
    opened = {each.name: each.open(settings, SystemClock()) for each in server(Warden(publish_fire)).sources}
    yield opened
    for source in opened.values():
        await source.close()


async def publish_fire(place: str, call: AlarmCall) -> None:
    await call.fire.publish(Fire(place=place))


def serving(sources: dict[str, Source], publish: Raise = publish_fire) -> Pipeline:
    return pipeline(server(Warden(publish)), sources=sources, clock=SystemClock())


async def stored(streams: JetStreamContext) -> list[object]:
    """Return the events of the stream, in order."""
    count = (await streams.stream_info("ALARMS")).state.messages
    messages = [await streams.get_msg("ALARMS", seq=number) for number in range(1, count + 1)]
    return [orjson.loads(message.data or b"") for message in messages]


async def test_an_event_is_stored_when_the_call_is_answered(
    sources: dict[str, Source], streams: JetStreamContext
) -> None:
    async def publish(place: str, call: AlarmCall) -> None:
        await call.fire.publish(Fire(place=place, since=datetime(2026, 11, 22, 20, 30, tzinfo=UTC)))
        assert len(await stored(streams)) == 1

    answer = await serving(sources, publish).call("raise_alarm", BARN)
    assert answer.body == {"data": {"raised": True}}
    assert await stored(streams) == [{"place": "barn", "since": "2026-11-22T20:30:00Z"}]


async def test_a_payload_that_breaks_the_contract_fails_the_call_and_is_not_published(
    sources: dict[str, Source], streams: JetStreamContext
) -> None:
    async def publish(_place: str, call: AlarmCall) -> None:
        await call.fire.publish(Fire.model_construct(place="barn", level=4))

    with capture_logs() as logs:
        answer = await serving(sources, publish).call("raise_alarm", BARN)
    assert answer.body["error"]["code"] == "INTERNAL_ERROR"
    assert "/level must be at most 3" in [str(record.exc_info[1]) for record in logs if record.exc_info]
    assert await stored(streams) == []


async def test_a_repeated_execution_stores_each_event_of_its_key_once(
    sources: dict[str, Source], streams: JetStreamContext
) -> None:
    async def publish_and_fail(place: str, call: AlarmCall) -> None:
        await publish_fire(place, call)
        await call.fire.publish(Fire(place="field"))
        raise RuntimeError

    async def publish(place: str, call: AlarmCall) -> None:
        await publish_fire(place, call)
        await call.fire.publish(Fire(place="field"))

    assert "error" in (await serving(sources, publish_and_fail).call("raise_alarm", BARN, KEYED)).body
    assert "data" in (await serving(sources, publish).call("raise_alarm", BARN, KEYED)).body
    assert await stored(streams) == [{"place": "barn"}, {"place": "field"}]
    other = await serving(sources, publish).call("raise_alarm", BARN, {"idempotency_key": "alarm:2"})
    assert "data" in other.body
    assert len(await stored(streams)) == 4


async def test_a_key_that_failed_publishes_the_event_of_other_arguments(
    sources: dict[str, Source], streams: JetStreamContext
) -> None:
    async def publish_and_fail(place: str, call: AlarmCall) -> None:
        await publish_fire(place, call)
        raise RuntimeError

    assert "error" in (await serving(sources, publish_and_fail).call("raise_alarm", BARN, KEYED)).body
    assert "data" in (await serving(sources).call("raise_alarm", {"place": "field"}, KEYED)).body
    assert await stored(streams) == [BARN, {"place": "field"}]


async def test_calls_without_a_key_publish_each_time(sources: dict[str, Source], streams: JetStreamContext) -> None:
    for _ in range(2):
        await serving(sources).call("raise_alarm", BARN)
    assert await stored(streams) == [BARN, BARN]


async def test_a_handler_may_choose_the_id_of_a_message(sources: dict[str, Source], streams: JetStreamContext) -> None:
    async def publish(place: str, call: AlarmCall) -> None:
        await call.fire.publish(Fire(place=place), message_id="chosen")

    for key in ("alarm:1", "alarm:2"):
        await serving(sources, publish).call("raise_alarm", BARN, {"idempotency_key": key})
    assert await stored(streams) == [BARN]


async def test_an_event_on_a_channel_reaches_its_subscribers(sources: dict[str, Source], valkey: Valkey) -> None:
    async def publish(place: str, call: AlarmCall) -> None:
        await call.bell.publish([place, "ding"])

    async with Redis.from_url(valkey.url) as client, client.pubsub() as listening:
        await listening.subscribe("alarms:bell")
        assert (await anext(listening.listen()))["type"] == "subscribe"
        answer = await serving(sources, publish).call("raise_alarm", BARN)
        received = await asyncio.wait_for(anext(listening.listen()), 60)
    assert "data" in answer.body
    assert orjson.loads(received["data"]) == ["barn", "ding"]


async def rings(
    valkey: Valkey, sources: dict[str, Source], calls: list[tuple[str, JsonObject | None, str | None]]
) -> list[str]:
    """Return the places that listeners hear of; a call is a place, metadata and a message id."""
    places: list[str] = []
    async with Redis.from_url(valkey.url) as client, client.pubsub() as listening:
        await listening.subscribe("alarms:bell")
        assert (await anext(listening.listen()))["type"] == "subscribe"
        for place, meta, message_id in [*calls, ("end", None, None)]:
            await serving(sources, partial(ring, message_id=message_id)).call("raise_alarm", {"place": place}, meta)
        while places[-1:] != ["end"]:
            places.append(orjson.loads((await asyncio.wait_for(anext(listening.listen()), 60))["data"])[0])
    return places[:-1]


async def ring(place: str, call: AlarmCall, *, message_id: str | None) -> None:
    await call.bell.publish([place], message_id=message_id)
    if message_id is None:
        raise RuntimeError  # the next call with the key executes again


async def test_a_channel_carries_the_event_of_one_id_once_within_its_window(
    sources: dict[str, Source], valkey: Valkey
) -> None:
    with capture_logs():
        received = await rings(
            valkey,
            sources,
            [
                ("barn", KEYED, None),
                ("barn", KEYED, None),
                ("barn", {"idempotency_key": "alarm:2"}, None),
                ("field", None, "chosen"),
                ("house", None, "chosen"),
            ],
        )
    assert received == ["barn", "barn", "field"]
    lifetimes = [valkey.command("PTTL", key) for key in valkey.command("KEYS", "toolaccord:event:alarms:bell:*")]
    assert len(lifetimes) == 3
    assert all(3_500_000 < each <= 3_600_000 for each in lifetimes)


async def publish_all_once(place: str, call: AlarmCall, seen: list[Any]) -> None:
    seen.append(await call.fire.publish_once(Fire(place=place, since=datetime.now(UTC))))
    seen.append(await call.bell.publish_once([place, str(len(seen))]))


async def test_an_event_published_once_returns_the_message_that_jetstream_stored_first(
    sources: dict[str, Source], streams: JetStreamContext, valkey: Valkey
) -> None:
    seen: list[Any] = []
    answers = []
    for _ in range(2):
        publish = partial(publish_all_once, seen=seen)
        answers.append(await serving(sources, publish).call("raise_alarm", BARN, KEYED))
        valkey.command("FLUSHALL")  # as if the server was killed before it stored its result
    assert seen[0] == seen[2]
    assert (seen[1], seen[3]) == (["barn", "1"], ["barn", "3"])  # a channel stores no messages
    assert [answer.is_replayed for answer in answers] == [False, True]
    assert len(await stored(streams)) == 1


async def test_without_a_key_an_event_is_published_once_for_each_call(
    sources: dict[str, Source], streams: JetStreamContext
) -> None:
    seen: list[Any] = []
    for _ in range(2):
        await serving(sources, partial(publish_all_once, seen=seen)).call("raise_alarm", BARN)
    assert len(await stored(streams)) == 2


async def test_a_first_message_of_another_form_is_a_failure_of_the_source(
    sources: dict[str, Source], streams: JetStreamContext, valkey: Valkey
) -> None:
    publish = partial(publish_all_once, seen=[])
    await serving(sources, publish).call("raise_alarm", BARN, KEYED)
    message_id = ((await streams.get_msg("ALARMS", seq=1)).headers or {})["Nats-Msg-Id"]
    await streams.delete_stream("ALARMS")
    await streams.add_stream(StreamConfig(name="ALARMS", subjects=["alarms.>"]))
    await streams.publish("alarms.fire", b'{"site": "barn"}', headers={"Nats-Msg-Id": message_id})
    valkey.command("FLUSHALL")
    with capture_logs():
        answer = await serving(sources, publish).call("raise_alarm", BARN, KEYED)
    assert answer.body["error"]["code"] == "DATABASE_ERROR"


async def test_a_channel_carries_every_event_without_an_id(sources: dict[str, Source], valkey: Valkey) -> None:
    with capture_logs():
        assert await rings(valkey, sources, [("barn", None, None)] * 2) == ["barn", "barn"]


async def test_an_event_in_s_expressions_arrives_as_one(sources: dict[str, Source], valkey: Valkey) -> None:
    async def publish(place: str, call: AlarmCall) -> None:
        await call.siren.publish(Siren(place=place, seconds=[1.5], action="HOWL", tone="rising"))

    hostile = 'barn") (action . "QUIET'
    async with Redis.from_url(valkey.url) as client, client.pubsub() as listening:
        await listening.subscribe("alarms:siren")
        assert (await anext(listening.listen()))["type"] == "subscribe"
        answer = await serving(sources, publish).call("raise_alarm", {"place": hostile})
        received = await asyncio.wait_for(anext(listening.listen()), 60)
    assert "data" in answer.body
    escaped = r'(place . "barn\") (action . \"QUIET")'
    assert received["data"].decode() == f'((action . "HOWL") (tone . rising) {escaped} (seconds . (1.5)))'


@pytest.mark.parametrize(
    "change", [{"tone": "rising) (x . 1"}, {"action": "QUIET"}, {"seconds": [nan]}, {"place": "\ud800"}]
)
async def test_a_payload_that_breaks_the_contract_reaches_no_listener_in_lisp(
    sources: dict[str, Source], valkey: Valkey, change: dict[str, Any]
) -> None:
    async def publish(place: str, call: AlarmCall) -> None:
        await call.siren.publish(Siren.model_construct(**{"action": "HOWL", "place": place} | change))

    async def publish_well(place: str, call: AlarmCall) -> None:
        await call.siren.publish(Siren(action="HOWL", place=place))

    async with Redis.from_url(valkey.url) as client, client.pubsub() as listening:
        await listening.subscribe("alarms:siren")
        assert (await anext(listening.listen()))["type"] == "subscribe"
        with capture_logs():
            answer = await serving(sources, publish).call("raise_alarm", BARN)
        await serving(sources, publish_well).call("raise_alarm", BARN)
        received = await asyncio.wait_for(anext(listening.listen()), 60)
    assert answer.body["error"]["code"] == "INTERNAL_ERROR"
    assert received["data"] == b'((action . "HOWL") (place . "barn"))'


async def test_an_event_of_a_zmq_source_reaches_the_subscriber_of_its_endpoint() -> None:
    declared = ZmqPubSource(name="bus", endpoint="endpoint", timeout_s=30, max_pending=10)
    event = Event(name="bell", source="bus", payload={"type": "array"}, nullable=False)
    with zmq.running("SUB", b"") as peer:
        source = declared.open({"endpoint": peer.endpoint}, SystemClock())
        publisher = EventPublisher(BoundEvent(event, source), None)
        await publisher.publish(["barn", "ding"])
        await source.close()
        assert orjson.loads(peer.receive()[0]) == ["barn", "ding"]
    assert publisher.address == ""


async def test_an_event_that_is_not_stored_fails_the_call_as_its_source_does(
    sources: dict[str, Source], streams: JetStreamContext
) -> None:
    await streams.update_stream(StreamConfig(name="ALARMS", subjects=["other"]))
    answer = await serving(sources).call("raise_alarm", BARN)
    assert answer.body["error"]["code"] == "DATABASE_ERROR"


async def test_a_tool_that_publishes_is_not_read_only() -> None:
    async with connect(server(Warden(publish_fire))) as client:
        (tool,) = (await client.list_tools()).tools
    assert tool.annotations is not None
    assert (tool.annotations.read_only_hint, tool.annotations.idempotent_hint) == (False, False)


async def test_a_tool_publishes_no_event_that_it_does_not_declare(
    sources: dict[str, Source], streams: JetStreamContext
) -> None:
    declared = server(Warden(publish_fire))
    silent = replace(declared, tools=tuple(replace(tool, publishes=("bell",)) for tool in declared.tools))
    with capture_logs() as records:
        answer = await pipeline(silent, sources=sources, clock=SystemClock()).call("raise_alarm", BARN)
    assert answer.body["error"]["code"] == "INTERNAL_ERROR"
    assert [record.getMessage() for record in records if record.levelname == "ERROR"] == [
        (
            'raise_alarm uses the event "fire", which it does not declare; '
            'add "fire" to "publishes" of its effects in the contract'
        )
    ]
    assert await stored(streams) == []
