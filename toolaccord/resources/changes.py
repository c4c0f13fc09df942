"""Reports of changed resources, from handlers to the clients that subscribed."""

from __future__ import annotations

from collections.abc import Callable


class Changes:
    """Passes the URIs of changed resources on to listeners."""

    def __init__(self) -> None:
        self._listeners: dict[object, Callable[[str], None]] = {}
        self._enders: list[Callable[[], None]] = []
        self.relay: Callable[[str], None] | None = None
        """Passes URIs on to other processes, whose reports it does not pass on."""
        self.has_ended = False
        """True once the server stops, or its client is gone: nothing waits any more."""

    @property
    def listeners(self) -> int:
        """Number of listeners."""
        return len(self._listeners)

    def report(self, uri: str) -> None:
        """Tell every listener that the content at *uri* has changed, also in other processes."""
        self.hear(uri)
        if self.relay is not None:
            self.relay(uri)

    def hear(self, uri: str) -> None:
        """Tell every listener in this process."""
        for listener in [*self._listeners.values()]:
            listener(uri)

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call *listener* with each URI, which raises nothing; return a function that ends this."""
        key = object()
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    def on_end(self, end: Callable[[], None]) -> None:
        """Call *end* when the server stops, to end what waits for changes or for answers."""
        self._enders.append(end)

    def end(self) -> None:
        """End everything that waits for changes or for answers, because the server stops."""
        self.has_ended = True
        for end in self._enders:
            end()
