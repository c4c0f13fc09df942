"""A Redis and a NATS server for tests: empty for each, with a view of the events in them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from toolaccord.pytest.databases import run_apart

if TYPE_CHECKING:  # pytest loads the plugin in every project of its environment
    from nats.js import JetStreamContext

Received: TypeAlias = Callable[[], list[tuple[str, Any]]]
"""Returns the events since its last call: channel, and payload as JSON."""

_PATIENCE_S = 60.0
_END = "toolaccord-test-end"
"""Message behind everything that was published before it."""


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A Redis of one test."""

    url: str
    """The URL."""

    def command(self, *words: str | bytes | float) -> Any:
        """Return the answer to a command."""
        from redis import Redis  # noqa: PLC0415 - see above

        with Redis.from_url(self.url, socket_timeout=_PATIENCE_S) as client:
            return client.execute_command(*words)

    @contextmanager
    def subscribed(self, *channels: str) -> Iterator[Received]:
        """Subscribe to *channels* for the block; give what returns the events there."""
        from redis import Redis  # noqa: PLC0415 - see above

        with Redis.from_url(self.url, socket_timeout=_PATIENCE_S) as client, client.pubsub() as subscription:
            subscription.subscribe(*channels)
            messages = subscription.listen()
            for _ in channels:
                next(messages)

            def receive() -> list[tuple[str, Any]]:
                self.command("PUBLISH", channels[0], _END)
                before = itertools.takewhile(lambda message: message["data"] != _END.encode(), messages)
                return [(message["channel"].decode(), json.loads(message["data"])) for message in before]

            yield receive


@dataclass(frozen=True, slots=True)
class NatsServer:
    """A NATS server with JetStream of one test."""

    url: str
    """The URL."""

    def add_stream(self, name: str, *subjects: str) -> None:
        """Add a stream that stores what is published on *subjects*."""

        async def add(streams: JetStreamContext) -> None:
            await streams.add_stream(name=name, subjects=list(subjects))

        self._run(add)

    def received(self, stream: str) -> list[tuple[str, Any]]:
        """Return the events in *stream*: subject, and payload as JSON."""

        async def read(streams: JetStreamContext) -> list[tuple[str, Any]]:
            state = (await streams.stream_info(stream)).state
            found = [await streams.get_msg(stream, number) for number in range(state.first_seq, state.last_seq + 1)]
            return [(str(each.subject), json.loads(each.data or b"null")) for each in found]

        events: list[tuple[str, Any]] = self._run(read)
        return events

    def clear(self) -> None:
        """Delete all streams."""

        async def delete(streams: JetStreamContext) -> None:
            for stream in await streams.streams_info():
                await streams.delete_stream(str(stream.config.name))

        self._run(delete)

    def _run(self, work: Callable[[JetStreamContext], Any]) -> Any:
        """Do *work* on a connection of its own, outside the test's event loop."""

        async def run() -> Any:
            import nats  # noqa: PLC0415 - see above

            client = await nats.connect(self.url)
            try:
                return await work(client.jetstream())
            finally:
                await client.close()

        return run_apart(run())
