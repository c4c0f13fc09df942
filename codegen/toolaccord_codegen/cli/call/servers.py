"""The servers that a person can name, and connections to them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from toolaccord.json_values import JsonObject
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.call import ServerOptions
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.servers.connections import Address, connected, parse_address, parse_command
from toolaccord_codegen.cli.servers.environment import read_environment
from toolaccord_codegen.cli.servers.freshness import check_freshness
from toolaccord_codegen.cli.servers.served import find_served
from toolaccord_codegen.cli.servers.terminal import StatusLine
from toolaccord_codegen.diagnostics import CommandError, suggest
from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS
from toolaccord_codegen.loading.documents import display_path, list_contract_paths

if TYPE_CHECKING:
    from mcp import StdioServerParameters

    from toolaccord.client.sdk import SdkConnection


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectServer:
    """A server of the project."""

    path: str
    """SYSTEM/NAME, its contract's path without suffix."""
    name: str
    """Its name for hosts."""
    tools: tuple[str, ...]
    transports: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The names that people give it: the contract's, the path, and the file's."""
        return [self.name, self.path, PurePosixPath(self.path).name]


def list_servers(folders: Folders) -> list[ProjectServer]:
    """Return the servers of the project. Raises CommandError for an unreadable contract."""
    servers = []
    for path in list_contract_paths(folders.contracts):
        file = folders.contracts / f"{path}.json"
        try:
            contract = json.loads(file.read_text(encoding="utf-8-sig"))
            if "agent" not in contract:
                servers.append(_read_server(path, contract))
        except (ValueError, LookupError, TypeError, AttributeError):
            check = f"{program_name()} check"
            raise CommandError(f"{display_path(file)} is no valid contract; `{check}` says why") from None
    return servers


def _read_server(path: str, contract: Mapping[str, Any]) -> ProjectServer:
    return ProjectServer(
        path=path,
        name=contract["server"]["name"],
        tools=tuple(tool["name"] for tool in contract["tools"]),
        transports=tuple(contract.get("transports", DEFAULT_TRANSPORTS)),
    )


def find_server(folders: Folders, name: str) -> ProjectServer:
    """Return the server of the project with a *name*. Raises CommandError without exactly one."""
    servers = list_servers(folders)
    found = [server for server in servers if name in server.names]
    if not found:
        known = {each for server in servers for each in server.names}
        raise CommandError(f'{_project(folders)} has no server "{name}"; {_suggest(name, known, servers)}')
    return _only(found, name)


def find_tool(folders: Folders, words: str) -> tuple[ProjectServer, str]:
    """Return the server and the tool that *words* name as SERVER.TOOL.

    A tool whose name no other server has needs no SERVER. Raises CommandError.
    """
    servers = list_servers(folders)
    pairs = {
        f"{server.path}.{tool}": (server, tool)
        for server in servers
        for tool in server.tools
        if words == tool or words in {f"{name}.{tool}" for name in server.names}
    }
    if pairs:
        server = _only([server for server, _ in pairs.values()], words)
        return server, next(tool for found, tool in pairs.values() if found is server)
    for server in servers:
        for name in server.names:
            if words == name:
                raise CommandError(
                    f"name a tool of {server.name}: {', '.join(f'{name}.{each}' for each in server.tools)}"
                )
            if words.startswith(f"{name}."):
                tool = words.removeprefix(f"{name}.")
                raise CommandError(f'{server.name} has no tool "{tool}"; {suggest(tool, server.tools)}')
    name, dot, _ = words.partition(".")
    names = {each for server in servers for each in server.names}
    noun = "server" if dot else "tool or server"
    tools = set() if dot else {f"{server.path}.{tool}" for server in servers for tool in server.tools}
    raise CommandError(f'{_project(folders)} has no {noun} "{name}"; {_suggest(name, names | tools, servers)}')


def _only(found: Sequence[ProjectServer], name: str) -> ProjectServer:
    """Return the only one of the servers that a *name* fits. Raises CommandError for several."""
    if len(found) > 1:
        raise CommandError(f'"{name}" may be {" or ".join(each.path for each in found)}; write the path')
    return found[0]


def _project(folders: Folders) -> str:
    return f"the project in {display_path(folders.contracts)}"


def _suggest(name: str, known: set[str], servers: Sequence[ProjectServer]) -> str:
    """Return a hint: the nearest name, else the servers, whose tools would be too many."""
    hint = suggest(name, known)
    if hint.startswith("known here"):
        return f"its servers are {', '.join(each.path for each in servers)}"
    return hint if known else "it has no contract; pass --url or --command for other servers"


@asynccontextmanager
async def opened(
    options: ServerOptions,
    server: ProjectServer | None,
    status: StatusLine,
    *,
    sandbox: bool = False,
    callbacks: Mapping[str, Any] | None = None,
    faults: list[JsonObject] | None = None,
) -> AsyncIterator[SdkConnection]:
    """Provide an open connection to the named server, as `connected` does. Raises CommandError."""
    if options.url is not None and options.command is not None:
        raise CommandError("--url and --command name two servers; give one")
    target: StdioServerParameters | Address
    if options.url is not None:
        target, name = parse_address(options.url, options.token_env), options.url
    elif server and not sandbox and (url := find_served(options.folders.project.folder, server.path)):
        print(f"{server.name} is called at {url}, where `{program_name()} dev` serves it", file=sys.stderr)
        target, name = parse_address(url, options.token_env), server.name
    elif server is not None:
        target, name = _project_command(options.folders, server, sandbox=sandbox), server.name
    else:
        target, name = parse_command("--command", options.command or ""), f'"{options.command}"'
    async with connected(target, name, status, callbacks=callbacks, faults=faults) as connection:
        yield connection


def _project_command(folders: Folders, server: ProjectServer, *, sandbox: bool) -> StdioServerParameters:
    """Return the command of a server of the project. Raises CommandError if there is none."""
    from mcp import StdioServerParameters

    if "stdio" not in server.transports:
        raise CommandError(f"{server.name} does not speak MCP on stdio; start it, and call it with --url")
    if not (folders.output / server.path / "__main__.py").is_file():
        raise CommandError(f"{server.path} is not generated yet; run `{program_name()} generate`")
    check_freshness(folders, *server.path.split("/"))
    if sandbox and not folders.project.settings.get("sandbox"):
        raise CommandError(
            f"{server.name} has no sandbox; name a module in [tool.toolaccord] sandbox, and generate again"
        )
    environ = read_environment(folders.project.folder)
    paths = [*map(str, folders.handler_roots), environ.get("PYTHONPATH", "")]
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, dict.fromkeys(paths)))
    module = f"{folders.package}.{server.path.replace('/', '.')}"
    flags = ["--sandbox"] if sandbox else []
    return StdioServerParameters(
        command=sys.executable, args=["-m", module, *flags], env=environ, cwd=folders.project.folder
    )
