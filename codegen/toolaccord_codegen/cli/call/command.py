"""The command `call`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable
from shutil import get_terminal_size
from typing import TYPE_CHECKING, TypeVar

from mcp import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY

from toolaccord.client.connection import LIST_TOOLS, Connection, ToolResponse
from toolaccord.errors import BrokenAnswer
from toolaccord.json_values import JsonObject
from toolaccord_codegen.cli.call import tasks
from toolaccord_codegen.cli.call.arguments import read_arguments
from toolaccord_codegen.cli.call.forms import make_callbacks
from toolaccord_codegen.cli.call.servers import find_tool, opened
from toolaccord_codegen.cli.call.task_line import TaskLine
from toolaccord_codegen.cli.call.tasks import GOES_ON, Return
from toolaccord_codegen.cli.options.call import CallOptions
from toolaccord_codegen.cli.servers.connections import MOST_PAGES
from toolaccord_codegen.cli.servers.terminal import StatusLine
from toolaccord_codegen.diagnostics import CommandError, suggest
from toolaccord_codegen.reporting.colour import TerminalStyle

if TYPE_CHECKING:  # most calls draw nothing
    from toolaccord_codegen.cli.call.plots.plot import Plot

Answered = TypeVar("Answered")

_LIST_TIMEOUT_S = 60.0


def run(options: CallOptions) -> int:
    """Call a tool and print its answer; return 1 for an error of the tool.

    Raises CommandError if it could not be called.
    """
    if options.is_foreign and options.sandbox:
        raise CommandError("--sandbox is for servers of the project; give yours its own flag in --command")
    if options.json and options.plot:
        raise CommandError("--json and --plot are two forms of an answer; give one")
    server, tool = (None, options.tool) if options.is_foreign else find_tool(options.folders, options.tool)

    plot = _make_plot() if options.plot else None
    status = TaskLine() if options.task else StatusLine()
    faults: list[JsonObject] = []

    async def call() -> ToolResponse | None:
        callbacks = {**make_callbacks(status), **(plot.client_options if plot else {})}
        async with opened(
            options, server, status, sandbox=options.sandbox, callbacks=callbacks, faults=faults
        ) as connection:
            listed = _find_listed(await list_tools(connection), tool)
            arguments = read_arguments(options.arguments, tool, listed["inputSchema"])
            if plot:
                await plot.plan(connection, listed)
            status.show(f"calling {tool}")
            if isinstance(status, TaskLine):
                come_back = Return(options, server)
                return await _answer(tasks.call(connection, tool, arguments, options.timeout, status, come_back))
            return await _answer(connection.call(tool, arguments, {}, options.timeout))

    response = asyncio.run(call())
    if response is None:
        return GOES_ON
    if server and response.is_error:
        _print_faults(options, faults)
    from toolaccord_codegen.cli.call import results

    return results.print_response(response, tool, as_json=options.json, out=options.out, plot=plot)


def _make_plot() -> Plot:
    """Return the charts of the call. Raises CommandError where standard output shows none."""
    from toolaccord_codegen.cli.call.plots.plot import Plot

    return Plot()


def _print_faults(options: CallOptions, faults: list[JsonObject]) -> None:
    """Print the server's warnings, errors and causes as `dev` does.

    A caller learns nothing else about a server's own faults.
    """
    from toolaccord.telemetry.text_logs import TextFormat

    colour, columns = TerminalStyle.of(sys.stderr).on, get_terminal_size().columns
    text = TextFormat(colour, columns, options.folders.project.folder.resolve())
    for fault in faults:
        print(text.format(fault), file=sys.stderr)


async def _answer(calling: Awaitable[Answered]) -> Answered | ToolResponse:
    """Return the response of a tool, also where it is an error of JSON-RPC. Raises CallFailed."""
    try:
        return await calling
    except BrokenAnswer as error:
        if not isinstance(error.__cause__, MCPError):
            raise
        body = error.__cause__.error.model_dump(mode="json", exclude_none=True)
        if body["code"] == MISSING_REQUIRED_CLIENT_CAPABILITY and "tasks" in str(body.get("data")):
            body["message"] += "; pass --task"
        return ToolResponse(text="", is_error=True, corr_id=None, structured=body)


async def list_tools(connection: Connection) -> list[JsonObject]:
    """Return the tools of a server, from all pages of its list.

    Raises CallFailed, and CommandError for pages without end.
    """
    tools: list[JsonObject] = []
    arguments: JsonObject = {}
    for _ in range(MOST_PAGES):
        page = json.loads((await connection.call(LIST_TOOLS, arguments, {}, _LIST_TIMEOUT_S)).text)
        tools += page["tools"]
        if not page.get("nextCursor"):
            return tools
        arguments = {"cursor": page["nextCursor"]}
    raise CommandError(f"the server lists more than {MOST_PAGES} pages")


def _find_listed(tools: list[JsonObject], name: str) -> JsonObject:
    """Return the tool with a *name*. Raises CommandError if there is none."""
    by_name = {each["name"]: each for each in tools}
    if name not in by_name:
        raise CommandError(f'the server has no tool "{name}"; {suggest(name, by_name)}')
    return by_name[name]
