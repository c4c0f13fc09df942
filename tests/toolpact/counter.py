"""A server of two tools that count: one tells how far it is, the other keeps it to itself.

`python -m tests.toolpact.counter` serves it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from tests.toolpact.library import LIBRARY, Record, _envelope, _object
from toolpact.declarations.settings import Setting
from toolpact.declarations.tool import Server, Tool
from toolpact.handler import Progress
from toolpact.json_values import JsonObject
from toolpact.server.main import run

TO: JsonObject = _object({"to": {"type": "integer", "minimum": 1, "maximum": 100}}, "to")


class CountRequest(Record):
    """How far to count."""

    to: int


class CountResult(Record):
    """How far it was counted."""

    to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterCall:
    """What a handler is given beside the request."""

    now: datetime
    progress: Progress


async def count(request: CountRequest, call: CounterCall) -> CountResult:
    """Count aloud."""
    for number in range(1, request.to + 1):
        await call.progress(number, request.to, f"s3cr3t {number}")
    return CountResult(to=request.to)


def server() -> Server[CounterCall]:
    """Return the server."""
    counting: Tool[Any, CounterCall, Any] = Tool(
        name="count",
        title=None,
        version="1.0.0",
        description="Count aloud",
        reads=(),
        writes=(),
        request=CountRequest,
        parameters=TO,
        returns=TO,
        output=_envelope(TO),
        errors=(),
        conditions=(),
        cache=None,
        paginated=False,
        timeout_ms=5000,
        nullable_results=False,
        handler=count,
        progress=True,
    )
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
                required=False,
                secret=True,
            ),
        ),
        sources=(),
        call=CounterCall,
        handler_settings=None,
        tools=(counting, replace(counting, name="count_silently", progress=False)),
    )


def main() -> int:
    """Serve the counter."""
    return run(server())


if __name__ == "__main__":
    raise SystemExit(main())
