"""The recorded calls of the demo, with the expected answers."""

import time
from dataclasses import dataclass, field
from typing import Any

from mcp import Client, MCPError

from sandbox.demo.answers import Answer, read_answer, read_protocol_error, shorten

UNKNOWN_TOOL = "-32602"
Arguments = dict[str, Any]


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

    client: Client
    calls: list[RecordedCall] = field(default_factory=list)

    async def call(
        self, purpose: str, expected: str, tool: str, arguments: Arguments, *, key: str | None = None
    ) -> Answer:
        """Call *tool*, with the idempotency *key* if any; record the call, and return the answer."""
        meta: Any = None if key is None else {"idempotency_key": key}
        answer, latency_ms = await self._send(tool, arguments, meta)
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        call = shorten(f"{tool}({given})")
        self.calls.append(
            RecordedCall(purpose=purpose, call=call, latency_ms=latency_ms, answer=answer, expected=expected)
        )
        return answer

    async def _send(self, tool: str, arguments: Arguments, meta: Any) -> tuple[Answer, float]:
        """Return the answer to a call, and its latency in milliseconds."""
        started = time.perf_counter()
        try:
            answer = read_answer(await self.client.call_tool(tool, arguments, meta=meta))
        except MCPError as error:
            answer = read_protocol_error(error)
        return answer, (time.perf_counter() - started) * 1000
