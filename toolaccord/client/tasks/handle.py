"""Handles of tasks."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Generator
from functools import partial
from typing import Any, Generic, NoReturn

from toolaccord.client.connection import ANSWER, CANCEL_TASK, GET_TASK, UPDATE_TASK, Connection, ToolResponse
from toolaccord.client.declarations import Result
from toolaccord.client.task_states import TaskState
from toolaccord.client.tasks.patience import Patience
from toolaccord.errors import BrokenAnswer, CallFailed, TaskCancelled, TaskFailed, TimedOut
from toolaccord.json_values import JsonObject
from toolaccord.timing.deadline import DeadlineExceeded, run_within, time_left

_LOG = logging.getLogger(__name__)
_REQUEST_TIMEOUT_S = 30.0
_ANSWER_TIMEOUT_S = 30 * 86400.0
"""Seconds after which nobody answers a question any more: no task is kept for longer."""
_abandoning: set[asyncio.Task[None]] = set()  # an event loop keeps no strong reference to a task


class TaskHandle(Generic[Result]):
    """A task of a server, which goes on whether its caller waits or not.

    `await task` returns its result. Who waits also answers its questions, by the callbacks of the client. Cancelling a
    coroutine that waits leaves the task as it is. A server that is away for some minutes is waited for.
    """

    def __init__(
        self,
        connection: Connection,
        parse: Callable[[ToolResponse], Result],
        patience: Patience,
        *,
        task_id: str | None = None,
        response: ToolResponse | None = None,
    ) -> None:
        """Follow the task *task_id*, or that of the *response* to a call, which *parse* reads.

        *parse* raises a declared error of the tool, or CallFailed.
        """
        self._connection = connection
        self._parse = parse
        self._patience = patience
        self._response = response
        self._id = response.task.id if response is not None and response.task else task_id
        self._answered: set[str] = set()
        """Questions that need no more answer; a server may still show them for a while."""

    @property
    def id(self) -> str | None:
        """Return the id, by which any process of this caller can resume it.

        None if the server answered the call at once.
        """
        return self._id

    @property
    def state(self) -> TaskState | None:
        """Return the state that was seen last; None without one, as of a call answered at once."""
        return self._response.task if self._response is not None else None

    def __await__(self) -> Generator[Any, None, Result]:
        """Wait for the result, as `result` does without a time limit."""
        return self.result().__await__()

    async def result(self, timeout_s: float | None = None) -> Result:
        """Return the result once the task has ended.

        The wait ends after *timeout_s*, and at the deadline of the coroutine that waits. Raises a declared
        error of the tool, TaskFailed, TaskCancelled, TaskNotFound, TimedOut or another CallFailed.
        """
        clock = self._patience.clock
        limits = [each for each in (timeout_s, time_left(clock)) if each is not None]
        if not limits:
            return await self._finish()
        try:
            return await run_within(clock, max(0.0, min(limits)), self._finish())
        except DeadlineExceeded:
            raise TimedOut(f"The task has no result after {min(limits):.3g} s; it goes on.") from None

    async def progress(self) -> AsyncIterator[TaskState]:
        """Yield the state, and each other one that follows, to the final one.

        There is nothing to yield if the server answered the call at once. Raises TaskNotFound or another CallFailed.
        """
        shown = None
        while self._id is not None:
            state = self.state or await self.look()
            if shown != (shown := (state.status, state.message, state.progress)):
                yield state
            if state.is_final:
                return
            await self._answer(state)
            await self._patience.pause(state)
            await self.look()

    async def look(self) -> TaskState:
        """Return the state that the server has now. Raises TaskNotFound or another CallFailed."""
        self._response = await self._patience.insist(self._look)
        if self._response.task is None:
            raise BrokenAnswer("The server answered a question about a task without its state.")
        return self._response.task

    async def cancel(self) -> None:
        """Ask the server to cancel the task, which may still end otherwise: `result` tells.

        Raises TaskNotFound or another CallFailed.
        """
        if self._id is not None and not (self.state and self.state.is_final):
            await self._send(CANCEL_TASK, {})

    def abandon(self) -> None:
        """Begin to cancel the task, which nobody will wait for."""
        abandoning = asyncio.create_task(self._abandon())
        _abandoning.add(abandoning)
        abandoning.add_done_callback(_abandoning.discard)

    async def _abandon(self) -> None:
        try:
            await self.cancel()
        except CallFailed as error:
            _LOG.debug("a task that nobody waits for was not cancelled: %s", error)

    async def _finish(self) -> Result:
        async for _ in self.progress():
            pass
        response, state = self._response, self.state
        if response is None:
            raise AssertionError("progress has looked")
        if state is not None and state.status == "failed":
            _raise_failure(state.error or {})
        if state is not None and state.status == "cancelled":
            raise TaskCancelled(
                f"The task was cancelled: {state.message}" if state.message else "The task was cancelled."
            )
        return self._parse(response)

    async def _look(self) -> ToolResponse:
        response = await self._send(GET_TASK, {})
        if response.is_error and response.task is None:
            self._parse(response)  # raises the error
        return response

    async def _answer(self, state: TaskState) -> None:
        """Answer the questions of *state*, each as soon as it has an answer.

        Raises the error of the last one that has none. The task waits, perhaps for another client.
        """
        if state.status != "input_required":
            return
        failure = None
        for key in [each for each in state.requests if each not in self._answered]:
            try:
                await self._answer_one(key, state.requests[key])
            except BrokenAnswer as error:
                failure = error
        if failure is not None:
            raise failure

    async def _answer_one(self, key: str, request: JsonObject) -> None:
        self._answered.add(key)
        try:
            asked = {"key": key, "request": request}
            answer = json.loads((await self._connection.call(ANSWER, asked, {}, _ANSWER_TIMEOUT_S)).text)
            await self._patience.insist(partial(self._send, UPDATE_TASK, {"inputResponses": {key: answer}}))
        except BaseException:
            self._answered.discard(key)
            raise

    async def _send(self, method: str, arguments: JsonObject) -> ToolResponse:
        return await self._connection.call(method, {"taskId": self._id, **arguments}, {}, _REQUEST_TIMEOUT_S)


def _raise_failure(error: JsonObject) -> NoReturn:
    """Raise the error of a task that has failed."""
    code, message = error.get("code"), error.get("message")
    if not isinstance(code, int) or not isinstance(message, str):
        raise BrokenAnswer(f"A task has failed with an error that is none of JSON-RPC: {error}.")
    raise TaskFailed(code, message, error.get("data"))
