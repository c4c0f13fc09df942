"""Base of the generated clients: models in, models out, and errors as exceptions."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, TextIO, TypedDict, Unpack

from pydantic import BaseModel

from toolpact.client.answers import build_error, parse_envelope, parse_resource, parse_result
from toolpact.client.calls import CallResult, PendingCall, Policies, Send
from toolpact.client.connection import READ, Connection, ConnectionOptions, ToolResponse, fits_header
from toolpact.client.declarations import (
    ContentTool,
    PagedTool,
    RemoteResource,
    RemoteServer,
    RemoteTool,
    Request,
    Result,
)
from toolpact.json_values import JsonObject
from toolpact.semantics.uri_templates import expand
from toolpact.telemetry import correlation

_LOG = logging.getLogger(__name__)

_META_OPTIONS = ("corr_id", "traceparent", "idempotency_key")
_RESULT_METADATA = ("latency_ms", "cached", "cache_ttl_remaining", "source")
"""Envelope values that become fields of `CallResult`."""


class CallOptions(TypedDict, total=False):
    """Options of one call."""

    timeout_s: float
    """Time limit in seconds, with all attempts.

    The default is that of the policies, or the tool's deadline and 5 s.
    """
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


class ServerClient:
    """Base of generated clients, which add a method for each tool and resource of the server.

    A method takes the tool's request and returns its result. It raises the class of an error that the tool declares.
    It raises a `CallFailed` of `toolpact.errors` for every other failure. Calls may run concurrently, from any task.
    """

    _server: ClassVar[RemoteServer]

    def __init__(self, connection: Connection, policies: Policies | None = None) -> None:
        self._connection = connection
        self._executor = policies.start() if policies else None
        self._tools_warned_about: set[str] = set()

    @classmethod
    def stdio(
        cls,
        *args: str,
        command: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | str | None = None,
        stderr: TextIO | None = None,
        policies: Policies | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> Self:
        """Return a client that starts the server as a process, and ends it on exit.

        The client runs *command* with *args*. Without a *command*, this Python runs the server's module.
        The process inherits HOME, PATH and a few similar variables, and receives *env*.
        It logs to *stderr*, by default this process's standard error.
        With *policies*, a call starts a process that has ended again.
        """
        from toolpact.client import stdio  # noqa: PLC0415 - the SDK takes a second to import

        program, first_args = (command, ()) if command else (sys.executable, ("-m", cls._server.module))
        process = stdio.Command(program=program, args=(*first_args, *args), env=env or {}, cwd=cwd)
        is_repeatable = policies is not None
        connect = partial(stdio.connect, cls._server.name, process, stderr, is_repeatable=is_repeatable, **options)
        return cls._connect(connect, policies, is_process=True)

    @classmethod
    def http(
        cls,
        url: str,
        *,
        token: str | None = None,
        policies: Policies | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> Self:
        """Return a client of the server whose endpoint is *url*.

        The path is usually `/mcp`. The client sends *token* as a bearer token. Raises ValueError if that fits into no header.
        """
        from toolpact.client import http  # noqa: PLC0415 - see stdio

        if not fits_header(token or ""):
            raise ValueError(
                f"the token for {cls._server.name} has a space, a line break or a character that no token has"
            )
        connect = partial(http.connect, cls._server.name, url, token, **options)
        return cls._connect(connect, policies, is_process=False)

    @classmethod
    def _connect(cls, connect: Callable[[], Connection], policies: Policies | None, *, is_process: bool) -> Self:
        """Return a client whose connection *connect* makes; under *policies* it may need several."""
        if policies is None:
            return cls(connect())
        from toolpact.client.reconnecting import ReconnectingConnection  # noqa: PLC0415 - only policies need it

        return cls(ReconnectingConnection(cls._server.name, connect, ends_with_server=is_process), policies)

    async def __aenter__(self) -> Self:
        """Open the connection. Raises TransportError.

        With policies, it does so only if calls would raise the same; otherwise they connect later.
        """
        await self._connection.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connection."""
        try:
            await self._connection.close()
        finally:
            if self._executor is not None:
                await self._executor.close()

    async def call(
        self, tool: RemoteTool[Request, Result], request: Request, **options: Unpack[WriteOptions]
    ) -> CallResult[Result]:
        """Call *tool* and return its result with metadata.

        Raises a declared error of the tool, or CallFailed.
        """
        arguments = request.model_dump(
            mode="json", by_alias=True, exclude_unset=True, exclude_none=not tool.nullable_arguments
        )
        version = {} if tool.version is None else {"version": tool.version}
        send = partial(self._connection.call, tool.name, arguments, version | _build_meta(options))
        if isinstance(tool, ContentTool):
            send = partial(_load_contents().send_for_content, tool, send)
        has_key = "idempotency_key" in options
        return await self._execute(tool, arguments, send, options.get("timeout_s"), has_key=has_key)

    async def read(
        self, resource: RemoteResource[Result], request: BaseModel | None = None, **options: Unpack[CallOptions]
    ) -> CallResult[Result]:
        """Read *resource* and return its content with metadata.

        *request* has the variables of its URI. Raises ResourceNotFound, a declared error of the resource, or CallFailed.
        """
        variables: JsonObject = {} if request is None else request.model_dump(mode="json", by_alias=True)
        arguments = {"uri": expand(resource.address, variables)}
        send = partial(self._connection.call, READ, arguments, _build_meta(options))
        return await self._execute(resource, arguments, send, options.get("timeout_s"))

    async def _execute(
        self,
        tool: RemoteTool[Any, Result],
        arguments: JsonObject,
        send: Send,
        timeout_s: float | None,
        *,
        has_key: bool = False,
    ) -> CallResult[Result]:
        """Send a call under the client's policies and return its result. Raises as `call` does."""
        if self._executor is None:
            return self._parse(tool, await send(tool.default_timeout_s if timeout_s is None else timeout_s))
        pending = PendingCall(
            server=self._server.name,
            tool=tool,
            arguments=arguments,
            timeout_s=timeout_s,
            has_key=has_key,
            send=send,
            parse=partial(self._parse, tool),
        )
        return await self._executor.execute(pending)

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

    def _parse(self, tool: RemoteTool[Any, Result], response: ToolResponse) -> CallResult[Result]:
        """Return the result in *response*. Raises a declared error of the tool, or CallFailed."""
        if response.deprecation and tool.name not in self._tools_warned_about:
            self._warn_of_deprecation(tool, response.deprecation)
        sender = f"{self._server.name} answered {tool.name}"
        result: Any
        if isinstance(tool, RemoteResource) and not response.is_error:
            result, values = parse_resource(tool.result, sender, response.text), {}
        elif isinstance(tool, ContentTool) and not response.is_error:
            result, values = _load_contents().parse_content(tool, self._server.dialect, sender, response)
        else:
            values = parse_envelope(self._server.dialect, sender, response)
            result = None if response.is_error else parse_result(tool.result, sender, values["result"])
        corr_id = response.corr_id or values.get("corr_id")
        if response.is_error:
            error = build_error(self._server.dialect, tool.errors, values)
            error.add_note(f"{self._server.name} logged the call as {corr_id}.")
            raise error
        metadata = {name: values[name] for name in _RESULT_METADATA if name in values}
        return CallResult(result=result, corr_id=corr_id, **metadata)

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


def _load_contents() -> Any:
    """Return the module for tools with content; a client of other tools does not load it."""
    from toolpact.client import contents  # noqa: PLC0415 - see above

    return contents


def _build_meta(options: Mapping[str, object]) -> JsonObject:
    """Return the `_meta` of a call; the id of the call being answered is its default `corr_id`."""
    meta: JsonObject = {name: value for name, value in options.items() if name in _META_OPTIONS}
    current = correlation.current_corr_id()
    return meta if current is None else {"corr_id": current} | meta
