"""Runs of the tasks of a tool: each is the call, made again from the record of the task."""

from __future__ import annotations

from dataclasses import replace

from toolaccord.call.pipeline import Pipeline
from toolaccord.declarations.tool import AnyTool
from toolaccord.deferral.stored_answers import encode_answer
from toolaccord.deferral.stored_calls import decode_call, next_rounds
from toolaccord.handler import Progress as Report
from toolaccord.json_values import JsonObject
from toolaccord.tasks.runner import MISSING_CAPABILITY, Asked, Completed, Ended, Failed, internal_fault
from toolaccord.tasks.task import Task


class ToolRunner:
    """Runs the tasks of one tool."""

    def __init__(self, pipeline: Pipeline, tool: AnyTool) -> None:
        assert tool.task
        timeout_s = tool.task.timeout_s
        timeout_ms = tool.timeout_ms if timeout_s is None else round(1000 * timeout_s)
        self._pipeline = pipeline
        self._bound = pipeline.bind(replace(tool, timeout_ms=timeout_ms, rate_limit=None))
        self._max_bytes = tool.task.max_result_bytes

    async def run(self, task: Task, report: Report) -> Ended:
        """Run the handler for *task*. Raises nothing but cancellation."""
        call = decode_call(self._pipeline.receive, self._bound, task)
        answer = await self._pipeline.answer(call._replace(progress=report))
        if answer.is_question:
            return Asked(*next_rounds(task, answer.body))
        if capability := answer.missing_capability:
            return Failed(_missing(capability))
        if answer.is_fault:
            return Failed(internal_fault("The server failed to answer.") | {"data": answer.body})
        size = len(answer.json) + len(answer.content or b"")
        if size > self._max_bytes:
            return Failed(internal_fault(f"The result has {size} bytes, and the task keeps {self._max_bytes}."))
        return Completed(encode_answer(answer))


def _missing(capability: str) -> JsonObject:
    """Return the error of a task that asks a client which cannot answer."""
    return {
        "code": MISSING_CAPABILITY,
        "message": f"The task asks its caller, and needs a client with the capability {capability}",
        "data": {"requiredCapabilities": {capability: {}}},
    }
