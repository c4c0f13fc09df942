"""A subscription to a channel that lasts, although its connections do not."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import aclosing

from toolaccord.sources.redis.api import RedisError
from toolaccord.sources.redis.client import RedisClient
from toolaccord.timing.clock import Clock, sleep

_LOG = logging.getLogger(__name__)
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0
"""Seconds between two attempts to subscribe; each pause is twice as long."""


async def hear_for_ever(
    redis: RedisClient,
    clock: Clock,
    channel: str,
    noun: str,
    hear: Callable[[bytes], None],
    note: Callable[[bool], None],
) -> None:
    """Pass the messages of *channel*, which are news of a *noun*, to *hear*, again and again.

    *note* is called with True once subscribed, and with False once that has ended: then messages are missed.
    """
    pause_s = _FIRST_PAUSE_S
    while True:
        try:
            async with aclosing(redis.subscribe(channel)) as messages:
                async for message in messages:
                    if message is not None:
                        hear(message)
                        continue
                    pause_s = _FIRST_PAUSE_S
                    note(True)
        except RedisError as error:
            is_news = pause_s == _FIRST_PAUSE_S and not error.is_outage
            _LOG.log(logging.WARNING if is_news else logging.DEBUG, "Redis sends no news of %s: %s", noun, error)
        note(False)
        await sleep(clock, pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
