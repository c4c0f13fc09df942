"""The recorded calls of the demo, with the expected answers."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from sandbox.demo.answers import Answer, shorten

UNKNOWN_TOOL = "-32602"
Arguments: TypeAlias = dict[str, Any]
Send: TypeAlias = Callable[[str, Arguments, Any], Awaitable[Answer]]
"""Calls a tool with arguments and `_meta`, and returns the answer."""


class Lookups(NamedTuple):
    """The lookups in a server's caches since its start."""

    hits: int = 0
    misses: int = 0


async def count_nothing() -> Lookups:
    """Return no lookups, for a program without such metrics."""
    return Lookups()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call and its answer."""

    purpose: str
    call: str
    latency_ms: float
    answer: Answer
    cached: bool | None
    """True for a cache hit, False for a miss; None for an error, and for a tool without a cache."""
    expected: str
    """The kind of the answer, or kinds with `|` between, then perhaps `cached` or `fresh`."""
    repeats: Answer | None = None
    """The answer whose data it must repeat, if any."""

    @property
    def is_expected(self) -> bool:
        """True if the answer is the expected one."""
        kind, _, freshness = self.expected.partition(" ")
        if self.repeats is not None and self.answer.data != self.repeats.data:
            return False
        return self.answer.kind in kind.split("|") and freshness in {"", "cached" if self.cached else "fresh"}


@dataclass(frozen=True, slots=True)
class Recorder:
    """A server that is called, and the calls so far."""

    send: Send
    count_lookups: Callable[[], Awaitable[Lookups]] = count_nothing
    """Returns the lookups in the server's caches, by its metrics, which all servers have alike."""
    calls: list[RecordedCall] = field(default_factory=list)

    async def call(
        self,
        purpose: str,
        expected: str,
        tool: str,
        arguments: Arguments,
        *,
        key: str | None = None,
        repeats: Answer | None = None,
    ) -> Answer:
        """Call *tool*, with the idempotency *key* if any; record the call, and return the answer.

        *expected* and *repeats* say what it must be.
        """
        meta: Any = None if key is None else {"idempotency_key": key}
        before = await self.count_lookups()
        started = time.perf_counter()
        answer = await self.send(tool, arguments, meta)
        latency_ms = (time.perf_counter() - started) * 1000
        cached = _was_hit(before, await self.count_lookups()) if answer.kind == "result" else None
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        self.calls.append(
            RecordedCall(
                purpose=purpose,
                call=shorten(f"{tool}({given})"),
                latency_ms=latency_ms,
                answer=answer,
                cached=cached,
                expected=expected,
                repeats=repeats,
            )
        )
        return answer


def _was_hit(before: Lookups, after: Lookups) -> bool | None:
    """Return True if a hit was counted meanwhile, False for a miss, None without a lookup."""
    if after.hits > before.hits:
        return True
    return False if after.misses > before.misses else None
