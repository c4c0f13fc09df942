"""Declaration of counter-mcp.

Counts.

Generated from tests/toolaccord/contracts/demo/counter.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo.counter import models, schemas
from tests.toolaccord.generated.dialects import LIBRARY
from toolaccord import Progress
from toolaccord.declarations.tool import Server, Tool
from toolaccord.semantics.settings import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterSettings:
    """Settings of the handlers, from the environment."""

    word: str
    """what nobody may read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterCall:
    """Sources, settings and time that a handler of counter-mcp gets with a request."""

    settings: CounterSettings
    now: datetime
    """Time of the call, in UTC."""
    progress: Progress
    """Sends progress to a caller that wants it, in tools whose contract declares progress."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolaccord.demo.counter`."""

    async def count(self, request: models.CountRequest, call: CounterCall, /) -> models.CountResult:
        """Count aloud."""

    async def count_silently(
        self, request: models.CountSilentlyRequest, call: CounterCall, /
    ) -> models.CountSilentlyResult:
        """Count aloud."""


def server(handlers: Handlers) -> Server[CounterCall]:
    """Bind the tools of counter-mcp to *handlers*."""
    return Server(
        name="counter-mcp",
        title="Counter",
        version="1.0.0",
        description="Counts.",
        instructions=None,
        dialect=LIBRARY,
        settings=(
            Setting(
                name="word",
                env="COUNTER_WORD",
                description="what nobody may read",
                schema={"type": "string"},
                default="s3cr3t",
                secret=True,
            ),
        ),
        sources=(),
        call=CounterCall,
        handler_settings=CounterSettings,
        tools=(
            Tool(
                name="count",
                title=None,
                version="1.0.0",
                description="Count aloud",
                reads=(),
                writes=(),
                request=models.CountRequest,
                parameters=schemas.COUNT_PARAMETERS,
                returns=schemas.COUNT_RETURNS,
                output=schemas.COUNT_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                progress=True,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.count,
            ),
            Tool(
                name="count_silently",
                title=None,
                version="1.0.0",
                description="Count aloud",
                reads=(),
                writes=(),
                request=models.CountSilentlyRequest,
                parameters=schemas.COUNT_SILENTLY_PARAMETERS,
                returns=schemas.COUNT_SILENTLY_RETURNS,
                output=schemas.COUNT_SILENTLY_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.count_silently,
            ),
        ),
    )
