"""What generated clients stand on: a tool is called with a record of its arguments, and answers a record or an error."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Generic, Self, TextIO, TypedDict, TypeVar, Unpack

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from toolpact.client.connection import Connection, ConnectionOptions, Said
from toolpact.declarations.dialects import Dialect
from toolpact.declarations.envelopes import extract_values
from toolpact.errors import BrokenAnswer, ToolError, UndeclaredError
from toolpact.json_values import JsonObject
from toolpact.telemetry import correlation

_LOG = logging.getLogger(__name__)

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)

_ON_THE_WAY_S = 5.0
"""Seconds that a call may take beyond the tool's deadline, for the way there and back."""
_META = ("corr_id", "traceparent", "idempotency_key")
_ABOUT = ("latency_ms", "cached", "cache_ttl_remaining", "source")
"""What a dialect may say about a result, as `Answered` has it."""


class CallOptions(TypedDict, total=False):
    """What may be said about one call."""

    timeout_s: float
    """Seconds that it may take; by default a little more than the tool's own deadline."""
    corr_id: str
    """Its id in logs, of letters, digits, `_` and `-`; by default that of the call which is being answered by calling."""
    traceparent: str
    """The W3C trace context it belongs to; a span that is open in this process goes before."""


class WriteOptions(CallOptions, total=False):
    """What may be said about one call of a tool that takes an idempotency key."""

    idempotency_key: str
    """By what the call is known when it comes again, of letters, digits and `_.:-`: it is then not done a second time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteServer:
    """One server, as its callers need to know it."""

    name: str
    """What hosts call it."""
    module: str
    """The module that runs it."""
    dialect: Dialect
    """The shapes of its answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTool(Generic[Request, Result]):
    """One tool, as its callers need to know it."""

    name: str
    """What callers name."""
    request: type[Request]
    """The model of its arguments."""
    result: type[Result]
    """The model of its result."""
    errors: tuple[type[ToolError], ...]
    """The errors it declares."""
    timeout_s: float
    """Seconds within which it answers."""
    nullable_arguments: bool
    """Whether `parameters` admits null somewhere; else an argument that is None is left out."""
    version: str | None = None
    """The version that it is called in; None for the newest, of a tool that has no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedTool(RemoteTool[Request, Result]):
    """A tool that answers one page of a list, asked for by `offset` and `limit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Generic[Result]):
    """A result, and what the server says about it; None where its dialect does not say."""

    result: Result
    """The result."""
    corr_id: str | None
    """The id of the call in the server's log."""
    latency_ms: float | None = None
    """Milliseconds that the server took."""
    cached: bool | None = None
    """Whether the result was given before."""
    cache_ttl_remaining: float | None = None
    """Seconds for which it will be given again; None also where it was fetched for this call."""
    source: str | None = None
    """The kind of the system that it comes from."""


class ServerClient:
    """Calls the tools of one server; a generated client derives from it, and adds a method for each tool.

    A method takes the tool's request and returns its result. It raises the class of an error that the tool declares, else one
    of the `CallFailed` in `toolpact.errors`. Calls may run side by side, from any task.
    """

    _server: ClassVar[RemoteServer]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._warned: set[str] = set()

    @classmethod
    def stdio(
        cls,
        *args: str,
        command: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | str | None = None,
        stderr: TextIO | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> Self:
        """Return a client that starts the server as a process, and ends it on leaving.

        *command* is followed by *args*; without one, this Python runs the server's own module. The process has HOME, PATH and
        the like of this one's environment, and *env*. It logs to *stderr*, else to this process's standard error.
        """
        from toolpact.client import stdio  # noqa: PLC0415 - the SDK takes a second to import

        program, first = (command, ()) if command else (sys.executable, ("-m", cls._server.module))
        how = stdio.Command(program=program, args=(*first, *args), env=env or {}, cwd=cwd)
        return cls(stdio.connection(cls._server.name, how, stderr, **options))

    @classmethod
    def http(cls, url: str, *, token: str | None = None, **options: Unpack[ConnectionOptions]) -> Self:
        """Return a client of the server at *url*, which mostly ends in `/mcp`; *token* is sent as a bearer token."""
        from toolpact.client import http  # noqa: PLC0415 - see stdio

        return cls(http.connection(cls._server.name, url, token, **options))

    async def __aenter__(self) -> Self:
        """Reach the server. Raises TransportError."""
        await self._connection.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Leave the server."""
        await self._connection.close()

    async def call(
        self, tool: RemoteTool[Request, Result], request: Request, **options: Unpack[WriteOptions]
    ) -> Answered[Result]:
        """Call *tool* and return its result with what the server says about it; raises what the tool's method raises."""
        arguments = request.model_dump(
            mode="json", by_alias=True, exclude_unset=True, exclude_none=not tool.nullable_arguments
        )
        timeout_s = options.get("timeout_s", tool.timeout_s + _ON_THE_WAY_S)
        spoken = {} if tool.version is None else {"version": tool.version}
        said = await self._connection.call(tool.name, arguments, spoken | _meta(options), timeout_s)
        if said.deprecation and tool.name not in self._warned:
            self._warn(tool, said.deprecation)
        values = self._values(tool, said)
        corr_id = said.corr_id or values.get("corr_id")
        if said.is_error:
            error = _error(tool, values)
            error.add_note(f"{self._server.name} logged the call as {corr_id}.")
            raise error
        return Answered(
            result=self._result(tool, values["result"]),
            corr_id=corr_id,
            **{name: values[name] for name in _ABOUT if name in values},
        )

    async def pages(
        self, tool: PagedTool[Request, Result], request: Request, **options: Unpack[CallOptions]
    ) -> AsyncIterator[Result]:
        """Call *tool* for one page after the other, from that of *request* to the last; raises what its method raises."""
        more = True
        while more:
            page: Any = (await self.call(tool, request, **options)).result
            yield page
            more = page.pagination.has_more and bool(page.items)
            request = request.model_copy(update={"offset": page.pagination.offset + len(page.items)})

    def _warn(self, tool: RemoteTool[Any, Any], deprecation: Mapping[str, str]) -> None:
        """Say, once for each tool, that this client's version of it will not be answered for ever."""
        self._warned.add(tool.name)
        until, successor = deprecation.get("sunset_on"), deprecation.get("successor")
        _LOG.warning(
            "%s %s of %s is deprecated%s; a client of %s takes its place",
            tool.name,
            tool.version,
            self._server.name,
            f" and answered until {until}" if until else "",
            successor,
        )

    def _values(self, tool: RemoteTool[Any, Any], said: Said) -> JsonObject:
        """Return what the placeholders of the dialect's envelope stand for in *said*."""
        dialect = self._server.dialect
        template, needed = (dialect.failure, "code") if said.is_error else (dialect.success, "result")
        try:
            values = extract_values(template, from_json(said.text))
        except ValueError as error:
            raise BrokenAnswer(f"{self._server.name} answered {tool.name} with what is no JSON: {error}") from error
        if needed not in values:
            raise BrokenAnswer(
                f"{self._server.name} answered {tool.name} outside the dialect {dialect.name}: {said.text}"
            )
        return values

    def _result(self, tool: RemoteTool[Any, Result], value: Any) -> Result:
        """Return *value* as a record; what a newer contract adds to it is kept in `model_extra`."""
        try:
            return tool.result.model_validate(value)
        except ValidationError:
            _LOG.debug("%s says of %s what this client does not know", self._server.name, tool.name)
        try:
            return tool.result.model_validate(value, extra="allow")
        except ValidationError as error:
            raise BrokenAnswer(f"{self._server.name} answered {tool.name} against its contract: {error}") from error


def _meta(options: WriteOptions) -> JsonObject:
    """Return what the call says about itself; the id of the call that is being answered meanwhile goes on with it."""
    said: JsonObject = {name: value for name, value in options.items() if name in _META}
    current = correlation.current_corr_id()
    return said if current is None else {"corr_id": current} | said


def _error(tool: RemoteTool[Any, Any], values: JsonObject) -> ToolError | UndeclaredError:
    """Return the error that *values* of the envelope of failure tell of."""
    code, message, details = values["code"], values.get("message", ""), values.get("details", {})
    for declared in tool.errors:
        if declared.code == code:
            return declared.received(message, details)
    return UndeclaredError(code, message, details)
