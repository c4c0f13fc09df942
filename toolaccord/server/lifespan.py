"""State of a server that its handlers open before its first call, and close after its last."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from toolaccord.server.startup import StartError

if TYPE_CHECKING:
    from toolaccord.call.pipeline import Pipeline
    from toolaccord.shutdown import StopSignal

_LOG = logging.getLogger(__name__)


async def serve_with_state(
    pipeline: Pipeline, serve: Callable[[StopSignal], Coroutine[Any, Any, None]], stop: StopSignal
) -> None:
    """Open the state, *serve*, and close it. Raises StartError.

    A *stop* while it opens ends all.
    """
    async with AsyncExitStack() as stack:
        opening = asyncio.ensure_future(_stop_opening(asyncio.current_task(), stop))
        try:
            await stack.enter_async_context(pipeline.open_state())
        except asyncio.CancelledError:
            if stop.requested.is_set():
                return
            raise
        except Exception as error:
            _LOG.exception("the handlers' lifespan failed")
            text = f"the handlers' lifespan failed with {type(error).__name__}; the log has the reason"
            raise StartError(text) from error
        finally:
            opening.cancel()
        await serve(stop)


async def _stop_opening(opener: asyncio.Task[Any] | None, stop: StopSignal) -> None:
    """Cancel *opener* when *stop* is requested."""
    await stop.requested.wait()
    if opener is not None:
        opener.cancel()
