"""signal-mcp beside its real servers and Redis: it publishes only what it computed."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from generated.agents.errors import DatabaseError, EvidenceNotFound, UnsupportedWords
from generated.agents.signals.client import SignalsClient
from generated.agents.signals.models import CollectEvidenceRequest, CollectEvidenceResult, PublishSignalRequest
from tests.handlers.agents.generator import SIGNALS, Floor
from tests.services.valkey import Valkey
from tests.toolaccord.process import PATIENCE_S

SYMBOL = "ETH/USD"
REQUEST = CollectEvidenceRequest(symbol=SYMBOL)


@pytest.fixture
async def client(floor: Floor) -> AsyncIterator[SignalsClient]:
    async with SignalsClient.stdio(env=floor.environ) as client:
        yield client


def words_about(evidence: CollectEvidenceResult) -> str:
    """Return a sentence of an honest model."""
    return f"The action is {evidence.raw_signal.action}, and the confidence is {evidence.raw_signal.confidence:.0%}."


def publication(evidence: CollectEvidenceResult, words: str) -> PublishSignalRequest:
    """Return the request that publishes *evidence*."""
    return PublishSignalRequest(symbol=SYMBOL, evidence_id=evidence.evidence_id, reasoning=words)


async def test_the_signal_of_the_servers_is_published_once_with_the_words(floor: Floor, client: SignalsClient) -> None:
    async with Redis.from_url(floor.redis.url) as subscriber, subscriber.pubsub() as listening:
        await listening.subscribe(SIGNALS)
        await listening.get_message(timeout=PATIENCE_S)
        evidence = await client.collect_evidence(REQUEST)
        words = words_about(evidence)
        published = await client.publish_signal(publication(evidence, words))
        message: Any = await listening.get_message(timeout=PATIENCE_S)
        with pytest.raises(EvidenceNotFound):
            await client.publish_signal(publication(evidence, "Once more."))
    signal = json.loads(message["data"])
    expected = evidence.raw_signal.model_dump(mode="json", exclude_unset=True)
    assert signal == expected | {"reasoning": f"{words} {expected['reasoning']}"}
    assert signal["strategies_analyzed"] > 0
    assert signal["market_context"]["current_price"] > 0
    assert published.signal_id == signal["signal_id"]


async def test_a_complete_signal_replaces_a_degraded_one_of_its_minute_and_nothing_replaces_a_complete_one(
    floor: Floor, client: SignalsClient
) -> None:
    complete = await client.collect_evidence(REQUEST)
    async with Redis.from_url(floor.redis.url) as redis:
        kept = json.loads(await redis.get(f"signal-evidence:{complete.evidence_id}") or "")
        assert "is_degraded" not in kept
        for name, value in {"degraded": kept | {"is_degraded": True}, "again": kept}.items():
            await redis.set(f"signal-evidence:sig-{name}", json.dumps(value))
    with floor.redis.subscribed(SIGNALS) as messages:
        results = [
            await client.publish_signal(publication(evidence, words_about(complete)))
            for evidence in (as_id(complete, "sig-degraded"), complete, as_id(complete, "sig-again"))
        ]
        sent = [signal for _, signal in messages()]
    assert [result.publication for result in results] == ["published", "replaced", "duplicate"]
    assert [(signal.get("is_degraded"), signal.get("revision")) for signal in sent] == [(True, None), (None, 2)]
    assert len({signal["signal_id"] for signal in sent}) == 1


def as_id(evidence: CollectEvidenceResult, evidence_id: str) -> CollectEvidenceResult:
    """Return *evidence* under another id."""
    return evidence.model_copy(update={"evidence_id": evidence_id})


async def test_replicas_share_the_evidence(floor: Floor, client: SignalsClient) -> None:
    evidence = await client.collect_evidence(REQUEST)
    async with SignalsClient.stdio(env=floor.environ) as replica:
        words = words_about(evidence)
        with pytest.raises(UnsupportedWords):
            await replica.publish_signal(publication(evidence, f"{words} A gain of 40% is certain."))
        await replica.publish_signal(publication(evidence, words))


async def test_servers_that_are_away_degrade_the_evidence(tmp_path: Path) -> None:
    with Valkey(tmp_path).running() as redis:
        away = {"STRATEGY_MCP_URL": "http://127.0.0.1:9/mcp", "MARKET_DATA_MCP_URL": "http://127.0.0.1:9/mcp"}
        env = away | {"REDIS_URL": redis.url, "NO_PROXY": "127.0.0.1", "PATH": os.environ["PATH"]}
        async with SignalsClient.stdio(env=env) as client:
            evidence = await client.collect_evidence(REQUEST)
            assert (evidence.raw_signal.action, evidence.raw_signal.is_degraded) == ("HOLD", True)
            redis.stop()
            with pytest.raises(DatabaseError):
                await client.collect_evidence(REQUEST)
