"""The command `tools`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from inspect import cleandoc

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from toolaccord.json_values import JsonObject
from toolaccord_codegen.cli.call.arguments import describe_type
from toolaccord_codegen.cli.call.command import list_tools
from toolaccord_codegen.cli.call.servers import find_server, opened
from toolaccord_codegen.cli.options.call import ToolsOptions
from toolaccord_codegen.cli.servers.terminal import StatusLine
from toolaccord_codegen.diagnostics import CommandError, escape_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool of the list."""

    server: str
    name: str
    description: str
    parameters: JsonObject
    versions: Sequence[str] = ()
    """The versions that callers may name, the newest first; empty if unknown."""
    errors: dict[str, str] = field(default_factory=dict)
    """Meanings of the error codes that the contract declares."""


def run(options: ToolsOptions) -> int:
    """List the tools of a server, or of all servers of the project; return 0.

    Raises CommandError if a server cannot be reached, ContractProblems for contracts with faults.
    """
    if options.is_foreign:
        if options.server:
            raise CommandError(f"{options.server} is a server of the project; leave it out with --url and --command")
        tools = asyncio.run(_ask_server(options))
    else:
        tools = _read_contracts(options)
    if options.json or not sys.stdout.isatty():
        print(json.dumps([asdict(each) for each in tools], indent=2))
    else:
        _print(tools, is_verbose=options.verbose)
    return 0


async def _ask_server(options: ToolsOptions) -> list[ListedTool]:
    async with opened(options, None, StatusLine()) as connection:
        listed = await list_tools(connection)
    return [
        ListedTool(
            server=options.url or options.command or "",
            name=each["name"],
            description=cleandoc(each.get("description") or each.get("title") or ""),
            parameters=each["inputSchema"],
            versions=_read_versions(each),
        )
        for each in listed
    ]


def _read_versions(tool: JsonObject) -> list[str]:
    """Return the versions in a listed tool; none where a stranger's member is of another form."""
    meta = tool.get("_meta")
    versions = meta.get("versions") if isinstance(meta, dict) else None
    return [each for each in versions if isinstance(each, str)] if isinstance(versions, list) else []


def _read_contracts(options: ToolsOptions) -> list[ListedTool]:
    """Return the tools of the project, which need not be generated."""
    from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
    from toolaccord_codegen.compiler import compile_folder

    wanted = find_server(options.folders, options.server).path if options.server else None
    folders = options.folders
    contracts = compile_folder(folders.contracts, acceptable=ACCEPTABLE_RULES, kinds=folders.source_kinds).contracts
    return [
        ListedTool(
            server=f"{contract.system}/{contract.module}",
            name=tool.name,
            description=tool.description,
            parameters=dict(tool.parameters),
            versions=tool.all_versions,
            errors={error.code: error.description for error in tool.errors},
        )
        for contract in contracts
        if wanted in {None, f"{contract.system}/{contract.module}"}
        for tool in contract.tools
    ]


def _print(tools: Sequence[ListedTool], *, is_verbose: bool) -> None:
    """Print tools below the names of their servers."""
    console = Console(highlight=False)
    server = None
    for tool in tools:
        if tool.server != server:
            server = tool.server
            console.print(Text(escape_lines(server), style="bold underline"))
        versions = f"  {escape_lines(', '.join(tool.versions))}" if tool.versions else ""
        console.print(Padding(Text.assemble((escape_lines(tool.name), "bold"), (versions, "dim")), (0, 2)))
        description = tool.description if is_verbose else tool.description.partition("\n")[0]
        console.print(Padding(Text(escape_lines(description)), (0, 4)))
        if is_verbose:
            console.print(Padding(_describe(tool), (0, 4)))
        elif names := _names(tool).values():
            console.print(Padding(Text(escape_lines(" ".join(names)), style="cyan"), (0, 4)))
    if tools and not is_verbose:
        console.print(Text("\n* required; -v shows parameters and errors", style="dim"))


def _names(tool: ListedTool) -> dict[str, str]:
    """Return the parameters as they are shown, by name."""
    required = tool.parameters.get("required", ())
    return {each: f"{each}*" if each in required else each for each in tool.parameters.get("properties", {})}


def _describe(tool: ListedTool) -> Table:
    """Return the parameters with types and descriptions, and the errors with their meanings."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, max_width=30)
    table.add_column(overflow="fold")
    for name, shown in _names(tool).items():
        schema = tool.parameters["properties"][name]
        schema = schema if isinstance(schema, dict) else {}
        default = f", default {json.dumps(schema['default'])}" if "default" in schema else ""
        kind = escape_lines(f"{describe_type(tool.parameters, schema)}{default}")
        description = escape_lines(f"\n{schema.get('description', '')}".rstrip())
        table.add_row(Text(escape_lines(shown), style="cyan"), Text.assemble((kind, "dim"), description))
    for code, meaning in tool.errors.items():
        table.add_row(Text(code, style="red"), Text(escape_lines(meaning)))
    return table
