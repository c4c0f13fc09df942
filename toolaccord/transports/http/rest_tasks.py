"""Tasks over plain HTTP: calls whose callers come back for the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolaccord.asks.rounds import Rounds, RoundState
from toolaccord.call.context import IncomingCall
from toolaccord.deferral.calls import TaskCalls
from toolaccord.deferral.stored_answers import decode_answer
from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject, encode_json
from toolaccord.sources.availability import report_deadline, report_failure
from toolaccord.tasks.service import AnswersTooLarge, UnknownTask
from toolaccord.tasks.task import Task, TaskKey
from toolaccord.telemetry import correlation
from toolaccord.timing.deadline import DeadlineExceeded
from toolaccord.transports.http.body import receive_json
from toolaccord.transports.http.errors import TASKS_PATH, Rejection
from toolaccord.transports.http.header_fields import read_fields
from toolaccord.transports.http.routing import JSON, Route, find_no_route
from toolaccord.transports.mcp import request_meta
from toolaccord.transports.mcp.task_documents import describe_progress, describe_state
from toolaccord.transports.mcp.tasks import TOO_LARGE, UNAVAILABLE, UNKNOWN, in_time, key_of

_METHODS = ("GET", "POST", "DELETE")


class RestTasks:
    """The tasks of one server over plain HTTP."""

    def __init__(self, calls: TaskCalls) -> None:
        self._calls = calls
        self._service = calls.service

    def defer(self, call: IncomingCall, fields: Mapping[str, str]) -> IncomingCall:
        """Return *call*, which becomes a task if its caller prefers that, or its tool demands it."""
        policy = self._calls.policies.get(call.bound.operation.name)
        if policy is None or not (policy.mode == "required" or _prefers_async(fields.get("prefer", ""))):
            return call
        if call.bound.operation.asks:
            call = call._replace(channel=Rounds(RoundState(), {}, lambda _: True))
        return self._calls.defer(call, asks_first=False)

    def find_route(self, path: str) -> Route:
        """Return the route of a *path* that is not in a table. Raises Rejection."""
        return Route(self._serve, _METHODS) if path.startswith(TASKS_PATH) else find_no_route(path)

    def path_of(self, task: Task) -> str:
        """Return the path of *task*."""
        return f"{TASKS_PATH}{task.key.id}"

    def describe(self, task: Task) -> bytes:
        """Return *task* as JSON, with the body of the answer to its call."""
        members = encode_json(describe_state(task) | describe_progress(task))
        if task.result is None:
            return members
        return b'%b,"result":%b}' % (members[:-1], decode_answer(task.result).document)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Show, answer or cancel a task. Raises Rejection."""
        method = scope["method"]
        responses = _read_responses(await receive_json(receive)) if method == "POST" else {}
        try:
            key = key_of(scope["path"].removeprefix(TASKS_PATH), request_meta.caller_identity(scope))
            task = await in_time(self._act(method, key, responses))
        except UnknownTask:
            raise Rejection(404, UNKNOWN, occasion="unknown_tool") from None
        except AnswersTooLarge:
            raise Rejection(413, TOO_LARGE) from None
        except SourceError as error:
            report_failure(error)
            raise Rejection(503, UNAVAILABLE, occasion="internal") from None
        except DeadlineExceeded as error:
            report_deadline(error)
            raise Rejection(503, UNAVAILABLE, occasion="internal") from None
        corr_id = correlation.resolve_corr_id(request_meta.complete_meta(read_fields(scope)))
        status = 200 if method == "GET" else 202
        await Response(self.describe(task), status, {"X-Correlation-ID": corr_id}, JSON)(scope, receive, send)

    async def _act(self, method: str, key: TaskKey, responses: JsonObject) -> Task:
        """Return a task after what *method* does to it.

        Raises UnknownTask, AnswersTooLarge and SourceError.
        """
        if method == "POST":
            await self._service.answer(key, responses)
        elif method == "DELETE":
            await self._service.cancel(key)
        return await self._service.get(key)


def _prefers_async(preferences: str) -> bool:
    """Return whether a header Prefer (RFC 7240) has `respond-async`."""
    names = (each.partition(";")[0].partition("=")[0].strip().lower() for each in preferences.split(","))
    return "respond-async" in names


def _read_responses(body: Any) -> JsonObject:
    """Return the answers to questions in a *body*. Raises Rejection."""
    responses = body.get("inputResponses") if isinstance(body, dict) and len(body) == 1 else None
    if not isinstance(responses, dict) or not all(isinstance(each, dict) for each in responses.values()):
        raise Rejection(400, 'The body must be an object with "inputResponses": an object with an object by each key.')
    return responses
