"""Base of the generated clients: models in, models out, and errors as exceptions."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TextIO, TypedDict, Unpack

from pydantic import BaseModel

from toolaccord import extras
from toolaccord.client.answers import ResponseParser
from toolaccord.client.calls import CallResult, PendingCall, Policies, Send
from toolaccord.client.connection import (
    CALL_AS_TASK,
    COMPLETE,
    GET_PROMPT,
    READ,
    Connection,
    ConnectionOptions,
    ToolResponse,
    find_token_error,
)
from toolaccord.client.declarations import (
    Completed,
    ContentTool,
    PagedTool,
    RemoteCompletion,
    RemotePrompt,
    RemoteResource,
    RemoteServer,
    RemoteTool,
    Request,
    Result,
)
from toolaccord.json_values import JsonObject
from toolaccord.semantics.uri_templates import expand, format_value
from toolaccord.telemetry import correlation

if TYPE_CHECKING:  # a client of tools alone does not load them
    from toolaccord.client.credentials import ClientCredentials
    from toolaccord.client.tasks.calls import ClientTasks
    from toolaccord.client.tasks.handle import TaskHandle
    from toolaccord.content import Message

_META_OPTIONS = ("corr_id", "traceparent", "idempotency_key")


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
    """Base of generated clients, which add methods for tools, resources, prompts and completion.

    A method takes the tool's request and returns its result. It raises the class of an error that the tool declares.
    It raises a `CallFailed` of `toolaccord.errors` for every other failure. Calls may run concurrently, from any task.
    """

    _server: ClassVar[RemoteServer]

    def __init__(self, connection: Connection, policies: Policies | None = None) -> None:
        self._connection = connection
        self._policies = policies
        self._executor = policies.start() if policies else None
        self._parser = ResponseParser(self._server)

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
        from toolaccord.client import stdio  # noqa: PLC0415 - the SDK takes a second to import

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
        credentials: ClientCredentials | None = None,
        policies: Policies | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> Self:
        """Return a client of the server whose endpoint is *url*.

        The path is usually `/mcp`. The client sends *token* as a bearer token, or gets tokens with *credentials*.
        Raises ValueError if the token fits into no header, or if both are given, and MissingExtra.
        """
        if token is not None and credentials is not None:
            raise ValueError(f"the client of {cls._server.name} has a token and credentials; give it one of them")
        with extras.needed("http"):
            from toolaccord.client import http  # noqa: PLC0415 - see stdio

        if fault := find_token_error(token or ""):
            raise ValueError(f"the token for {cls._server.name} {fault}")
        connect = partial(http.connect, cls._server.name, url, token if credentials is None else credentials, **options)
        return cls._connect(connect, policies, is_process=False)

    @classmethod
    def _connect(cls, connect: Callable[[], Connection], policies: Policies | None, *, is_process: bool) -> Self:
        """Return a client whose connection *connect* makes; under *policies* it may need several."""
        if policies is None:
            return cls(connect())
        from toolaccord.client.reconnecting import ReconnectingConnection  # noqa: PLC0415 - only policies need it

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

        Raises a declared error of the tool, or CallFailed. Arguments that break the contract raise the error that the
        server would answer, and nothing is sent. If the tool needs tasks, the call waits for its task.
        """
        arguments, meta = self._prepare(tool, request, options)
        send = partial(self._connection.call, tool.name, arguments, meta)
        if tool.task is not None and tool.task.is_required:
            send = partial(self._tasks.run, tool, arguments, meta)
        if isinstance(tool, ContentTool):
            from toolaccord.client import contents  # noqa: PLC0415 - a client of other tools does not load it

            send = partial(contents.send_for_content, tool, send)
        has_key = "idempotency_key" in options
        return await self._execute(tool, arguments, send, options.get("timeout_s"), has_key=has_key)

    async def _start_task(
        self, tool: RemoteTool[Request, Result], request: Request, **options: Unpack[WriteOptions]
    ) -> TaskHandle[Result]:
        """Call *tool*, and return a handle of the task that the call becomes.

        If the server answers at once, the handle has the result. `timeout_s` is that of starting. Raises what `call`
        raises for a call that does not start.
        """
        from toolaccord.client.tasks.calls import starting  # noqa: PLC0415 - few clients have tasks

        arguments, meta = self._prepare(tool, request, options)
        send = partial(self._connection.call, CALL_AS_TASK, {"name": tool.name, "arguments": arguments}, meta)
        started = await self._execute(
            starting(tool),
            arguments,
            send,
            options.get("timeout_s"),
            has_key="idempotency_key" in options,
            parse=partial(self._tasks.read_start, tool),
        )
        return started.result

    def _resume_task(self, tool: RemoteTool[Any, Result], task_id: str) -> TaskHandle[Result]:
        """Return a handle of a task of *tool*, which any process of this caller may have started."""
        return self._tasks.follow(tool, task_id=task_id)

    @property
    def _tasks(self) -> ClientTasks:
        from toolaccord.client.tasks.calls import ClientTasks  # noqa: PLC0415 - few clients have tasks

        return ClientTasks(self._connection, self._parser, self._policies)

    def _prepare(
        self, tool: RemoteTool[Request, Any], request: Request, options: Mapping[str, object]
    ) -> tuple[JsonObject, JsonObject]:
        """Return arguments and `_meta` of a call.

        Raises the error that the server would answer to the arguments.
        """
        arguments = _dump(request, exclude_none=not tool.nullable_arguments)
        if tool.parameters is not None:
            from toolaccord.client.arguments import check_arguments  # noqa: PLC0415 - loads the validator

            check_arguments(tool, arguments, self._server.dialect)
        version = {} if tool.version is None else {"version": tool.version}
        return arguments, version | _build_meta(options)

    async def read(
        self, resource: RemoteResource[Result], request: BaseModel | None = None, **options: Unpack[CallOptions]
    ) -> CallResult[Result]:
        """Read *resource* and return its content with metadata.

        *request* has the variables of its URI. Raises ResourceNotFound, a declared error of the resource, or
        CallFailed.
        """
        variables: JsonObject = {} if request is None else request.model_dump(mode="json", by_alias=True)
        arguments = {"uri": expand(resource.address, variables)}
        send = partial(self._connection.call, READ, arguments, _build_meta(options))
        return await self._execute(resource, arguments, send, options.get("timeout_s"))

    async def get_prompt(
        self, prompt: RemotePrompt[Request], request: Request | None = None, **options: Unpack[CallOptions]
    ) -> CallResult[tuple[Message, ...]]:
        """Return the messages of *prompt* with metadata; *request* has its arguments.

        Raises a declared error of the prompt, or CallFailed.
        """
        values = {} if request is None else _dump(request, exclude_none=True)
        texts = {name: format_value(value) for name, value in values.items()}
        arguments: JsonObject = {"name": prompt.prompt, "arguments": texts}
        send = partial(self._connection.call, GET_PROMPT, arguments, _build_meta(options))
        return await self._execute(prompt, arguments, send, options.get("timeout_s"))

    async def complete(
        self, completion: RemoteCompletion, prefix: str, **options: Unpack[CallOptions]
    ) -> CallResult[Completed]:
        """Return the values that *prefix* can become, with metadata.

        Raises a declared error of the prompt or resource, or CallFailed.
        """
        arguments: JsonObject = {
            "ref": completion.reference,
            "argument": {"name": completion.member, "value": prefix},
        }
        send = partial(self._connection.call, COMPLETE, arguments, _build_meta(options))
        return await self._execute(completion, arguments, send, options.get("timeout_s"))

    async def _execute(
        self,
        tool: RemoteTool[Any, Result],
        arguments: JsonObject,
        send: Send,
        timeout_s: float | None,
        *,
        has_key: bool = False,
        parse: Callable[[ToolResponse], CallResult[Result]] | None = None,
    ) -> CallResult[Result]:
        """Send a call under the client's policies and return its result. Raises as `call` does."""
        parse = parse or partial(self._parser.parse, tool)
        if self._executor is None:
            return parse(await send(tool.default_timeout_s if timeout_s is None else timeout_s))
        pending = PendingCall(
            server=self._server.name,
            tool=tool,
            arguments=arguments,
            timeout_s=timeout_s,
            has_key=has_key,
            send=send,
            parse=parse,
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


def _dump(request: BaseModel, *, exclude_none: bool) -> JsonObject:
    """Return the arguments in *request*, without those that nobody set."""
    return request.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=exclude_none)


def _build_meta(options: Mapping[str, object]) -> JsonObject:
    """Return the `_meta` of a call; the id of the call being answered is its default `corr_id`."""
    meta: JsonObject = {name: value for name, value in options.items() if name in _META_OPTIONS}
    current = correlation.current_corr_id()
    return meta if current is None else {"corr_id": current} | meta
