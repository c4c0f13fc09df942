"""Scheduler of a queue: enqueues the requests of a round, once however many schedulers run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime

from toolaccord.agent.declarations import Batch
from toolaccord.agent.queue.messages import QueuedRequest
from toolaccord.agent.queue.metrics import QueueMetrics
from toolaccord.agent.schedule import pause, run_every
from toolaccord.server.startup import StartError
from toolaccord.sources.nats import Nats, NatsError, QueueMismatch, WorkQueue
from toolaccord.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_ROUND_S = 60
"""Seconds of a round without `--every`: requests of one minute are enqueued once."""
_SHARE_OF_ROUND = 0.9
"""Share of a round after which it is left, so that the next one is not late."""
_PAUSE_S = 1.0
"""Seconds between attempts to reach a queue that does not answer."""
_PUBLISHED_AT_ONCE = 500


class Scheduler:
    """Enqueues values of the batch's argument."""

    def __init__(self, batch: Batch, nats: Nats, queue: WorkQueue, metrics: QueueMetrics, clock: Clock) -> None:
        assert batch.queue
        self._batch, self._declared = batch, batch.queue
        self._nats = nats
        self._queue = queue
        self._metrics = metrics
        self._clock = clock
        self._is_open = False
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
        try:
            if not self._is_open:
                await self._queue.open()
                self._is_open = True
        except QueueMismatch as error:
            raise StartError(f"the queue does not fit: {error}; delete it, or change it to fit") from error
        except NatsError as error:
            return 0, list(requests), str(error)
        new, left = 0, list(requests)
        while left:
            chunk, left = left[:_PUBLISHED_AT_ONCE], left[_PUBLISHED_AT_ONCE:]
            outcomes = await asyncio.gather(*map(self._publish, chunk))
            new += sum(each is True for each in outcomes)
            failures = [each for each in zip(chunk, outcomes, strict=True) if isinstance(each[1], NatsError)]
            if failures:  # the others would wait as long
                self._is_open = False
                return new, [*left, *(request for request, _ in failures)], str(failures[0][1])
        return new, [], ""

    async def _publish(self, request: QueuedRequest) -> bool | NatsError:
        """Enqueue *request*; return False if a scheduler has done so, and the error if it failed."""
        payload = request.encode(self._batch.argument)
        try:
            return await self._nats.publish(self._declared.subject, payload, message_id=request.message_id)
        except NatsError as error:
            return error
