"""The SDK's handler of tasks, with the agent's rules for messages."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from a2a.auth.user import User
from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.request_handlers.request_handler import validate_request_params
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.server.tasks import TaskStore
from a2a.types import AgentCard, Message, SendMessageRequest, Task
from a2a.utils.errors import PushNotificationNotSupportedError, TaskNotFoundError, UnsupportedOperationError
from starlette.requests import Request

from toolaccord.agent.a2a.executor import RequestExecutor
from toolaccord.agent.a2a.messages import MessageFormat
from toolaccord.transports.mcp import request_meta


class TaskHandler(DefaultRequestHandlerV2):
    """Handler of A2A's requests; each message starts a task of its own."""

    def __init__(self, executor: RequestExecutor, store: TaskStore, card: AgentCard, messages: MessageFormat) -> None:
        super().__init__(executor, store, card)
        self._messages = messages

    @validate_request_params
    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Message | Task:
        """Return the task of a message once it has ended, unless the message asks for less.

        Raises A2AError.
        """
        await self._check(params, context)
        result: Message | Task = await super().on_message_send(params, context)
        return result

    @validate_request_params
    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Yield the events of a message's task. Raises A2AError."""
        await self._check(params, context)
        events = super().on_message_send_stream(params, context)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def _check(self, params: SendMessageRequest, context: ServerCallContext) -> None:
        """Raise A2AError for a message that no task can have."""
        message = params.message
        self._messages.read_request(message)
        if params.configuration.HasField("task_push_notification_config"):
            raise PushNotificationNotSupportedError
        if message.task_id:
            if await self.task_store.get(message.task_id, context) is None:
                raise TaskNotFoundError
            raise UnsupportedOperationError("A task takes one message; go on with its contextId, without its taskId.")


class CallerContextBuilder(DefaultServerCallContextBuilder):
    """Gives each caller's tasks to nobody else."""

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
