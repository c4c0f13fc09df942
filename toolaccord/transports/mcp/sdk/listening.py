"""Responses to `subscriptions/listen`, which tell of changed resources and tasks.

The SDK has a handler for it, which knows no tasks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import mcp_types as types
from mcp.server.lowlevel import Server as McpServer
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.shared.exceptions import MCPError

from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject
from toolaccord.resources.changes import Changes
from toolaccord.sources.availability import report_failure
from toolaccord.tasks.task import FINAL, TaskKey
from toolaccord.transports.mcp import request_meta
from toolaccord.transports.mcp.sdk.calls import Context
from toolaccord.transports.mcp.sdk.subscriptions import RequireWatched, limit_uris

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.transports.mcp.sdk.tasks import SdkTasks

_MAX_STREAMS = 1024
"""Requests that may listen at once."""
_LOOK_S = 15.0
"""Seconds after which a stream looks at its tasks, and at the proof of its caller.

A change may be missed while their store is away.
"""
_Topic: TypeAlias = str | TaskKey
"""The URI of a resource, or a task."""


@cache
def _notification_type() -> Callable[..., types.Notification[Any, Any]]:
    """Return the notification of a task's state.

    To build its model takes longer than to load this module.
    """

    class TaskNotification(types.Notification[JsonObject, Literal["notifications/tasks"]]):
        """The notification of a task's state."""

        method: Literal["notifications/tasks"] = "notifications/tasks"

    return TaskNotification


def add_listening(
    mcp_server: McpServer[Any], changes: Changes, require: RequireWatched | None, tasks: SdkTasks | None
) -> None:
    """Serve `subscriptions/listen` by *mcp_server*.

    Without *require*, no resource reports changes.
    """
    handler = _Listening(changes, require, tasks)
    changes.on_end(handler.end)
    mcp_server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, handler.listen)


class _Listening:
    """The open streams of one server."""

    def __init__(self, changes: Changes, require: RequireWatched | None, tasks: SdkTasks | None) -> None:
        self._changes = changes
        self._require = require
        self._tasks = tasks
        self._streams: set[Unheard] = set()

    def end(self) -> None:
        """End all streams, after what they still have to send."""
        for stream in self._streams:
            stream.end()

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Send changes until the client is gone, its proof has ended or the server stops.

        Raises MCPError.
        """
        uris = self._agree_on_uris(context, params.notifications)
        keys = await self._agree_on_tasks(context, params.notifications)
        if self._changes.has_ended:
            raise MCPError(types.INTERNAL_ERROR, "The server is stopping, and reports no more changes.")
        if len(self._streams) >= _MAX_STREAMS:
            raise MCPError(types.INTERNAL_ERROR, f"The server has {_MAX_STREAMS} listeners already.")
        stream, sender = Unheard(uris, keys, partial(_may_read_on, context)), _Sender(context, self._tasks)
        with ExitStack() as stack:
            self._streams.add(stream)
            stack.callback(self._streams.discard, stream)
            if uris:
                stack.callback(self._changes.subscribe(stream.note))
            if keys and self._tasks:
                stack.callback(self._tasks.methods.service.watch(lambda key, _: stream.note(key)))
            await sender.acknowledge(uris, keys)
            while (topic := await stream.next()) is not None:
                if await sender.tell(topic):
                    stream.forget(topic)
        return types.SubscriptionsListenResult(_meta=sender.meta)

    def _agree_on_uris(self, context: Context, wanted: types.SubscriptionFilter) -> Sequence[str]:
        """Return the URIs of which the client hears.

        Raises MCPError for one that reports no changes.

        The lists of a server change with its contract alone, so it sends no notification of them.
        """
        uris = (wanted.resource_subscriptions or []) if self._require else []
        limit_uris(len(uris))
        if self._require:
            for uri in uris:
                self._require(context, uri)
        return uris

    async def _agree_on_tasks(self, context: Context, wanted: types.SubscriptionFilter) -> Sequence[TaskKey]:
        """Return the tasks of which the client hears: its own, of all ids. Raises MCPError."""
        ids = (wanted.model_extra or {}).get("taskIds")
        if self._tasks is None or ids is None:
            return ()
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            raise MCPError(types.INVALID_PARAMS, "taskIds must be a list of strings.")
        return await self._tasks.find(context, ids)


class Unheard:
    """Changes that one client has not heard of yet; several of one thing become one."""

    def __init__(self, uris: Sequence[str], keys: Sequence[TaskKey], may_hear: Callable[[], Awaitable[bool]]) -> None:
        self._may_hear = may_hear
        self._topics: set[_Topic] = {*uris, *keys}
        self._unsent: dict[_Topic, None] = dict.fromkeys(keys)  # they may have changed since their creation
        self._has_ended = False
        self._wake = asyncio.Event()

    def note(self, topic: _Topic) -> None:
        """Note that *topic* has changed."""
        if topic in self._topics:
            self._unsent[topic] = None
            self._wake.set()

    def forget(self, topic: _Topic) -> None:
        """Listen to *topic* no more."""
        self._topics.discard(topic)
        self._unsent.pop(topic, None)

    def end(self) -> None:
        """End the stream after the changes so far."""
        self._has_ended = True
        self._wake.set()

    async def next(self) -> _Topic | None:
        """Return what has changed, as soon as something has; None at the end."""
        while await self._may_hear():
            if self._unsent:
                return self._take()
            if self._has_ended:
                break
            self._wake.clear()
            await self._wait()
        return None

    def _take(self) -> _Topic:
        topic = next(iter(self._unsent))
        del self._unsent[topic]
        return topic

    async def _wait(self) -> None:
        """Wait for a change, or until it is time to look."""
        try:
            async with asyncio.timeout(_LOOK_S):
                await self._wake.wait()
        except TimeoutError:
            self._unsent |= dict.fromkeys(topic for topic in self._topics if isinstance(topic, TaskKey))


async def _may_read_on(context: Context) -> bool:
    return context.request is None or await request_meta.may_read_on(context.request.scope)


class _Sender:
    """Sends notifications to one client."""

    def __init__(self, context: Context, tasks: SdkTasks | None) -> None:
        self._context = context
        self._tasks = tasks
        self.meta: JsonObject = {SUBSCRIPTION_ID_META_KEY: context.request_id}
        """The `_meta` of each message."""
        self._sent: dict[TaskKey, int] = {}
        """A digest of what the client knows of each task."""

    async def acknowledge(self, uris: Sequence[str], keys: Sequence[TaskKey]) -> None:
        """Tell the client what it hears of."""
        agreed: JsonObject = {"resourceSubscriptions": uris} if uris else {}
        agreed |= {"taskIds": [key.id for key in keys]} if keys else {}
        params = {"notifications": agreed, "_meta": self.meta}
        await self._send(types.SubscriptionsAcknowledgedNotification.model_validate({"params": params}, by_name=False))

    async def tell(self, topic: _Topic) -> bool:
        """Tell the client of a change; return whether there will be no other one."""
        if isinstance(topic, TaskKey):
            return await self._tell_of_task(topic)
        params = types.ResourceUpdatedNotificationParams(uri=topic, _meta=self.meta)
        await self._send(types.ResourceUpdatedNotification(params=params))
        return False

    async def _tell_of_task(self, key: TaskKey) -> bool:
        assert self._tasks
        try:
            task = await self._tasks.describe(key)
        except SourceError as error:  # the next look may succeed
            report_failure(error)
            return False
        if task is None:
            return True
        digest = hash(repr(task))
        if self._sent.get(key) != digest:
            self._sent[key] = digest
            task["_meta"] |= self.meta
            await self._send(_notification_type()(params=task))
        return task["status"] in FINAL

    async def _send(self, notification: Any) -> None:
        await self._context.session.send_notification(notification, related_request_id=self._context.request_id)
