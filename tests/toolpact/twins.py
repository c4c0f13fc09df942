"""One server twice: with the front, and on the SDK alone; both hear the same lines, and what they answer is compared."""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from toolpact.call.pipeline import Pipeline
from toolpact.config.process_settings import Patience
from toolpact.shutdown import StopSignal
from toolpact.transports.stdio import server
from toolpact.transports.stdio.line_io import Wire

_DRAIN_S = 20


async def both(make: Callable[[], Pipeline], sent: Sequence[bytes]) -> tuple[list[Any], list[Any]]:
    """Return what the front and what the SDK answer to *sent*, in any order."""
    with_front, alone = await asyncio.gather(
        answers(make(), sent, reference=False), answers(make(), sent, reference=True)
    )
    return with_front, alone


async def answers(pipeline: Pipeline, sent: Sequence[bytes], *, reference: bool) -> list[Any]:
    """Return what a server says on stdio that hears *sent*, sorted, without what is different each time."""
    hearing, saying = os.pipe(), os.pipe()
    stop = StopSignal(Patience(drain_s=0, grace_s=_DRAIN_S))
    told = asyncio.create_task(asyncio.to_thread(_heard, saying[0]))
    asked = asyncio.create_task(asyncio.to_thread(_tell, hearing[1], sent))
    try:
        await server.serve(
            pipeline,
            Wire(hearing[0], saying[1]),
            stop,
            drain_s=_DRAIN_S,
            warm_up=lambda: None,
            reference=reference,
        )
    finally:
        os.close(saying[1])
        os.close(hearing[0])
        await asked
        said = await told
        os.close(saying[0])
    return sorted((comparable(json.loads(line)) for line in said), key=json.dumps)


def _tell(writing: int, sent: Sequence[bytes]) -> None:
    """Send *sent*, and that nothing more will come."""
    with os.fdopen(writing, "wb") as pipe:
        pipe.writelines(line + b"\n" for line in sent)


def _heard(reading: int) -> list[bytes]:
    """Return every line that is said."""
    with os.fdopen(reading, "rb", closefd=False) as pipe:
        return pipe.read().splitlines()


def comparable(answer: Any) -> Any:
    """Return *answer* without its correlation id, which is new in each; members have no order."""
    meta = answer.get("result", {}).get("_meta", {})
    if len(meta.get("corr_id", "")) == 32:
        meta["corr_id"] = "made"
    return json.loads(json.dumps(answer, sort_keys=True))


def line(message: Any) -> bytes:
    """Return *message* as it is sent."""
    return json.dumps(message).encode()
