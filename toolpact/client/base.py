"""Base of the generated clients: models in, models out, and errors as exceptions."""

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

from toolpact.client.connection import Connection, ConnectionOptions, ToolResponse
from toolpact.declarations.dialects import Dialect
from toolpact.declarations.envelopes import extract_values
from toolpact.errors import BrokenAnswer, ToolError, UndeclaredError
from toolpact.json_values import JsonObject
from toolpact.telemetry import correlation

_LOG = logging.getLogger(__name__)

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)

_TRANSFER_ALLOWANCE_S = 5.0
"""Seconds added to the tool's deadline, for the transfer of request and response."""
_META_OPTIONS = ("corr_id", "traceparent", "idempotency_key")
_RESULT_METADATA = ("latency_ms", "cached", "cache_ttl_remaining", "source")
"""Envelope values that become fields of `CallResult`."""


class CallOptions(TypedDict, total=False):
    """Options of one call."""

    timeout_s: float
    """Time limit in seconds; by default the tool's deadline and 5 s."""
    corr_id: str
    """Correlation id for logs: letters, digits, `_` and `-`.

    The default is the id of the call that the handler is answering, if there is one.
    """
    traceparent: str
    """W3C trace context of the call; an open span in this process takes precedence."""


class WriteOptions(CallOptions, total=False):
    """Options of one call of a tool that takes an idempotency key."""

    idempotency_key: str
    """Idempotency key: letters, digits and `_.:-`. Calls with one key execute once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteServer:
    """Declaration of one server, for its clients."""

    name: str
    """Name of the server, as hosts show it."""
    module: str
    """Module that runs the server."""
    dialect: Dialect
    """Dialect that gives the shapes of its answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTool(Generic[Request, Result]):
    """Declaration of one tool, for clients of its server."""

    name: str
    """Name of the tool in calls."""
    request: type[Request]
    """Model of its arguments."""
    result: type[Result]
    """Model of its result."""
    errors: tuple[type[ToolError], ...]
    """Errors that it declares."""
    timeout_s: float
    """Its deadline in seconds."""
    nullable_arguments: bool
    """True if `parameters` admits null somewhere; otherwise None is omitted."""
    version: str | None = None
    """Version that the client requests; None for a tool with only one version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedTool(RemoteTool[Request, Result]):
    """Declaration of a tool that returns one page of a list, selected by `offset` and `limit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult(Generic[Result]):
    """Result of a call with its metadata; None for metadata that the dialect does not send."""

    result: Result
    """Result of the tool."""
    corr_id: str | None
    """Correlation id of the call in the server's log."""
    latency_ms: float | None = None
    """Milliseconds that the server needed."""
    cached: bool | None = None
    """True if the result came from the server's cache."""
    cache_ttl_remaining: float | None = None
    """Seconds for which the cache keeps the result; None also if it was fetched for this call."""
    source: str | None = None
    """Kind of the system that supplied the data."""


class ServerClient:
    """Base of generated clients, which add a method for each tool of the server.

    A method takes the tool's request and returns its result. It raises the class of an error that the tool declares.
    It raises a `CallFailed` of `toolpact.errors` for every other failure. Calls may run concurrently, from any task.
    """

    _server: ClassVar[RemoteServer]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tools_warned_about: set[str] = set()

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
        """Return a client that starts the server as a process, and ends it on exit.

        The client runs *command* with *args*. Without a *command*, this Python runs the server's module.
        The process inherits HOME, PATH and a few similar variables, and receives *env*.
        It logs to *stderr*, by default this process's standard error.
        """
        from toolpact.client import stdio  # noqa: PLC0415 - the SDK takes a second to import

        program, first_args = (command, ()) if command else (sys.executable, ("-m", cls._server.module))
        process = stdio.Command(program=program, args=(*first_args, *args), env=env or {}, cwd=cwd)
        return cls(stdio.connect(cls._server.name, process, stderr, **options))

    @classmethod
    def http(cls, url: str, *, token: str | None = None, **options: Unpack[ConnectionOptions]) -> Self:
        """Return a client of the server whose endpoint is *url*.

        The path is usually `/mcp`. The client sends *token* as a bearer token.
        """
        from toolpact.client import http  # noqa: PLC0415 - see stdio

        return cls(http.connect(cls._server.name, url, token, **options))

    async def __aenter__(self) -> Self:
        """Open the connection. Raises TransportError."""
        await self._connection.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self._connection.close()

    async def call(
        self, tool: RemoteTool[Request, Result], request: Request, **options: Unpack[WriteOptions]
    ) -> CallResult[Result]:
        """Call *tool* and return its result with metadata.

        Raises a declared error of the tool, or CallFailed.
        """
        arguments = request.model_dump(
            mode="json", by_alias=True, exclude_unset=True, exclude_none=not tool.nullable_arguments
        )
        timeout_s = options.get("timeout_s", tool.timeout_s + _TRANSFER_ALLOWANCE_S)
        version = {} if tool.version is None else {"version": tool.version}
        response = await self._connection.call(tool.name, arguments, version | _build_meta(options), timeout_s)
        if response.deprecation and tool.name not in self._tools_warned_about:
            self._warn_of_deprecation(tool, response.deprecation)
        values = self._parse_envelope(tool, response)
        corr_id = response.corr_id or values.get("corr_id")
        if response.is_error:
            error = _build_error(self._server.dialect, tool, values)
            error.add_note(f"{self._server.name} logged the call as {corr_id}.")
            raise error
        return CallResult(
            result=self._parse_result(tool, values["result"]),
            corr_id=corr_id,
            **{name: values[name] for name in _RESULT_METADATA if name in values},
        )

    async def pages(
        self, tool: PagedTool[Request, Result], request: Request, **options: Unpack[CallOptions]
    ) -> AsyncIterator[Result]:
        """Yield every page of *tool*, from the page of *request* to the last.

        Raises a declared error of the tool, or CallFailed.
        """
        has_more = True
        while has_more:
            page: Any = (await self.call(tool, request, **options)).result
            yield page
            has_more = page.pagination.has_more and bool(page.items)
            request = request.model_copy(update={"offset": page.pagination.offset + len(page.items)})

    def _warn_of_deprecation(self, tool: RemoteTool[Any, Any], deprecation: Mapping[str, str]) -> None:
        """Log, once for each tool, that the version that this client requests is deprecated."""
        self._tools_warned_about.add(tool.name)
        until, successor = deprecation.get("sunset_on"), deprecation.get("successor")
        _LOG.warning(
            "%s %s of %s is deprecated%s; generate the client again from %s",
            tool.name,
            tool.version,
            self._server.name,
            f" and answered until {until}" if until else "",
            successor,
        )

    def _parse_envelope(self, tool: RemoteTool[Any, Any], response: ToolResponse) -> JsonObject:
        """Return the values of the envelope's placeholders in *response*. Raises BrokenAnswer."""
        dialect = self._server.dialect
        template, required = (dialect.failure, "code") if response.is_error else (dialect.success, "result")
        try:
            values = extract_values(template, from_json(response.text))
        except ValueError as error:
            raise BrokenAnswer(f"{self._server.name} answered {tool.name} with invalid JSON: {error}") from error
        if required not in values:
            raise BrokenAnswer(
                f"{self._server.name} answered {tool.name} in another form than dialect {dialect.name}: {response.text}"
            )
        return values

    def _parse_result(self, tool: RemoteTool[Any, Result], value: Any) -> Result:
        """Return *value* as a model, with unknown members in `model_extra`. Raises BrokenAnswer."""
        try:
            return tool.result.model_validate(value)
        except ValidationError:
            _LOG.debug(
                "the result of %s %s does not validate strictly; unknown members are now allowed",
                self._server.name,
                tool.name,
            )
        try:
            return tool.result.model_validate(value, extra="allow")
        except ValidationError as error:
            raise BrokenAnswer(
                f"{self._server.name} answered {tool.name} with a result that breaks its contract: {error}"
            ) from error


def _build_meta(options: WriteOptions) -> JsonObject:
    """Return the `_meta` of a call; the id of the call being answered is its default `corr_id`."""
    meta: JsonObject = {name: value for name, value in options.items() if name in _META_OPTIONS}
    current = correlation.current_corr_id()
    return meta if current is None else {"corr_id": current} | meta


def _build_error(dialect: Dialect, tool: RemoteTool[Any, Any], values: JsonObject) -> ToolError | UndeclaredError:
    """Return the error that *values* of the failure envelope describe."""
    code, message, details = values["code"], values.get("message", ""), values.get("details", {})
    for declared in tool.errors:
        if declared.code == code:
            return declared.received(message, details)
    standard = dialect.codes.get(code)
    return UndeclaredError(code, message, details, retryable=standard is not None and standard.retryable)
