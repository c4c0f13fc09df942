"""The recorded calls of the demo, with the expected answers."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sandbox.demo.answers import Answer, shorten

UNKNOWN_TOOL = "-32602"
Arguments: TypeAlias = dict[str, Any]
Send: TypeAlias = Callable[[str, Arguments, Any], Awaitable[Answer]]
"""Calls a tool with arguments and `_meta`, and returns the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call and its answer."""

    purpose: str
    call: str
    latency_ms: float
    answer: Answer
    expected: str
    """The kind the answer must have, with `cached` or `fresh` where that matters."""

    @property
    def is_expected(self) -> bool:
        """True if the answer is the expected one."""
        kind, _, freshness = self.expected.partition(" ")
        return self.answer.kind == kind and freshness in {"", "cached" if self.answer.cached else "fresh"}


@dataclass(frozen=True, slots=True)
class Recorder:
    """A server that is called, and the calls so far."""

    send: Send
    calls: list[RecordedCall] = field(default_factory=list)

    async def call(
        self, purpose: str, expected: str, tool: str, arguments: Arguments, *, key: str | None = None
    ) -> Answer:
        """Call *tool*, with the idempotency *key* if any; record the call, and return the answer."""
        meta: Any = None if key is None else {"idempotency_key": key}
        started = time.perf_counter()
        answer = await self.send(tool, arguments, meta)
        latency_ms = (time.perf_counter() - started) * 1000
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        call = shorten(f"{tool}({given})")
        self.calls.append(
            RecordedCall(purpose=purpose, call=call, latency_ms=latency_ms, answer=answer, expected=expected)
        )
        return answer
