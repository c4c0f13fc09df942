"""Worker of a queue, which runs the requests of its messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from typing import Any

from toolaccord.agent.batch_results import BatchResults
from toolaccord.agent.declarations import Agent, Batch
from toolaccord.agent.outcomes import Answered, Failed, Outcome
from toolaccord.agent.queue.messages import MAX_ATTEMPTS, InvalidMessage, QueuedRequest, decode_message
from toolaccord.agent.queue.metrics import NewestOutcomes, QueueMetrics
from toolaccord.agent.requests import Dependencies, RequestRunner
from toolaccord.agent.result_lines import ResultLines
from toolaccord.agent.schedule import pause
from toolaccord.semantics.work_queues import redelivery_s
from toolaccord.server.startup import StartError
from toolaccord.sources.nats import NatsError, QueuedMessage, QueueMismatch, WorkQueue
from toolaccord.timing.clock import sleep

_LOG = logging.getLogger(__name__)
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
"""Seconds between attempts to reach a queue that does not answer; they double."""


class Worker:
    """Takes as many messages from the queue as it can run at once."""

    def __init__(
        self,
        agent: Agent[Any, Any, Any],
        batch: Batch,
        queue: WorkQueue,
        dependencies: Dependencies,
        metrics: QueueMetrics,
    ) -> None:
        assert batch.queue
        self._batch, self._declared = batch, batch.queue
        self._max_concurrent = agent.limits.max_concurrent
        self._queue = queue
        self._clock = dependencies.clock
        self._requests = RequestRunner(agent, dependencies)
        self._results = BatchResults(batch, dependencies)
        self._lines = ResultLines(dependencies.clock)
        self._fault: StartError | None = None
        """The reason for which no result can be written any more."""
        self._metrics = metrics
        self._newest = NewestOutcomes(dependencies.metrics, batch.size)
        self._running: set[asyncio.Task[None]] = set()
        self._pause_s = 0.0
        """The next pause; 0 while the queue answers."""
        self._extension_s = redelivery_s(agent.limits.timeout_ms) / 3
        """Seconds between two extensions of the time for the answer to a message."""
        self._is_open = False

    async def work(self, stop: asyncio.Event) -> None:
        """Run requests until *stop* is set, and those in flight to their end.

        If cancelled, give the latter back. Raises StartError if the queue exists with values that do not fit, or if
        nobody takes the results.
        """
        stopped = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set() and not self._fault:
                for message in await self._pull(self._max_concurrent - len(self._running), stop):
                    running = asyncio.create_task(self._handle(message, is_stopped=stop.is_set()))
                    self._running.add(running)
                    running.add_done_callback(self._running.discard)
                if len(self._running) >= self._max_concurrent:
                    await asyncio.wait({*self._running, stopped}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.gather(*self._running)
            if self._fault:
                raise self._fault
        finally:
            stopped.cancel()
            given_back = {each for each in self._running if each.cancel()}
            if given_back:
                await asyncio.wait(given_back)

    async def _pull(self, limit: int, stop: asyncio.Event) -> Sequence[QueuedMessage]:
        """Return up to *limit* messages; none if the queue has none, or does not answer."""
        try:
            if not self._is_open:
                await self._queue.open()
                self._is_open = True
            messages = await self._queue.pull(limit)
        except QueueMismatch as error:
            raise StartError(f"the queue does not fit: {error}; delete it, or change it to fit") from error
        except NatsError as error:
            self._is_open = False  # it may have to be created again
            if not self._pause_s:
                _LOG.warning("the queue does not answer, and is asked again until it does: %s", error)
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S) or _FIRST_PAUSE_S
            await pause(self._clock, self._pause_s, stop)
            return ()
        if self._pause_s:
            _LOG.info("the queue answers")
        self._pause_s = 0.0
        return messages

    async def _handle(self, message: QueuedMessage, *, is_stopped: bool) -> None:
        """Run the request of *message*, unless the process stops, and tell the queue of the outcome."""
        if is_stopped:
            await self._settle(self._queue.nak(message))
            return
        self._metrics.record_delivery(message)
        try:
            answer = await self._run(message)
        except asyncio.CancelledError:
            await self._settle(self._queue.nak(message))
            raise
        except StartError as error:
            self._fault = error
            await self._settle(self._queue.nak(message))
            return
        except Exception:
            _LOG.exception("the worker is at fault; the queue delivers the message again")
            return
        await self._settle(answer)

    async def _run(self, message: QueuedMessage) -> Awaitable[None]:
        """Run the request of *message*; return what tells the queue of the outcome."""
        try:
            request = decode_message(self._batch.argument, message.payload)
        except InvalidMessage as error:
            self._metrics.given_up.inc()
            _LOG.error("gave up a message that is no request: %s", error)
            return self._queue.term(message)
        age_s = self._age_s(request)
        if age_s < -self._declared.max_age_s:  # it would wait for ever, and JetStream delivers it again and again
            self._metrics.given_up.inc()
            _LOG.error("gave up a message whose time lies %.0f s ahead", -age_s)
            return self._queue.term(message)
        if age_s > self._declared.max_age_s:
            self._metrics.expired.inc()
            waited = f"It waited for {age_s:.0f} s, and is not run after {self._declared.max_age_s} s."
            await self._report(request, Failed(error=waited, error_type="EXPIRED"))
            return self._queue.term(message)
        outcome = await self._run_request(request, message)
        pause_s = 2.0 ** (message.delivery - 1)
        if isinstance(outcome, Failed) and self._may_repeat(request, outcome, message, pause_s):
            _LOG.warning("%.100s is run again in %.0f s: %s", request.value, pause_s, outcome.error)
            return self._queue.nak(message, delay_s=pause_s)
        await self._report(request, outcome)
        if isinstance(outcome, Answered) and outcome.delivery:
            await self._await_delivery(message, outcome.delivery)
        return self._queue.ack(message) if isinstance(outcome, Answered) else self._queue.term(message)

    async def _await_delivery(self, message: QueuedMessage, delivery: asyncio.Task[bool]) -> None:
        """Wait for the end of *delivery*, while *message* stays with this worker.

        If the worker dies, the queue delivers the message to another one, which answers the request again.
        """
        try:
            while not delivery.done():
                await self._settle(self._queue.extend(message))
                timer = asyncio.ensure_future(sleep(self._clock, self._extension_s))
                await asyncio.wait({delivery, timer}, return_when=asyncio.FIRST_COMPLETED)
                timer.cancel()
        finally:
            delivery.cancel()

    async def _run_request(self, request: QueuedRequest, message: QueuedMessage) -> Outcome:
        if message.delivery > MAX_ATTEMPTS:
            return Failed(
                error=f"None of the {MAX_ATTEMPTS} processes that took this request answered it.",
                error_type="ABANDONED",
            )
        return await self._requests.run({self._batch.argument: request.value}, now=request.scheduled_at)

    def _may_repeat(self, request: QueuedRequest, outcome: Failed, message: QueuedMessage, pause_s: float) -> bool:
        """Return True if another attempt may succeed, and begins early enough."""
        is_early = self._age_s(request) + pause_s <= self._declared.max_age_s
        return outcome.retryable and message.delivery < MAX_ATTEMPTS and is_early

    async def _report(self, request: QueuedRequest, outcome: Outcome) -> None:
        """Write the result of a batch of one, and publish a failure."""
        if isinstance(outcome, Failed):
            self._metrics.given_up.inc()
            _LOG.warning("gave up %.100s: %s", request.value, outcome.error)
            await self._results.publish_failure(request.value, outcome, message_id=request.message_id)
        self._newest.add(outcome)
        await self._lines.write(self._results.encode([(request.value, outcome)]))

    def _age_s(self, request: QueuedRequest) -> float:
        return (self._clock.now() - request.scheduled_at).total_seconds()

    async def _settle(self, answer: Awaitable[None]) -> None:
        """Tell the queue of an outcome; if that fails, it delivers the message again."""
        try:
            await answer
        except NatsError as error:
            _LOG.warning("the queue did not learn of an outcome, and may deliver its message again: %s", error)
