"""Ways to ask the caller of an MCP request, in both eras."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from toolaccord.asks.channel import (
    CAPABILITIES,
    ELICITATION,
    ROOTS,
    SAMPLING,
    AskChannel,
    AskError,
    Refused,
    Unanswered,
)
from toolaccord.asks.rounds import MAX_STATE_BYTES, InvalidState, Rounds, RoundState
from toolaccord.call.context import IncomingCall
from toolaccord.config.ask_settings import AskSettings
from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject
from toolaccord.resources.changes import Changes
from toolaccord.sources.availability import report_failure
from toolaccord.timing.deadline import paused_deadline
from toolaccord.transports.mcp import request_meta

if TYPE_CHECKING:  # most servers with asks have no Redis
    from toolaccord.sources.redis.api import Redis

T = TypeVar("T")

Context = ServerRequestContext[Any, Any]
_RESULTS: Mapping[str, type[types.Result]] = {
    ELICITATION: types.ElicitResult,
    SAMPLING: types.CreateMessageResult,
    ROOTS: types.ListRootsResult,
}
_MAX_SEALED_CHARACTERS = 4 * MAX_STATE_BYTES
"""A state at most doubles when it is quoted within its envelope; base64 adds a third."""
_MAX_USED_STATES = 100_000
"""Used states that a process remembers; a flood makes it forget the oldest."""
_SPARE_MS = 60_000
"""Milliseconds for which a used state is remembered after its end, as clocks differ."""
_INVALID = "Invalid or expired requestState"


class AskChannels:
    """Makes the way to ask the caller of each request to one server."""

    def __init__(self, server: str, settings: AskSettings, changes: Changes, shared: Redis | None) -> None:
        """*shared* knows the states that other replicas have used; None if no source is a Redis."""
        self._server = server
        self._settings = settings
        self._shared = shared
        self._waits = _Waits(settings.timeout_s, changes)
        security = RequestStateSecurity(keys=settings.state_keys, ttl=settings.timeout_s, bind_principal=_principal)
        self.middleware: tuple[ServerMiddleware[Any], ...] = (
            _bound_size,
            RequestStateBoundary(security, default_audience=server),
        )
        """Middleware that seals states, and binds each to caller, tool and arguments."""
        self._used: dict[str, None] = {}

    async def connect(
        self, context: Context, params: types.InputResponseRequestParams, call: IncomingCall
    ) -> IncomingCall:
        """Return *call*, with a way to its caller if it may ask.

        Raises MCPError for a state of another call.
        """
        return call._replace(channel=await self._open(context, params, call)) if call.bound.operation.asks else call

    async def _open(self, context: Context, params: types.InputResponseRequestParams, call: IncomingCall) -> AskChannel:
        """Return the way to ask the caller of *call*. Raises MCPError for a state of another call."""
        if context.session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return SessionChannel(context, self._waits)
        try:
            binding: JsonObject = {"versions": [call.version, call.bound.operation.version]}
            state = await self._take_state(params.request_state, binding)
        except InvalidState:
            raise _invalid_state() from None
        responses = {
            key: response.model_dump(by_alias=True, mode="json", exclude_none=True)
            for key, response in (params.input_responses or {}).items()
        }
        return Rounds(state, responses, lambda method: _has_capability(context, method))

    async def _take_state(self, text: str | None, binding: JsonObject) -> RoundState:
        """Return the state of a round, which no other request may use again. Raises InvalidState."""
        if text is None:
            return RoundState(binding=binding)
        state = RoundState.decode(text)
        if state.binding != binding or state.id in self._used:
            raise InvalidState
        self._used[state.id] = None
        if len(self._used) > _MAX_USED_STATES:
            del self._used[next(iter(self._used))]
        if self._shared is not None and not await self._claim(state.id, self._shared):
            raise InvalidState
        return state

    async def _claim(self, state_id: str, shared: Redis) -> bool:
        """Return False if another replica has used the state.

        Without an answer of the Redis, a replica goes on alone.
        """
        lifetime_ms = math.ceil(1000 * self._settings.timeout_s) + _SPARE_MS
        try:
            return await shared.set(f"{self._server}:ask:{state_id}", b"", ttl_ms=lifetime_ms, only_if_absent=True)
        except SourceError as error:
            report_failure(error)
            return True


class _Waits:
    """The asks that wait for an answer, until the server stops or its client is gone."""

    def __init__(self, timeout_s: float, changes: Changes) -> None:
        self.timeout_s = timeout_s
        self._changes = changes
        self._waiting: set[asyncio.Timeout] = set()
        changes.on_end(self._end)

    @asynccontextmanager
    async def limit(self) -> AsyncIterator[None]:
        """Wait within the context. Raises TimeoutError when nobody can answer any more."""
        async with asyncio.timeout(0 if self._changes.has_ended else self.timeout_s) as wait:
            self._waiting.add(wait)
            try:
                yield
            finally:
                self._waiting.discard(wait)

    def _end(self) -> None:
        now = asyncio.get_running_loop().time()
        for wait in self._waiting:
            if not wait.expired():  # one that expired has not unwound yet, and cannot be changed
                wait.reschedule(now)


class _Question(NamedTuple):
    """A request to the client, as far as the SDK reads it.

    A model of the SDK takes 8 KiB for as long as the caller thinks, since it copies the form of the contract.
    """

    method: str
    params: JsonObject

    def model_dump(self, **_: Any) -> JsonObject:
        """Return the request as JSON."""
        return {"method": self.method, "params": self.params}


class SessionChannel:
    """Way to a caller of the handshake era: a request on the stream of the call."""

    def __init__(self, context: Context, waits: _Waits) -> None:
        self._context = context
        self._waits = waits

    def supports(self, method: str) -> bool:
        """Return whether the caller answers requests of *method*."""
        return self._context.session.can_send_request and _has_capability(self._context, method)

    async def send(self, key: str, method: str, params: JsonObject) -> JsonObject:
        """Return the result of a request to the caller, while the deadline of the call stands still.

        Raises Refused and AskError.
        """
        request, result_type = cast("types.ServerRequest", _Question(method, params)), _RESULTS[method]
        metadata = ServerMessageMetadata(related_request_id=self._context.request_id)
        try:
            with paused_deadline():
                async with self._waits.limit():
                    result = await self._context.session.send_request(request, result_type, metadata=metadata)
        except TimeoutError:
            raise Unanswered(
                f"Nobody answered {key} within {self._waits.timeout_s:g} s, or before the connection ended."
            ) from None
        except MCPError as error:
            raise Refused(error.message) from None
        except ValidationError:
            raise AskError(f"The answer to {key} is no result of {method}.") from None
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def run(self, handler: Awaitable[T]) -> T:
        """Return the result of *handler*. Raises what it raises."""
        return await handler


def _has_capability(context: Context, method: str) -> bool:
    """Return whether the client declared the capability for *method*; form mode for elicitation."""
    declared = context.session.client_capabilities
    capability = getattr(declared, CAPABILITIES[method], None)
    if method == ELICITATION and capability is not None:
        return capability.form is not None or capability.url is None
    return capability is not None


async def _bound_size(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Reject a state that is too long to have been sealed here. Raises MCPError."""
    state = (ctx.params or {}).get("requestState")
    if isinstance(state, str) and len(state) > _MAX_SEALED_CHARACTERS:
        raise _invalid_state()
    return await call_next(ctx)


def _principal(context: Context) -> str | None:
    """Return the proven identity of the caller; None without one."""
    return None if context.request is None else request_meta.caller_identity(context.request.scope) or None


def _invalid_state() -> MCPError:
    return MCPError(types.INVALID_PARAMS, _INVALID, {"reason": "invalid_request_state"})
