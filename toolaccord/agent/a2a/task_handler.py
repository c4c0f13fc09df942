"""The handler of A2A's requests, over the records of tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from typing import NoReturn

from a2a.auth.user import User
from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers import RequestHandler
from a2a.server.request_handlers.request_handler import validate_request_params
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
)
from a2a.utils.errors import (
    InternalError,
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from a2a.utils.task import apply_history_length, validate_history_length, validate_page_size
from starlette.requests import Request

from toolaccord.agent.a2a.messages import MessageFormat
from toolaccord.agent.a2a.stored_messages import TaskFormat, context_of, store_message
from toolaccord.agent.a2a.tasks import MessageTasks
from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject
from toolaccord.sources.availability import report_failure
from toolaccord.tasks import task as records
from toolaccord.tasks.service import UnknownTask, owner_of
from toolaccord.tasks.store import QueueFull
from toolaccord.telemetry.correlation import current_corr_id
from toolaccord.transports.mcp import request_meta

_LISTED = 1000
"""Newest tasks of a caller that are listed."""
_REMEMBERED = 100
"""Newest tasks of a caller among which a conversation is looked for."""
_EARLIER_TASKS = 10
"""Tasks of a conversation that are read."""
_MAX_ID_CHARACTERS = 256
"""Characters of the ids that a caller chooses; each answer repeats them."""
_POLL_MS = 1000
_SCOPE = "scope"
"""The member of a context's state with the scope of its request."""
_CANCEL_S = 10.0
"""Longest wait for the end of a run that is cancelled."""


class TaskHandler(RequestHandler):
    """Handler of A2A's requests; each message starts a task of its own."""

    def __init__(self, tasks: MessageTasks, messages: MessageFormat) -> None:
        self._tasks = tasks
        self._service = tasks.service
        self._messages = messages
        self._format = TaskFormat(messages)

    @validate_request_params
    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Message | Task:
        """Return the task of a message once it has ended, unless the message asks for less.

        Raises A2AError.
        """
        task = await self._create(params, context)
        if task is None:
            return self._format.write_rejection(params.message)
        if not params.configuration.return_immediately:
            task = await self._wait(task)
        return apply_history_length(self._format.write(task), params.configuration)

    @validate_request_params
    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Yield the events of a message's task. Raises A2AError."""
        task = await self._create(params, context)
        if task is None:
            yield self._format.write_rejection(params.message)
            return
        async with aclosing(self._list_events(task, context, params.configuration)) as events:
            async for event in events:
                yield event

    @validate_request_params
    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Yield a task as it is now, and then what changes, to its end. Raises A2AError."""
        task = await self._read(params.id, context)
        if task.is_final:
            raise UnsupportedOperationError(f"The task has ended; it is {task.status}.")
        async with aclosing(self._list_events(task, context)) as events:
            async for event in events:
                yield event

    @validate_request_params
    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        """Return a task of the caller. Raises A2AError."""
        validate_history_length(params)
        return apply_history_length(self._format.write(await self._read(params.id, context)), params)

    @validate_request_params
    async def on_list_tasks(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        """Return a page of the caller's newest tasks. Raises A2AError."""
        validate_history_length(params)
        if params.HasField("page_size"):
            validate_page_size(params.page_size)
        store = InMemoryTaskStore(use_copying=False)  # it knows the filters and the pages of the protocol
        for task in await self._list(context, _LISTED):
            await store.save(self._format.write(task), context)
            await asyncio.sleep(0)  # a task may have megabytes
        page = await store.list(params, context)
        for each in page.tasks:
            each.CopyFrom(apply_history_length(each, params))
            if not params.include_artifacts:
                each.ClearField("artifacts")
        return page

    @validate_request_params
    async def on_cancel_task(self, params: CancelTaskRequest, context: ServerCallContext) -> Task | None:
        """Cancel a task, and return it once its run has ended. Raises A2AError."""
        task = await self._read(params.id, context)
        if task.is_final:
            raise TaskNotCancelableError
        with _translated():
            await self._service.cancel(task.key)
            task = await self._service.get(task.key)
        try:
            async with asyncio.timeout(_CANCEL_S):
                task = await self._wait(task)
        except TimeoutError:  # its worker died, and another one ends it later
            return self._format.write(task)
        if task.is_final and task.status != "cancelled":
            raise TaskNotCancelableError
        return self._format.write(task)

    async def on_get_extended_agent_card(self, *_: object) -> AgentCard:
        """Raise UnsupportedOperationError."""
        raise UnsupportedOperationError("The agent has no extended card.")

    async def on_create_task_push_notification_config(self, *_: object) -> NoReturn:
        """Raise PushNotificationNotSupportedError."""
        raise PushNotificationNotSupportedError

    async def on_get_task_push_notification_config(self, *_: object) -> NoReturn:
        """Raise PushNotificationNotSupportedError."""
        raise PushNotificationNotSupportedError

    async def on_list_task_push_notification_configs(self, *_: object) -> NoReturn:
        """Raise PushNotificationNotSupportedError."""
        raise PushNotificationNotSupportedError

    async def on_delete_task_push_notification_config(self, *_: object) -> NoReturn:
        """Raise PushNotificationNotSupportedError."""
        raise PushNotificationNotSupportedError

    async def _create(self, params: SendMessageRequest, context: ServerCallContext) -> records.Task | None:
        """Return the new task of a message; None if as many wait as may. Raises A2AError."""
        await self._check(params, context)
        earlier = await self._list_earlier(params.message.context_id, context)
        work = store_message(params.message, earlier, current_corr_id() or "")
        policy = self._tasks.policy
        try:
            with _translated():
                return await self._service.create(
                    _owner(context), self._tasks.queue, work, ttl_s=policy.ttl_s, poll_ms=_POLL_MS
                )
        except QueueFull:
            self._tasks.slots.count_rejection()
            return None

    async def _check(self, params: SendMessageRequest, context: ServerCallContext) -> None:
        """Raise A2AError for a message that no task can have."""
        message = params.message
        validate_history_length(params.configuration)
        if max(map(len, (message.message_id, message.context_id, *message.reference_task_ids))) > _MAX_ID_CHARACTERS:
            raise InvalidParamsError(f"An id has at most {_MAX_ID_CHARACTERS} characters.")
        self._messages.read_request(message)
        if params.configuration.HasField("task_push_notification_config"):
            raise PushNotificationNotSupportedError
        if message.task_id:
            await self._read(message.task_id, context)
            raise UnsupportedOperationError("A task takes one message; go on with its contextId, without its taskId.")

    async def _list_earlier(self, context_id: str, context: ServerCallContext) -> list[JsonObject]:
        """Return the earlier messages of a conversation, the oldest first."""
        if not context_id:
            return []
        known = [task for task in await self._list(context, _REMEMBERED) if context_of(task) == context_id]
        return self._messages.list_earlier(map(self._format.write, reversed(known[:_EARLIER_TASKS])))

    async def _list(self, context: ServerCallContext, limit: int) -> list[records.Task]:
        """Return the newest tasks of the caller. Raises A2AError."""
        with _translated():
            found = await self._service.list(_owner(context), limit)
        return [task for task in found if task.queue == self._tasks.queue]

    async def _read(self, task_id: str, context: ServerCallContext) -> records.Task:
        """Return a task of the caller. Raises A2AError."""
        with _translated():
            task = await self._service.get(records.TaskKey(_owner(context), task_id))
        if task.queue != self._tasks.queue:
            raise TaskNotFoundError
        return task

    async def _wait(self, task: records.Task) -> records.Task:
        """Return *task* at its end, or as it is at that of this process."""
        async with aclosing(self._tasks.followers.follow(task)) as following:
            async for known in following:
                task = known
        return task

    async def _list_events(
        self, task: records.Task, context: ServerCallContext, configuration: SendMessageConfiguration | None = None
    ) -> AsyncGenerator[Event, None]:
        """Yield *task*, and what changes in it to its end.

        End also with the proof of the caller, and with this process.
        """
        yield apply_history_length(self._format.write(task), configuration)
        async with aclosing(self._tasks.followers.follow(task)) as following:
            async for known in following:
                if not await request_meta.may_read_on(context.state[_SCOPE]):
                    return
                for update in self._format.list_updates(task, known):
                    yield update
                task = known


@contextmanager
def _translated() -> Iterator[None]:
    """Raise the errors of tasks as those of A2A."""
    try:
        yield
    except UnknownTask:
        raise TaskNotFoundError from None
    except SourceError as error:
        report_failure(error)
        raise InternalError("The store of the tasks does not answer; try again later.") from error


def _owner(context: ServerCallContext) -> str:
    return owner_of(context.user.user_name)


class CallerContextBuilder(DefaultServerCallContextBuilder):
    """Gives each caller's tasks to nobody else."""

    def build(self, request: Request) -> ServerCallContext:
        """Return the context of a request, with its scope."""
        context = super().build(request)
        context.state[_SCOPE] = request.scope
        return context

    def build_user(self, request: Request) -> User:
        """Return the caller, whom the token of the request proves."""
        return _Caller(request_meta.caller_identity(request.scope))


class _Caller(User):
    """The caller of a request; all callers without a token are one."""

    def __init__(self, identity: str) -> None:
        self._identity = identity

    @property
    def is_authenticated(self) -> bool:
        """Return whether a token proves the caller."""
        return bool(self._identity)

    @property
    def user_name(self) -> str:
        """Return the caller's identity."""
        return self._identity
