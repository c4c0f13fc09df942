"""An agent that takes a conversation, served over A2A in this process."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from tests.toolaccord.agent.a2a.served import Served, serve
from toolaccord.agent.declarations import Agent
from toolaccord.contract.agents import Limits, Skill
from toolaccord.errors import UndeclaredError
from toolaccord.handler import Progress

_TEXT = {"type": "string", "maxLength": 1000}
_MESSAGE = {
    "type": "object",
    "properties": {"role": {"enum": ["user", "assistant"]}, "content": _TEXT},
    "required": ["role", "content"],
}
INPUT = {
    "type": "object",
    "properties": {
        "input": {
            "type": "object",
            "properties": {
                "messages": {"type": "array", "items": _MESSAGE},
                "metadata": {"type": "object"},
                "count": {"type": "integer"},
            },
            "required": ["messages"],
            "additionalProperties": False,
        }
    },
    "required": ["input"],
    "additionalProperties": False,
}
OUTPUT = {
    "type": "object",
    "properties": {"output": {"type": "object", "properties": {"text": {"type": "string"}, "seen": {}}}},
    "required": ["output"],
}


class Request(BaseModel):
    """A conversation."""

    input: dict[str, Any]


class Result(BaseModel):
    """An answer."""

    output: dict[str, Any]


@dataclass(frozen=True)
class Call:
    """The call record."""

    corr_id: str
    progress: Progress


class Guide:
    """Answers with what it received.

    It waits for the gate if the last message begins with "wait", and fails if it begins with "fail".
    """

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.started = asyncio.Semaphore(0)
        """Counts requests that wait at the gate."""
        self.running = 0
        self.most_running = 0
        self.cancelled = asyncio.Semaphore(0)
        """Counts requests that were cancelled."""

    async def answer(self, request: Request, call: Call) -> Result:
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            return await self._answer(request, call)
        except asyncio.CancelledError:
            self.cancelled.release()
            raise
        finally:
            self.running -= 1

    async def _answer(self, request: Request, call: Call) -> Result:
        text = request.input["messages"][-1]["content"]
        if text.startswith("wait"):
            self.started.release()
            await self.gate.wait()
        if text.startswith("fail"):
            raise UndeclaredError("NO_WAY", "There is no way.", {}, retryable=False)
        steps = re.findall(r"step \w+", text)
        for number, step in enumerate(steps, 1):
            await call.progress(number, len(steps), step)
        return Result(output={"text": f"You said: {text}", "seen": request.input, "corr_id": call.corr_id})


def declare(guide: Guide, max_concurrent: int = 20, scopes: tuple[str, ...] = ()) -> Agent[Any, Any, Any]:
    """Return the agent."""
    return Agent(
        name="guide-agent", title="Guide", version="1.2.3", description="Shows the way.", instructions="Show the way.",
        settings=(), sources=(), uses=(), limits=Limits(timeout_ms=600_000, max_concurrent=max_concurrent),
        call=Call, handler_settings=None, request=Request, input=INPUT, result=Result, output=OUTPUT, nullable=False,
        handler=guide.answer, scopes=scopes,
        skills=(Skill(name="show-way", title="Show the way", description="Shows it.", tags=("way",), examples=("Where?",)),),
    )  # fmt: skip


@asynccontextmanager
async def serving(
    *, max_concurrent: int = 20, grace_s: float = 10, scopes: tuple[str, ...] = (), **environ: str
) -> AsyncIterator[tuple[Served, Guide]]:
    """Yield the agent behind a socket of its own, and its handler."""
    guide = Guide()
    async with serve(declare(guide, max_concurrent, scopes), {**environ, "MCP_GRACE_S": str(grace_s)}) as served:
        try:
            yield served, guide
        finally:
            guide.gate.set()
