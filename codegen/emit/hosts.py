"""Host configurations: how each host starts the servers, in its own format, with references in place of values.

A reference to a variable that is not set must come out empty, which a server takes as absent: then it uses its
default, or says what is missing. Where a host cannot promise that, its file names required settings alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from codegen.emit.output_tree import Tree
from codegen.ir.contract import Contract, Setting
from codegen.ir.layout import Layout
from codegen.loading.json_parser import format_json
from codegen.naming import host_tool_name

Json = dict[str, Any]

OPENCODE_SCHEMA = "https://opencode.ai/config.json"
MARGIN_MS = 5000
"""What a host waits longer than the slowest tool may take, so that the server's own error comes first."""
START_MS = 60_000
"""How long a server may take to start, many at once on a busy machine."""


def host_files(contracts: Sequence[Contract], layout: Layout) -> Tree:
    """The configurations of each server, and those of each system's servers together."""
    files: Tree = {}
    for system in sorted({contract.system for contract in contracts}):
        servers = [contract for contract in contracts if contract.system == system]
        files |= configurations(f"{system}/hosts", servers, layout)
        for server in servers:
            files |= configurations(f"{system}/{server.module}/hosts", [server], layout)
    return files


def configurations(folder: str, servers: Sequence[Contract], layout: Layout) -> Tree:
    """One file a host, each with all of the servers."""
    files = {f"{folder}/{name}": format_json(make(servers)) for name, make in HOSTS.items()}
    return files | {f"{folder}/codex.config.toml": codex(servers, layout)}


def opencode(servers: Sequence[Contract]) -> Json:
    """OpenCode, https://opencode.ai/docs/mcp-servers: {env:NAME} is replaced in the file's text, by nothing if not set."""

    def entry(server: Contract) -> Json:
        environment = {setting.env: f"{{env:{setting.env}}}" for setting in server.settings}
        about = {"type": "local", "command": [server.name], "environment": environment}
        return about | {"enabled": True, "timeout": patience_ms(server)}

    return {"$schema": OPENCODE_SCHEMA, "mcp": entries(servers, entry)}


def claude_code(servers: Sequence[Contract]) -> Json:
    """Claude Code, https://code.claude.com/docs/en/mcp: ${NAME} that is not set stays as it is written, ${NAME:-} does not."""
    return {"mcpServers": entries(servers, lambda server: started(server, "${%s:-}", server.settings, type="stdio"))}


def claude_desktop(servers: Sequence[Contract]) -> Json:
    """Claude Desktop, https://modelcontextprotocol.io/docs/develop/connect-local-servers.

    It replaces nothing in its file and hands on neither PATH nor variables, so that the server is started by the
    user's login shell, which has both from the profile.
    """

    def entry(server: Contract) -> Json:
        return {"command": "/bin/sh", "args": ["-c", f"exec \"${{SHELL:-/bin/sh}}\" -lc 'exec {server.name}'"]}

    return {"mcpServers": entries(servers, entry)}


def vscode(servers: Sequence[Contract]) -> Json:
    """VS Code, https://code.visualstudio.com/docs/copilot/reference/mcp-configuration.

    It asks for what is required or secret, once, and keeps it encrypted. The rest comes from its own environment, which servers inherit.
    """
    asked = {setting.env: setting for server in servers for setting in server.settings if is_asked(setting)}
    inputs = [
        {"type": "promptString", "id": env, "description": setting.description, "password": setting.secret}
        for env, setting in asked.items()
    ]

    def entry(server: Contract) -> Json:
        return started(server, "${input:%s}", filter(is_asked, server.settings), type="stdio")

    return {"inputs": inputs, "servers": entries(servers, entry)}


def is_asked(setting: Setting) -> bool:
    """Whether VS Code asks its user for a setting."""
    return setting.required or setting.secret


def cursor(servers: Sequence[Contract]) -> Json:
    """Cursor, https://cursor.com/docs/mcp: what becomes of ${env:NAME} that is not set, it does not say."""

    def entry(server: Contract) -> Json:
        required = (setting for setting in server.settings if setting.required)
        return started(server, "${env:%s}", required, type="stdio")

    return {"mcpServers": entries(servers, entry)}


def gemini(servers: Sequence[Contract]) -> Json:
    """Gemini CLI, https://geminicli.com/docs/tools/mcp-server: it keeps back variables that look secret and are not named."""

    def entry(server: Contract) -> Json:
        return started(server, "${%s:-}", server.settings) | {"timeout": patience_ms(server)}

    return {"mcpServers": entries(servers, entry)}


def codex(servers: Sequence[Contract], layout: Layout) -> str:
    """Codex, https://developers.openai.com/codex/mcp: env_vars are handed on under their own names, if they are set."""
    names = ", ".join(server.document.name for server in servers)
    tables = [f"# {layout.header(names)}\n"]
    for server in servers:
        # A basic string of TOML escapes as one of JSON does.
        lines = [
            f"[mcp_servers.{host_tool_name(server.name)}]",
            f"command = {json.dumps(server.name)}",
            f"env_vars = {json.dumps([setting.env for setting in server.settings])}",
            f"startup_timeout_sec = {START_MS // 1000}",
            f"tool_timeout_sec = {patience_ms(server) // 1000}",
        ]
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


HOSTS: dict[str, Callable[[Sequence[Contract]], Json]] = {
    "opencode.json": opencode,
    "claude-code.mcp.json": claude_code,
    "claude-desktop.json": claude_desktop,
    "vscode.mcp.json": vscode,
    "cursor.mcp.json": cursor,
    "gemini.settings.json": gemini,
}
"""The hosts whose configuration is JSON."""


def entries(servers: Sequence[Contract], entry: Callable[[Contract], Json]) -> Json:
    """The servers by the names under which hosts know them."""
    return {host_tool_name(server.name): entry(server) for server in servers}


def started(server: Contract, reference: str, settings: Iterable[Setting], **about: str) -> Json:
    """A server that is started by its name, with references to settings in the host's form."""
    return {**about, "command": server.name, "args": [], "env": {each.env: reference % each.env for each in settings}}


def patience_ms(server: Contract) -> int:
    """How long a host should wait for an answer, the first one included, in milliseconds; whole seconds."""
    slowest = max(tool.timeout_ms for tool in server.tools)
    return max(-(-slowest // 1000) * 1000 + MARGIN_MS, START_MS)
