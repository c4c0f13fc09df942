"""The command `call`."""

from __future__ import annotations

import asyncio
import json
import sys
from shutil import get_terminal_size

from mcp import MCPError

from toolaccord.client.connection import LIST_TOOLS, Connection, ToolResponse
from toolaccord.errors import BrokenAnswer
from toolaccord.json_values import JsonObject
from toolaccord_codegen.cli.call.arguments import read_arguments
from toolaccord_codegen.cli.call.forms import make_callbacks
from toolaccord_codegen.cli.call.servers import find_tool, opened
from toolaccord_codegen.cli.options.call import CallOptions
from toolaccord_codegen.cli.servers.connections import MOST_PAGES
from toolaccord_codegen.cli.servers.terminal import StatusLine
from toolaccord_codegen.diagnostics import CommandError, suggest
from toolaccord_codegen.reporting.colour import TerminalStyle

_LIST_TIMEOUT_S = 60.0


def run(options: CallOptions) -> int:
    """Call a tool and print its answer; return 1 for an error of the tool.

    Raises CommandError if it could not be called.
    """
    if options.is_foreign and options.sandbox:
        raise CommandError("--sandbox is for servers of the project; give yours its own flag in --command")
    server, tool = (None, options.tool) if options.is_foreign else find_tool(options.folders, options.tool)

    status = StatusLine()
    faults: list[JsonObject] = []

    async def call() -> ToolResponse:
        callbacks = make_callbacks(status)
        async with opened(
            options, server, status, sandbox=options.sandbox, callbacks=callbacks, faults=faults
        ) as connection:
            listed = _find_listed(await list_tools(connection), tool)
            arguments = read_arguments(options.arguments, tool, listed["inputSchema"])
            status.show(f"calling {tool}")
            return await _call(connection, tool, arguments, options.timeout)

    response = asyncio.run(call())
    if server and response.is_error:
        _print_faults(options, faults)
    return _print(options, response, tool)


def _print_faults(options: CallOptions, faults: list[JsonObject]) -> None:
    """Print the server's warnings, errors and causes as `dev` does.

    A caller learns nothing else about a server's own faults.
    """
    from toolaccord.telemetry.text_logs import TextFormat

    colour, columns = TerminalStyle.of(sys.stderr).on, get_terminal_size().columns
    text = TextFormat(colour, columns, options.folders.project.folder.resolve())
    for fault in faults:
        print(text.format(fault), file=sys.stderr)


async def _call(connection: Connection, tool: str, arguments: JsonObject, timeout_s: float) -> ToolResponse:
    """Return the response of a tool, also where it is an error of JSON-RPC. Raises CallFailed."""
    try:
        return await connection.call(tool, arguments, {}, timeout_s)
    except BrokenAnswer as error:
        if not isinstance(error.__cause__, MCPError):
            raise
        body = error.__cause__.error.model_dump(mode="json", exclude_none=True)
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


def _print(options: CallOptions, response: ToolResponse, tool: str) -> int:
    """Print an answer, and return the exit status."""
    from toolaccord_codegen.cli.call import results

    answer = results.read_answer(response)
    if options.out is not None and not response.is_error:
        answer = results.save_content(answer, options.out)
    as_json = options.json or not sys.stdout.isatty()
    if response.is_error:
        results.print_error(tool, answer)
    if as_json and (answer.body is not None or answer.blocks):
        results.print_json(answer)
    elif not response.is_error:
        results.print_answer(answer)
    return int(response.is_error)
