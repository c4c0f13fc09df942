"""Execution of tasks: a request to the agent, with the steps of its plan as updates."""

from __future__ import annotations

import asyncio

from a2a.helpers.proto_helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskStore, TaskUpdater
from a2a.types import ListTasksRequest, Message, Part

from toolaccord.agent.a2a.messages import MessageFormat, write_data
from toolaccord.agent.a2a.slots import Busy, RequestSlots
from toolaccord.agent.outcomes import Failed
from toolaccord.agent.requests import RequestRunner
from toolaccord.json_values import JsonObject
from toolaccord.telemetry.correlation import current_corr_id

_EARLIER_TASKS = 10
"""Tasks of a conversation that are read."""
_STOPPING = "The agent is stopping."


class RequestExecutor(AgentExecutor):
    """Runs each task as one request."""

    def __init__(self, requests: RequestRunner, slots: RequestSlots, messages: MessageFormat, store: TaskStore) -> None:
        self._requests = requests
        self._slots = slots
        self._messages = messages
        self._store = store

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Run a task to its end."""
        assert context.message is not None
        updater = _updater(context, event_queue)
        await event_queue.enqueue_event(new_task_from_user_message(context.message))
        try:
            async with self._slots.take():
                await self._run(context, updater)
        except Busy as error:
            await updater.reject(_describe(updater, error.code, str(error)))
        except asyncio.CancelledError:
            if not self._slots.is_stopping:
                raise  # the caller has cancelled the task
            await updater.failed(_describe(updater, "STOPPING", _STOPPING))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Report that a task is cancelled; the SDK then cancels its execution."""
        await _updater(context, event_queue).cancel()

    async def _run(self, context: RequestContext, updater: TaskUpdater) -> None:
        """Run the request of a task, which has a place."""

        async def report(done: float, /, total: float | None = None, message: str | None = None) -> None:
            text = message or f"{done:g}" + (f" / {total:g}" if total else "")
            await updater.start_work(updater.new_agent_message([Part(text=text)]))

        await updater.start_work()
        assert context.message is not None
        request = self._messages.read_request(context.message, await self._list_earlier(context))
        outcome = await self._requests.run(request, corr_id=current_corr_id(), progress=report)
        if isinstance(outcome, Failed):
            await updater.failed(_describe(updater, outcome.error_type, outcome.error))
            return
        await updater.add_artifact(self._messages.write_parts(outcome.result), name="result", last_chunk=True)
        await updater.complete()

    async def _list_earlier(self, context: RequestContext) -> list[JsonObject]:
        """Return the earlier messages of the task's conversation, the oldest first."""
        params = ListTasksRequest(context_id=context.context_id, page_size=_EARLIER_TASKS)
        page = await self._store.list(params, context.call_context)
        return self._messages.list_earlier(reversed(page.tasks))


def _updater(context: RequestContext, event_queue: EventQueue) -> TaskUpdater:
    assert context.task_id is not None
    assert context.context_id is not None
    return TaskUpdater(event_queue, context.task_id, context.context_id)


def _describe(updater: TaskUpdater, code: str, message: str) -> Message:
    """Return the message of a task without a result."""
    error = write_data({"error": {"code": code, "message": message}})
    return updater.new_agent_message([Part(text=message, media_type="text/plain"), error])
