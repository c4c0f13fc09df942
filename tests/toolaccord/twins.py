"""Comparison of two servers on the same lines: one with the fast path, one on the SDK alone."""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from toolaccord.call.pipeline import Pipeline
from toolaccord.config.process_settings import StopTimeouts
from toolaccord.deferral.calls import TaskCalls
from toolaccord.shutdown import StopSignal
from toolaccord.transports.stdio import server
from toolaccord.transports.streams.connection import StreamOptions
from toolaccord.transports.streams.descriptors import StdioDescriptors

_DRAIN_S = 20
_MAX_LINE_BYTES = 1 << 22


async def both(make: Callable[[], Pipeline], sent: Sequence[bytes]) -> tuple[list[Any], list[Any]]:
    """Return the answers to *sent* of a server with the fast path and of one on the SDK alone."""
    fast_path, sdk = await asyncio.gather(answers(make(), sent, reference=False), answers(make(), sent, reference=True))
    return fast_path, sdk


async def answers(
    pipeline: Pipeline, sent: Sequence[bytes], tasks: TaskCalls | None = None, *, reference: bool
) -> list[Any]:
    """Return the comparable answers of a stdio server to *sent*, sorted."""
    requests, responses = os.pipe(), os.pipe()
    stop = StopSignal(StopTimeouts(drain_s=0, grace_s=_DRAIN_S))
    reading = asyncio.create_task(asyncio.to_thread(_read_lines, responses[0]))
    writing = asyncio.create_task(asyncio.to_thread(_write_lines, requests[1], sent))
    try:
        options = StreamOptions(drain_s=_DRAIN_S, warm_up=lambda: None, max_message_bytes=_MAX_LINE_BYTES)
        descriptors = StdioDescriptors(requests[0], responses[1])
        await server.serve(pipeline, descriptors, stop, options, tasks, reference=reference)
    finally:
        os.close(responses[1])
        os.close(requests[0])
        await writing
        lines = await reading
        os.close(responses[0])
    return sorted((comparable(json.loads(line)) for line in lines), key=json.dumps)


def _write_lines(descriptor: int, sent: Sequence[bytes]) -> None:
    """Write *sent*, and close the pipe."""
    with os.fdopen(descriptor, "wb") as pipe:
        pipe.writelines(line + b"\n" for line in sent)


def _read_lines(descriptor: int) -> list[bytes]:
    """Return every line until the pipe is closed."""
    with os.fdopen(descriptor, "rb", closefd=False) as pipe:
        return pipe.read().splitlines()


def comparable(answer: Any) -> Any:
    """Return *answer* with sorted members, and without a correlation id that the server made."""
    meta = answer.get("result", {}).get("_meta", {})
    if len(meta.get("corr_id", "")) == 32:
        meta["corr_id"] = "made"
    return json.loads(json.dumps(answer, sort_keys=True))


def line(message: Any) -> bytes:
    """Return *message* as a line."""
    return json.dumps(message).encode()
