"""MCP's extension for tasks: which calls become tasks, and the methods for those tasks.

Both the fast path and the SDK's server answer with this.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from toolaccord.asks.channel import CAPABILITIES, ELICITATION
from toolaccord.asks.rounds import Rounds, RoundState
from toolaccord.call.context import IncomingCall
from toolaccord.call.response import Answer
from toolaccord.declarations.tool import Server
from toolaccord.deferral.calls import TaskCalls
from toolaccord.deferral.stored_answers import decode_answer
from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject, encode_json
from toolaccord.sources.availability import report_deadline, report_failure
from toolaccord.tasks.service import AnswersTooLarge, UnknownTask, owner_of
from toolaccord.tasks.task import Task, TaskKey
from toolaccord.timing.clock import SystemClock
from toolaccord.timing.deadline import DeadlineExceeded, DeadlineQueue, DeadlineTask, run_within
from toolaccord.transports.mcp import jsonrpc
from toolaccord.transports.mcp.call_results import CallResults
from toolaccord.transports.mcp.capabilities import TASKS, server_info
from toolaccord.transports.mcp.jsonrpc import ProtocolError
from toolaccord.transports.mcp.request_shapes import CLIENT_CAPABILITIES
from toolaccord.transports.mcp.requests import Client, NeedsSdk, OnResult, Request
from toolaccord.transports.mcp.task_documents import describe_progress, describe_state, describe_task

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
GET, UPDATE, CANCEL = "tasks/get", "tasks/update", "tasks/cancel"
METHODS: Mapping[str, frozenset[str]] = {
    GET: frozenset({"taskId"}),
    UPDATE: frozenset({"taskId", "inputResponses"}),
    CANCEL: frozenset({"taskId"}),
}
"""The parameters of each method."""
_MAX_LISTENED = 100
"""Tasks to which one request may listen."""
_PATIENCE_S = 10
"""Seconds that a store has to answer."""
_CLOCK = SystemClock()
UNKNOWN = "You have no such task, or its time is over."
TOO_LARGE = "The answers of one request are too large, nested too deeply, or no Unicode."
UNAVAILABLE = "The store of tasks does not answer: try again later."


class TaskMethods:
    """The tasks of one server on MCP."""

    def __init__(self, calls: TaskCalls, server: Server[Any]) -> None:
        self._calls = calls
        self._results = CallResults.stateless(server)
        self._server_info = {"io.modelcontextprotocol/serverInfo": server_info(server)}
        self._acknowledgement = encode_json({"resultType": "complete", "_meta": self._server_info})
        self.handlers = dict.fromkeys(METHODS, self._start)
        """The handler of each method on the fast path."""
        self.service = calls.service
        """The tasks as their callers see them."""
        self._deadlines = DeadlineQueue(_CLOCK, _PATIENCE_S)

    def declares(self, meta: Mapping[str, Any] | None) -> bool:
        """Return whether a client handles tasks; *meta* is usual in the stateless era."""
        return meta is not None and has_extension(meta[CLIENT_CAPABILITIES].get("extensions"))

    def takes(self, tool: str, *, is_declared: bool) -> bool:
        """Return whether a call of *tool* becomes a task.

        It never does without the extension, which its client has declared or not. Raises ProtocolError for a tool that
        has no other answer.
        """
        policy = self._calls.policies.get(tool)
        if policy is not None and policy.mode == "required" and not is_declared:
            raise missing_extension()
        return policy is not None and is_declared

    def asks_first(self, tool: str) -> bool:
        """Return whether calls of *tool* ask before they become tasks."""
        return bool(self._calls.policies[tool].asks_first)

    def defer(self, call: IncomingCall, capabilities: Mapping[str, Any] | None = None) -> IncomingCall:
        """Return *call*, which becomes a task.

        Its asks are those of the task, as the client's *capabilities* allow; a call that has a channel keeps it.
        """
        if capabilities is not None and call.bound.operation.asks:
            call = call._replace(channel=Rounds(RoundState(), {}, partial(_supports, capabilities)))
        return self._calls.defer(call)

    def encode_answer(self, answer: Answer) -> bytes:
        """Return the result of a call that might have become a task."""
        if answer.task is None:
            return self._results.encode(answer)
        return encode_json(self.describe_created(answer, answer.task))

    def describe_created(self, answer: Answer, task: Task) -> JsonObject:
        """Return a `CreateTaskResult`: *task*, which a call became."""
        meta = {"corr_id": answer.corr_id, **self._server_info}
        return {"resultType": "task", **describe_task(task), "_meta": meta}

    def _start(self, request: Request, client: Client, on_result: OnResult) -> DeadlineTask[bytes]:
        """Answer a common request of one of METHODS on the fast path.

        Raises NeedsSdk, and ProtocolError without the extension.
        """
        params, task_id = request.params, request.params.get("taskId")
        responses = params.get("inputResponses", {})
        if params.keys() != METHODS[request.method] or type(task_id) is not str or type(responses) is not dict:
            raise NeedsSdk
        if client.headers is not None and client.headers.get("mcp-name") != task_id:
            raise NeedsSdk
        if not self.declares(request.meta):
            raise missing_extension()
        answering = self.answer(request.method, params, client.identity)
        return DeadlineTask(self._deadlines, answering, partial(_report, on_result))

    async def answer_in_time(self, method: str, params: Mapping[str, Any], identity: str | None) -> bytes:
        """Return what `answer` does. Raises ProtocolError."""
        try:
            return await in_time(self.answer(method, params, identity))
        except DeadlineExceeded as error:
            raise _fault(error) from None

    async def find(self, task_ids: Sequence[str], identity: str | None) -> list[TaskKey]:
        """Return the keys of those of *task_ids* that are tasks of the caller. Raises ProtocolError."""
        if len(task_ids) > _MAX_LISTENED:
            raise ProtocolError(jsonrpc.INVALID_PARAMS, f"A client may listen to {_MAX_LISTENED} tasks at once.")
        try:
            found = await asyncio.gather(*(in_time(self._find(each, identity)) for each in task_ids))
        except DeadlineExceeded as error:
            raise _fault(error) from None
        return list(dict.fromkeys(filter(None, found)))

    async def answer(self, method: str, params: Mapping[str, Any], identity: str | None) -> bytes:
        """Return the result of one of METHODS, for the caller with *identity*. Raises ProtocolError."""
        try:
            key = key_of(params["taskId"], identity)
            match method:
                case "tasks/get":
                    return self._encode(await self.service.get(key))
                case "tasks/update":
                    await self.service.answer(key, params["inputResponses"])
                case _:
                    await self.service.cancel(key)
        except UnknownTask:
            raise ProtocolError(jsonrpc.INVALID_PARAMS, UNKNOWN) from None
        except AnswersTooLarge:
            raise ProtocolError(jsonrpc.INVALID_PARAMS, TOO_LARGE) from None
        except SourceError as error:
            raise unavailable(error) from None
        return self._acknowledgement

    async def _find(self, task_id: str, identity: str | None) -> TaskKey | None:
        """Return the key of a task of the caller; None if there is none. Raises ProtocolError."""
        try:
            return (await self.service.get(key_of(task_id, identity))).key
        except UnknownTask:
            return None
        except SourceError as error:
            raise unavailable(error) from None

    def describe(self, task: Task) -> JsonObject:
        """Return *task* as a `DetailedTask`, with its progress in `_meta`."""
        detailed = describe_state(task) | {"_meta": describe_progress(task)}
        return detailed if task.result is None else detailed | {"result": json.loads(self._encode_result(task.result))}

    def _encode(self, task: Task) -> bytes:
        """Return *task* as the result of `tasks/get`.

        The result of its call has the bytes that it would have had at once.
        """
        meta = describe_progress(task) | self._server_info
        members = encode_json({"resultType": "complete", **describe_state(task), "_meta": meta})
        if task.result is None:
            return members
        return b'%b,"result":%b}' % (members[:-1], self._encode_result(task.result))

    def _encode_result(self, result: JsonObject) -> bytes:
        return self._results.encode(decode_answer(result))


async def in_time(asking: Coroutine[Any, Any, T]) -> T:
    """Return the result of *asking* a store. Raises DeadlineExceeded after 10 s."""
    return await run_within(_CLOCK, _PATIENCE_S, asking)


def _report(on_result: OnResult, result: bytes | None, error: BaseException | None) -> None:
    """Pass the outcome of a request on."""
    if error is None or isinstance(error, ProtocolError):
        on_result(error or result)
    else:
        on_result(None if isinstance(error, asyncio.CancelledError) else _fault(error))


def _fault(error: BaseException) -> ProtocolError:
    """Return the error for a request that failed, and log the reason."""
    if isinstance(error, DeadlineExceeded):
        report_deadline(error)
        return ProtocolError(jsonrpc.INTERNAL_ERROR, UNAVAILABLE)
    _LOG.error("a request about a task failed", exc_info=error)
    return ProtocolError(jsonrpc.INTERNAL_ERROR, "Internal error")


def key_of(task_id: str, identity: str | None) -> TaskKey:
    """Return the key of a task of a caller, if *task_id* is one."""
    return TaskKey(owner_of(identity), task_id)


def has_extension(extensions: Mapping[str, Any] | None) -> bool:
    """Return whether a client that has these *extensions* handles tasks."""
    return extensions is not None and TASKS in extensions


def missing_extension() -> ProtocolError:
    """Return the error for a client without the extension."""
    message = f"This needs a client with the extension {TASKS}"
    return ProtocolError(jsonrpc.MISSING_CAPABILITY, message, {"requiredCapabilities": {"extensions": {TASKS: {}}}})


def unavailable(error: SourceError) -> ProtocolError:
    """Return the error for a store that does not answer, and log the reason."""
    report_failure(error)
    return ProtocolError(jsonrpc.INTERNAL_ERROR, UNAVAILABLE)


def _supports(capabilities: Mapping[str, Any], method: str) -> bool:
    """Return whether a client answers requests of *method*; form mode for elicitation."""
    capability = capabilities.get(CAPABILITIES[method])
    if method == ELICITATION and capability:
        return "form" in capability or "url" not in capability
    return capability is not None
