"""Declaration of the agent scout-agent.

Finds books in the library.

Generated from tests/toolaccord/contracts/demo/scout.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo.library import client as library_client
from tests.toolaccord.generated.demo.scout import models, schemas
from toolaccord import Publisher
from toolaccord.agent.call import LanguageModel, MissingData
from toolaccord.agent.declarations import Agent, Batch, Limits, ToolUse, Use
from toolaccord.client.policies import Retry, ToolCache
from toolaccord.declarations.tool import Event
from toolaccord.semantics.agents import IfMissing, Metric, Model, Queue, SharedCache
from toolaccord.semantics.settings import Setting
from toolaccord.sources.nats import NatsSource
from toolaccord.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutSettings:
    """Settings of the handler, from the environment."""

    shelf: str
    """shelf to search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutCall:
    """Clients, sources, settings and time of a request to scout-agent."""

    library: library_client.LibraryClient
    bus: Redis
    found: Publisher[models.Finding]
    """A finding."""
    lost: Publisher[models.Loss]
    """A book without a finding."""
    settings: ScoutSettings
    now: datetime
    """Time for which the request is answered, in UTC."""
    read_clock: Callable[[], datetime]
    """Returns the present, in UTC; it is after `now` if the request has waited."""
    corr_id: str
    """Correlation id of the request, which its calls carry."""
    missing: MissingData
    """The data without which the request is answered."""
    model: LanguageModel | None
    """Writes texts; None if the settings name no model."""


class Handler(Protocol):
    """The agent's coroutine, implemented in `tests.toolaccord.demo.scout`."""

    async def answer(self, request: models.ScoutRequest, call: ScoutCall, /) -> models.Finding:
        """Return the result of a request. Raises ToolError."""


def agent(handler: Handler) -> Agent[models.ScoutRequest, ScoutCall, models.Finding]:
    """Bind scout-agent to *handler*."""
    return Agent(
        name="scout-agent",
        title="Scout",
        version="1.0.0",
        description="Finds books in the library.",
        instructions="You find books.",
        model=Model(
            name="model",
            url="model_url",
            token="model_token",
            preferred="openai/gpt-4o",
            fallback="anthropic/claude-sonnet-4",
            requires=("tool_calling",),
            min_context_window=8000,
        ),
        settings=(
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="where findings are published",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="nats_url",
                env="NATS_URL",
                description="where books are queued",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="library_url",
                env="LIBRARY_URL",
                description="URL of the library",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="library_token",
                env="LIBRARY_TOKEN",
                description="token of the library",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="library_command",
                env="LIBRARY_COMMAND",
                description="command that starts the library",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="model",
                env="SCOUT_MODEL",
                description="model that writes titles",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="model_url",
                env="SCOUT_MODEL_URL",
                description="API of the model",
                schema={"type": "string"},
                default="https://openrouter.ai/api/v1",
            ),
            Setting(
                name="model_token",
                env="SCOUT_MODEL_KEY",
                description="key of that API",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="books",
                env="SCOUT_BOOKS",
                description="numbers of books, separated by commas",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="shelf",
                env="SCOUT_SHELF",
                description="shelf to search",
                schema={"type": "string"},
                default="A",
            ),
        ),
        sources=(
            RedisSource(
                name="bus",
                url="redis_url",
                max_connections=10,
                connection_timeout_s=1,
                timeout_s=1,
                retries=0,
            ),
            NatsSource(
                name="queue",
                url="nats_url",
                connection_timeout_s=2,
                timeout_s=2,
                max_outstanding=100,
                max_pending_bytes=1048576,
            ),
        ),
        uses=(
            Use(
                name="library",
                client=library_client.LibraryClient,
                version="^1",
                url="library_url",
                token="library_token",
                command="library_command",
                max_concurrent=20,
                environment=(
                    "SHELF_URL",
                    "LONGEST_TITLE",
                ),
                required=("SHELF_URL",),
                tools=(
                    ToolUse(
                        tool=library_client.GET_BOOK,
                        description="Get one book",
                        reads=("/title",),
                        cache=ToolCache(ttl_s=60, stale_if_error_s=600),
                        if_missing=IfMissing(label="title", confidence_penalty=0.2),
                    ),
                    ToolUse(
                        tool=library_client.LIST_BOOKS,
                        description="List the books of a shelf",
                        reads=("/pagination/total",),
                        if_missing=IfMissing(label="shelf", confidence_penalty=0.1),
                    ),
                    ToolUse(
                        tool=library_client.MISBEHAVE,
                        description="Do what no tool should",
                        reads=("/done",),
                        if_missing=IfMissing(label="shelf", confidence_penalty=0.1),
                    ),
                ),
            ),
        ),
        cache=SharedCache(store="bus", prefix="scout:cache:"),
        retry=Retry(
            max_attempts=3,
            initial_delay_s=0.1,
            max_delay_s=1.0,
            multiplier=2,
            jitter=0,
        ),
        limits=Limits(timeout_ms=10000, max_concurrent=2),
        batch=Batch(
            argument="book",
            all="books",
            size=3,
            delay_ms=1000,
            min_success_rate=0.5,
            result=models.Search,
            schema=schemas.BATCH_RESULT,
            queue=Queue(
                source="queue",
                stream="BOOKS",
                subject="books.wanted",
                max_age_s=120,
            ),
        ),
        events=(
            Event(
                name="found",
                source="bus",
                channel="findings",
                duplicate_window_s=3600,
                payload=schemas.FOUND_PAYLOAD,
                nullable=False,
            ),
            Event(
                name="lost",
                source="bus",
                channel="losses",
                duplicate_window_s=3600,
                payload=schemas.LOST_PAYLOAD,
                nullable=False,
            ),
        ),
        metrics=(
            Metric(name="findings_total", description="Findings by kind", labels={"kind": "/kind"}),
            Metric(
                name="confidence",
                description="Confidence",
                value="/confidence",
                buckets=(0.5, 0.8, 1),
            ),
            Metric(name="vague_total", description="Vague findings", when="/is_vague"),
        ),
        call=ScoutCall,
        handler_settings=ScoutSettings,
        request=models.ScoutRequest,
        input=schemas.INPUT,
        result=models.Finding,
        output=schemas.OUTPUT,
        nullable=False,
        handler=handler.answer,
    )
