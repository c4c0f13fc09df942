"""Calls of a typed client that become tasks."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from functools import partial
from typing import Any, cast

from toolaccord.client.answers import ResponseParser
from toolaccord.client.calls import CallResult, Policies
from toolaccord.client.connection import CALL_AS_TASK, Connection, ToolResponse
from toolaccord.client.declarations import ContentTool, RemoteTool, Request, Result
from toolaccord.client.tasks.handle import TaskHandle
from toolaccord.client.tasks.patience import Patience
from toolaccord.errors import TimedOut
from toolaccord.json_values import JsonObject
from toolaccord.timing.clock import SystemClock


class ClientTasks:
    """Starts and follows the tasks of one client."""

    def __init__(self, connection: Connection, parser: ResponseParser, policies: Policies | None) -> None:
        self._connection = connection
        self._parser = parser
        self._patience = (
            Patience(clock=SystemClock(), random=random.random)
            if policies is None
            else Patience(clock=policies.clock, random=policies.random)
        )

    def follow(
        self, tool: RemoteTool[Any, Result], *, task_id: str | None = None, response: ToolResponse | None = None
    ) -> TaskHandle[Result]:
        """Return a handle of the task *task_id*, or of that of the *response* to a call of *tool*."""
        parse = partial(self._parse, tool)
        return TaskHandle(self._connection, parse, self._patience, task_id=task_id, response=response)

    def read_start(self, tool: RemoteTool[Any, Result], response: ToolResponse) -> CallResult[TaskHandle[Result]]:
        """Return a handle of what a call became. Raises the error of a call that failed at once."""
        if response.is_error:
            self._parse(tool, response)
        return CallResult(result=self.follow(tool, response=response), corr_id=response.corr_id)

    async def run(
        self, tool: RemoteTool[Any, Any], arguments: JsonObject, meta: JsonObject, timeout_s: float
    ) -> ToolResponse:
        """Return the response to a call that becomes a task.

        The task is cancelled if its caller waits no longer. Raises CallFailed, or an error that *tool* declares.
        """
        clock = self._patience.clock
        end = clock.monotonic() + timeout_s
        call = {"name": tool.name, "arguments": arguments}
        start_s = min(timeout_s, starting(tool).default_timeout_s)
        started = await self._connection.call(CALL_AS_TASK, call, meta, start_s)
        task = TaskHandle(self._connection, partial(self._check, tool), self._patience, response=started)
        try:
            return await task.result(end - clock.monotonic())
        except TimedOut as error:
            task.abandon()
            raise TimedOut(f"{tool.name} had no result after {timeout_s:g} s, so its task is cancelled.") from error
        except asyncio.CancelledError:
            task.abandon()
            raise

    def _parse(self, tool: RemoteTool[Any, Result], response: ToolResponse) -> Result:
        """Return the result in a response. Raises a declared error of the tool, or CallFailed."""
        if isinstance(tool, ContentTool):
            from toolaccord.client import contents  # noqa: PLC0415 - a client of other tools does not load it

            response = contents.join_content(tool, response)
        return self._parser.parse(tool, response).result

    def _check(self, tool: RemoteTool[Any, Any], response: ToolResponse) -> ToolResponse:
        """Return a response without an error, which `_parse` raises."""
        if response.is_error:
            self._parse(tool, response)
        return response


def starting(tool: RemoteTool[Request, Result]) -> RemoteTool[Request, TaskHandle[Result]]:
    """Return *tool* for the start of a task: a request with its time limit, and never cached."""
    return cast(RemoteTool[Request, TaskHandle[Result]], replace(cast(Any, tool), result=TaskHandle, task=None))
