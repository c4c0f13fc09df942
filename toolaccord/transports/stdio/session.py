"""State of one stdio connection: its era, its client, and the messages for the SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.call.pipeline import Pipeline
from toolaccord.json_values import JsonObject
from toolaccord.transports.mcp import request_shapes
from toolaccord.transports.mcp.apps import can_show_views
from toolaccord.transports.mcp.fast_path import FastPath, HandshakeFastPath, StatelessFastPath
from toolaccord.transports.mcp.requests import Client, NeedsSdk, OnResult, Request, ResultOrTask, parse_request

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.deferral.calls import TaskCalls

_REPLAY_ID = "toolaccord-replay"
"""Id of the request that brings the SDK to the state of the connection."""


class Session:
    """One connection. Its first request decides the era.

    If the fast path does not understand the first request, the SDK answers all messages.
    """

    def __init__(self, pipeline: Pipeline, tasks: TaskCalls | None = None) -> None:
        self._pipeline = pipeline
        self._tasks = tasks
        self._fast_path: FastPath | None = None
        self._client = Client()
        self._sdk_only = False
        self._is_initialized = False
        self._replay: list[JsonObject] = []

    def take_replay(self) -> list[JsonObject]:
        """Remove and return the messages that bring the SDK to the state of this session."""
        replay, self._replay = self._replay, []
        return replay

    def answer(self, message: Any, on_result: OnResult) -> tuple[str | int, ResultOrTask]:
        """Return the id and the result of the request *message*.

        A running call passes its result to *on_result* instead. Raises NeedsSdk, and ProtocolError for a request whose
        response is an error.
        """
        if self._sdk_only:
            raise NeedsSdk
        try:
            request = parse_request(message)
            if self._fast_path is None or request.method == "initialize":
                return request.id, self._open(request, on_result)
        except NeedsSdk:
            if self._fast_path is None:
                self._sdk_only = True
            raise
        return request.id, self._fast_path.answer(request, self._client, on_result)

    def note_unreadable_line(self) -> None:
        """Note a line that is not JSON; as a first line it leaves all messages to the SDK."""
        self._sdk_only = self._sdk_only or self._fast_path is None

    def note_notification(self, method: str) -> None:
        """Note a notification. Raises NeedsSdk."""
        if self._sdk_only or self._fast_path is None:
            self._sdk_only = True
            raise NeedsSdk
        is_handshake = isinstance(self._fast_path, HandshakeFastPath)
        if method == "notifications/initialized" and is_handshake and not self._is_initialized:
            self._is_initialized = True
            self._replay.append({"jsonrpc": "2.0", "method": method})

    def _open(self, request: Request, on_result: OnResult) -> ResultOrTask:
        """Return the result of the first request, or of an `initialize`. Raises NeedsSdk."""
        if request.method == "initialize":
            return self._initialize(request)
        fast_path = StatelessFastPath(self._pipeline, self._tasks)
        if not request_shapes.is_stateless_meta(request.meta):
            raise NeedsSdk
        self._fast_path = fast_path
        self._replay = [_replay_request("server/discover", {"_meta": request.meta})]
        return fast_path.answer(request, self._client, on_result)

    def _initialize(self, request: Request) -> ResultOrTask:
        """Return the result of `initialize`. Raises NeedsSdk.

        A second `initialize` of the handshake era leaves all further messages to the SDK.
        """
        if self._fast_path is not None:
            self._sdk_only = isinstance(self._fast_path, HandshakeFastPath)
            raise NeedsSdk
        fast_path = HandshakeFastPath(self._pipeline, self._tasks)
        result, name = fast_path.initialize(request)
        shows_views = can_show_views(request.params["capabilities"].get("extensions"))
        self._fast_path, self._client = fast_path, Client(name, shows_views=shows_views)
        meta = {} if request.meta is None else {"_meta": request.meta}
        self._replay = [_replay_request("initialize", request.params | meta)]
        return result


def _replay_request(method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": _REPLAY_ID, "method": method, "params": params}
