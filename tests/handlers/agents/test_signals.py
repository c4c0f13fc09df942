"""signal-mcp on a real Redis: a signal reaches the channel as it is, and once."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from generated.agents.errors import DatabaseError
from generated.agents.signals.client import SignalsClient
from generated.agents.signals.models import PublishSignalRequest
from tests.contracts.reading import tool
from tests.services.valkey import Valkey
from tests.toolpact.process import PATIENCE_S

CHANNEL = "channel:raw-signals"
EXAMPLE: dict[str, Any] = tool("agents.signals", "publish_signal")["examples"][0]
REQUEST = PublishSignalRequest.model_validate(EXAMPLE["arguments"])


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Valkey]:
    with Valkey(tmp_path).running() as server:
        yield server


@pytest.fixture
async def client(redis: Valkey) -> AsyncIterator[SignalsClient]:
    async with SignalsClient.stdio(env={"REDIS_URL": redis.url}) as client:
        yield client


async def test_a_signal_reaches_the_channel_as_it_is_and_once(redis: Valkey, client: SignalsClient) -> None:
    second = REQUEST.model_copy(update={"signal_id": "sig-second"})
    async with Redis.from_url(redis.url) as subscriber, subscriber.pubsub() as listening:
        await listening.subscribe(CHANNEL)
        await listening.get_message(timeout=PATIENCE_S)
        answers = [await client.publish_signal(request) for request in (REQUEST, REQUEST, second)]
        messages = [await listening.get_message(timeout=PATIENCE_S) for _ in range(2)]
    assert [answer.model_dump() for answer in answers[:2]] == [EXAMPLE["returns"]] * 2
    published = [json.loads(message["data"]) for message in messages if message]
    assert published == [EXAMPLE["arguments"], {**EXAMPLE["arguments"], "signal_id": "sig-second"}]


async def test_an_absent_part_of_a_signal_stays_absent(redis: Valkey, client: SignalsClient) -> None:
    sparse = {
        key: value for key, value in EXAMPLE["arguments"].items() if key not in {"top_strategy", "market_context"}
    }
    async with Redis.from_url(redis.url) as subscriber, subscriber.pubsub() as listening:
        await listening.subscribe(CHANNEL)
        await listening.get_message(timeout=PATIENCE_S)
        await client.publish_signal(PublishSignalRequest.model_validate(sparse))
        message = await listening.get_message(timeout=PATIENCE_S)
    assert message is not None
    assert json.loads(message["data"]) == sparse


async def test_without_redis_the_call_fails(redis: Valkey, client: SignalsClient) -> None:
    redis.stop()
    with pytest.raises(DatabaseError):
        await client.publish_signal(REQUEST)
