"""Plain HTTP: the agent's request in a body, its result in the response."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolaccord.agent.a2a.bodies import read_json
from toolaccord.agent.a2a.errors import error_body
from toolaccord.agent.a2a.slots import Busy, RequestSlots
from toolaccord.agent.outcomes import Answered, Failed, Outcome
from toolaccord.agent.requests import RequestRunner
from toolaccord.telemetry.correlation import current_corr_id
from toolaccord.transports.http.disconnect import PendingAnswer
from toolaccord.transports.http.routing import JSON

_STATUSES = {"INVALID_PARAMETERS": 400, "TIMEOUT": 504, Busy.code: 503}
"""HTTP statuses of codes; those of others are 500."""


class PlainRequests:
    """Answers requests that are bodies."""

    def __init__(self, requests: RequestRunner, slots: RequestSlots) -> None:
        self._requests = requests
        self._slots = slots

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises Rejection; ClientDisconnected after cancelling it."""
        arguments = read_json((await receive())["body"])
        outcome = await self._run_while_connected(arguments, receive)
        if isinstance(outcome, Answered):
            response = Response(orjson.dumps(outcome.result), media_type=JSON)
        else:
            body = error_body(outcome.error_type, outcome.error)
            headers = {"Retry-After": "1"} if outcome.error_type == Busy.code else None
            response = Response(body, _STATUSES.get(outcome.error_type, 500), headers, JSON)
        await response(scope, receive, send)

    async def _run_while_connected(self, arguments: Any, receive: Receive) -> Outcome:
        pending = PendingAnswer[Outcome]()
        running = asyncio.create_task(self._run(arguments))
        running.add_done_callback(lambda task: pending.deliver(None if task.cancelled() else task.result()))
        try:
            return await pending.wait_while_connected(receive)
        finally:
            running.cancel()

    async def _run(self, arguments: Any) -> Outcome:
        try:
            async with self._slots.take():
                return await self._requests.run(arguments, corr_id=current_corr_id())
        except Busy as error:
            return Failed(error=str(error), error_type=error.code)
