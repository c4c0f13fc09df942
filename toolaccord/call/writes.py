"""The writes of this process, which hide cached results from before them."""

from __future__ import annotations

from collections.abc import Iterable

from toolaccord.declarations.operation import AnyOperation


class Writes:
    """Counts the writes to each source of one server.

    The counts of the sources that a tool reads are part of the key of its cached results. So after a write, no result
    from before it is found, and none whose load began before it. The cache removes such a result when it expires.
    """

    def __init__(self, tools: Iterable[AnyOperation]) -> None:
        tools = tuple(tools)
        self._counts = dict.fromkeys((source for tool in tools for source in tool.writes), 0)
        cached = (tool for tool in tools if tool.cache)
        self._read = {tool.name: tuple(each for each in tool.reads if each in self._counts) for tool in cached}
        """The sources that a cached tool reads and any tool writes."""

    def count(self, tool: AnyOperation) -> None:
        """Count a run of *tool*, also a failed one: it may have written."""
        for source in tool.writes:
            self._counts[source] += 1

    def current_key(self, tool: AnyOperation, key: bytes) -> bytes:
        """Return the key of a result of *tool* since the last write to a source that it reads.

        *key* is the call's, as `cache_key` gives it.
        """
        read = self._read[tool.name]
        return b"%d%b" % (sum(self._counts[source] for source in read), key) if read else key
