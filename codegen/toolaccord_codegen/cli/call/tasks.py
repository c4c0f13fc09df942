"""Tasks of servers: `call --task`, and the commands `tasks get` and `tasks cancel`."""

from __future__ import annotations

import asyncio
import json
import random
import shlex
import sys
from dataclasses import dataclass

from toolaccord.client.connection import CALL_AS_TASK, Connection, ToolResponse
from toolaccord.client.task_states import TaskState
from toolaccord.client.tasks import TaskHandle
from toolaccord.client.tasks.patience import Patience
from toolaccord.errors import TaskCancelled, TaskFailed
from toolaccord.json_values import JsonObject
from toolaccord.timing.clock import SystemClock
from toolaccord_codegen.cli.call.forms import make_callbacks
from toolaccord_codegen.cli.call.servers import ProjectServer, find_server, opened
from toolaccord_codegen.cli.call.task_line import TaskLine, describe
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.call import ServerOptions, TaskOptions, TaskResultOptions
from toolaccord_codegen.cli.servers.served import find_served
from toolaccord_codegen.diagnostics import CommandError, escape_lines

GOES_ON = 4
"""The exit status where a task has no result yet."""


def get(options: TaskResultOptions) -> int:
    """Print the result of a task, or its state; return the exit status.

    Raises CommandError without such a task, or without a server.
    """
    server, line = _find_server(options), TaskLine()

    async def look() -> ToolResponse | TaskState | None:
        async with opened(options, server, line, callbacks=make_callbacks(line)) as connection:
            task = _handle(connection, task_id=options.id)
            if options.wait or (await task.look()).is_final:
                return await _follow(task, line, Return(options, server))
            return task.state

    found = asyncio.run(look())
    if isinstance(found, ToolResponse):
        from toolaccord_codegen.cli.call import results

        return results.print_response(found, "the task", as_json=options.json, out=options.out)
    if found is not None:
        _print_state(found, as_json=options.json or not sys.stdout.isatty())
    return GOES_ON


def cancel(options: TaskOptions) -> int:
    """Ask a server to cancel a task, and print what came of it; return 0.

    Raises CommandError without such a task, or without a server.
    """

    async def ask() -> TaskState:
        async with opened(options, _find_server(options), TaskLine()) as connection:
            task = _handle(connection, task_id=options.id)
            await task.cancel()
            return await task.look()

    print(describe(asyncio.run(ask())))
    return 0


async def call(
    connection: Connection, tool: str, arguments: JsonObject, timeout_s: float, line: TaskLine, come_back: Return
) -> ToolResponse | None:
    """Return what came of a call as a task; None if it is left running after Ctrl-C.

    *timeout_s* is the time for its start. Raises CallFailed.
    """
    called = {"name": tool, "arguments": arguments}
    started = await connection.call(CALL_AS_TASK, called, {}, timeout_s)
    return await _follow(_handle(connection, response=started), line, come_back)


async def _follow(task: TaskHandle[ToolResponse], line: TaskLine, come_back: Return) -> ToolResponse | None:
    """Return what came of a task; None if it is left running after Ctrl-C.

    Meanwhile *line* shows its progress. Raises CallFailed.
    """
    try:
        async for state in task.progress():
            line.show_state(state)
        return await task.result()
    except TaskFailed as error:
        body = {"code": error.code, "message": error.message, "data": error.data}
        return _fail({name: value for name, value in body.items() if value is not None})
    except TaskCancelled as error:
        return _fail({"code": "cancelled", "message": str(error)})
    except asyncio.CancelledError:
        following = asyncio.current_task()
        if task.id is None or following is None:
            raise
        following.uncancel()
    finally:
        line.hide()
    if not _wants_to_cancel():
        print(come_back.describe(task.id), file=sys.stderr)
        return None
    await task.cancel()
    return await _follow(task, line, come_back)


@dataclass(frozen=True, slots=True)
class Return:
    """The way back to a task that is left running."""

    options: ServerOptions
    server: ProjectServer | None

    def describe(self, task_id: str) -> str:
        """Return what a person should know, and the command that finds the task again."""
        flags = [("--url", self.options.url), ("--token-env", self.options.token_env)]
        words = [
            word for flag, value in [*flags, ("--command", self.options.command)] if value for word in (flag, value)
        ]
        if task_id.startswith("-"):
            words.append("--")
        names = [self.server.path] if self.server else []
        command = f"{program_name()} tasks get --wait {shlex.join([*words, *names, task_id])}"
        return f"the task is left running{self._condition()}; come back with\n  {command}"

    def _condition(self) -> str:
        """Return the condition under which a task outlives the command."""
        folder = self.options.folders.project.folder
        is_served = self.options.url or (self.server and find_served(folder, self.server.path))
        return "" if is_served else ", if a store keeps it: the server ends with this command"


def _find_server(options: TaskOptions) -> ProjectServer | None:
    """Return the server of the project that options name; None for another. Raises CommandError."""
    if options.is_foreign:
        if options.server:
            raise CommandError(f"{options.server} is a server of the project; leave it out with --url and --command")
        return None
    if options.server is None:
        raise CommandError("name the server of the task, or pass --url")
    return find_server(options.folders, options.server)


def _handle(
    connection: Connection, *, task_id: str | None = None, response: ToolResponse | None = None
) -> TaskHandle[ToolResponse]:
    patience = Patience(clock=SystemClock(), random=random.random)
    return TaskHandle(connection, lambda read: read, patience, task_id=task_id, response=response)


def _fail(body: JsonObject) -> ToolResponse:
    """Return the response to a call that has no result of its tool."""
    return ToolResponse(text="", is_error=True, corr_id=None, structured=body)


def _wants_to_cancel() -> bool:
    """Return whether the person at the terminal wants no result; nobody else is asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    try:
        sys.stderr.write("\nc cancels the task, anything else leaves it running: ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in {"c", "cancel"}
    except KeyboardInterrupt:
        return False


def _print_state(state: TaskState, *, as_json: bool) -> None:
    """Print a state without its id, which scripts and terminals would keep."""
    if as_json:
        shown = state.model_dump(mode="json", exclude_none=True, exclude={"id", "result", "error"})
        print(json.dumps(shown, indent=2))
        return
    done, total = state.progress.done, state.progress.total
    part = "" if done is None else f" ({done:g})" if total is None else f" ({done:g} of {total:g})"
    print(f"{describe(state)}{part}")
    for request in state.requests.values():
        message = request.get("params", {}).get("message", request.get("method"))
        print(f"asks: {escape_lines(str(message))} --wait answers.")
