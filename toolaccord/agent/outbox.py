"""Publications of an agent: their outcomes, and those that wait for their source to be back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from toolaccord.agent.metrics import AgentMetrics
from toolaccord.call.events import BoundEvent, EventPublisher, Message
from toolaccord.errors import SourceError
from toolaccord.handler import Publication
from toolaccord.timing.clock import Clock, sleep

_LOG = logging.getLogger(__name__)
_PAUSE_S = 1.0
"""Seconds between two attempts to send a message."""


@dataclass(slots=True)
class Publications:
    """Publications of one request."""

    metrics: AgentMetrics
    may_defer: bool
    """True if a message whose source fails is sent later."""
    deferred: list[tuple[str, Callable[[], Awaitable[Publication]]]] = field(default_factory=list)
    """Event of each deferred message, and the function that sends it."""
    _outcomes: set[Publication] = field(default_factory=set)

    @property
    def outcome(self) -> Publication | None:
        """The outcome of all: deferred if one is, duplicate if all are; None without a publication."""
        order: tuple[Publication, ...] = ("deferred", "replaced", "published", "duplicate")
        return next((each for each in order if each in self._outcomes), None)

    def add(self, event: str, publication: Publication) -> None:
        """Add the outcome of a publication of *event*, and count it."""
        self._outcomes.add(publication)
        self.metrics.record_publication(event, publication)


class RequestPublisher(EventPublisher):
    """Publisher of one event in one request to an agent."""

    __slots__ = ("_publications",)

    def __init__(self, bound: BoundEvent, publications: Publications) -> None:
        super().__init__(bound, None)
        self._publications = publications

    async def _send(self, message: Message) -> Publication:
        """Send or defer *message*. Raises SourceError if results have no place for it."""
        event = self._bound.event.name
        publication: Publication
        try:
            publication = await super()._send(message)
        except SourceError as error:
            if not self._publications.may_defer:
                raise
            _LOG.warning("the event %s is not published yet: %s", event, error)
            self._publications.deferred.append((event, lambda: self._bound.send(message)))
            publication = "deferred"
        self._publications.add(event, publication)
        return publication


class Outbox:
    """Sends deferred messages, until they are too old.

    They are in memory alone. Those that a process leaves at its end are errors in its log.
    """

    def __init__(self, metrics: AgentMetrics, clock: Clock) -> None:
        self._metrics = metrics
        self._clock = clock
        self._waiting: set[asyncio.Task[bool]] = set()

    def add(self, publications: Publications, expires_at: datetime) -> asyncio.Task[bool]:
        """Return the delivery of all deferred messages; its result is False if one was too old."""
        delivery = asyncio.create_task(self._deliver(publications, expires_at))
        self._waiting.add(delivery)
        delivery.add_done_callback(self._waiting.discard)
        return delivery

    async def drain(self) -> bool:
        """Wait until every message is sent or too old; return False if one was too old."""
        return all(await asyncio.gather(*self._waiting))

    async def _deliver(self, publications: Publications, expires_at: datetime) -> bool:
        sent = [await self._send(event, send, expires_at) for event, send in publications.deferred]
        return all(sent)

    async def _send(self, event: str, send: Callable[[], Awaitable[Publication]], expires_at: datetime) -> bool:
        """Send a message of *event*; return False if it was too old."""
        error: SourceError | None = None
        try:
            while (left_s := (expires_at - self._clock.now()).total_seconds()) > 0:
                await sleep(self._clock, min(_PAUSE_S, left_s))
                try:
                    publication = await send()
                except SourceError as failure:
                    error = failure
                    continue
                self._metrics.record_publication(event, publication)
                _LOG.info("the deferred event %s: %s", event, publication)
                return True
        except asyncio.CancelledError:
            _LOG.error("the process ends, and its event %s was not published", event)
            raise
        self._metrics.record_publication(event, "expired")
        _LOG.error("the event %s was not published, and is too old now: %s", event, error)
        return False
