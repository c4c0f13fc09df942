"""Scheduler of a queue: enqueues the requests of a round, once however many schedulers run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime

from toolaccord.agent.queue.metrics import QueueMetrics
from toolaccord.agent.queue.requests import QueuedRequest
from toolaccord.agent.schedule import pause, run_every
from toolaccord.contract.agents import Batch
from toolaccord.errors import SourceError
from toolaccord.server.startup import StartError
from toolaccord.sources.nats import QueueMismatch
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.store import QueueFull
from toolaccord.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_ROUND_S = 60
"""Seconds of a round without `--every`: requests of one minute are enqueued once."""
_SHARE_OF_ROUND = 0.9
"""Share of a round after which it is left, so that the next one is not late."""
_PAUSE_S = 1.0
"""Seconds between attempts to reach a queue that does not answer."""
_CREATED_AT_ONCE = 500


class Scheduler:
    """Enqueues values of the batch's argument."""

    def __init__(self, batch: Batch, records: TaskRecords, metrics: QueueMetrics) -> None:
        assert batch.queue
        self._argument, self._declared = batch.argument, batch.queue
        self._records = records
        self._metrics = metrics
        self._clock: Clock = records.clock
        self.has_failed = False
        """True once requests were not enqueued."""

    async def run(self, values: Sequence[str], every_s: float | None, stop: asyncio.Event) -> None:
        """Enqueue *values* for the present round, and with *every_s* for later ones until *stop*.

        Raises StartError if the queue exists with values that do not fit.
        """

        async def run_round(due: datetime) -> None:
            await self._run_round([QueuedRequest(value, due) for value in values], every_s or _ROUND_S, stop)

        if every_s is not None:
            await run_every(self._clock, every_s, run_round, stop)
            return
        minute = self._clock.now().timestamp() // _ROUND_S * _ROUND_S
        await run_round(datetime.fromtimestamp(minute, UTC))

    async def _run_round(self, requests: Sequence[QueuedRequest], period_s: float, stop: asyncio.Event) -> None:
        """Enqueue *requests*; while the queue does not answer, try again for most of the round."""
        due, limit_s = requests[0].scheduled_at, self._declared.max_age_s
        if (self._clock.now() - due).total_seconds() > limit_s:
            _LOG.info("the round of %s is too old, and is not enqueued", due.isoformat())
            return
        end = self._clock.monotonic() + min(_SHARE_OF_ROUND * period_s, limit_s)
        new, left, reason = 0, list(requests), ""
        while left:
            if reason:
                await pause(self._clock, _PAUSE_S, stop)
                if stop.is_set() or self._clock.monotonic() >= end:
                    break
            stored, left, failed = await self._enqueue(left)
            new += stored
            if failed and not reason:
                _LOG.warning("the queue does not answer, and is asked again: %s", failed)
            reason = failed
        self._metrics.enqueued.inc(new)
        counts = {"scheduled_at": due.isoformat(), "enqueued": new, "known": len(requests) - len(left) - new}
        _LOG.info("round", extra={"fields": counts})
        if left:
            self.has_failed = True
            _LOG.error("%s requests of %s were not enqueued: %s", len(left), due.isoformat(), reason)

    async def _enqueue(self, requests: Sequence[QueuedRequest]) -> tuple[int, list[QueuedRequest], str]:
        """Return how many requests were new to the queue, those that failed, and the reason."""
        new, left = 0, list(requests)
        while left:
            chunk, left = left[:_CREATED_AT_ONCE], left[_CREATED_AT_ONCE:]
            outcomes = await asyncio.gather(*map(self._create, chunk))
            new += sum(each is True for each in outcomes)
            failed = [request for request, each in zip(chunk, outcomes, strict=True) if isinstance(each, Exception)]
            if failed:  # the others would wait as long
                error = next(each for each in outcomes if isinstance(each, Exception))
                if isinstance(error, SourceError):
                    self._records.note_failure(error)
                return new, [*left, *failed], str(error)
        return new, [], ""

    async def _create(self, request: QueuedRequest) -> bool | Exception:
        """Enqueue *request*; return False if a scheduler has done so, and the error if it failed."""
        queue = self._records.queues[self._declared.stream]
        try:
            return await self._records.create(request.make_task(self._argument, queue, self._clock.now()))
        except QueueMismatch as error:
            raise unfit(error) from error
        except (SourceError, QueueFull) as error:
            return error


def unfit(error: QueueMismatch) -> StartError:
    """Return the reason for which a process with a queue of another form ends."""
    return StartError(f"the queue does not fit: {error}; delete it, or change it to fit")
