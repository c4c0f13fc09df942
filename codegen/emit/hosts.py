"""MCP host configurations, with references to settings instead of values.

A reference to an unset variable must become an empty string. A server treats it as absent: it uses the default, or names
the missing setting. Where a host cannot guarantee that, its file references required settings only.
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
TIMEOUT_MARGIN_MS = 5000
"""Time that hosts add to the slowest deadline, so that the server's own error arrives first."""
STARTUP_TIMEOUT_MS = 60_000
"""Time for a server's start, when many servers start at once on a busy machine."""


def build_host_files(contracts: Sequence[Contract], layout: Layout) -> Tree:
    """Build the host configurations of each server and of each whole system."""
    files: Tree = {}
    for system in sorted({contract.system for contract in contracts}):
        servers = [contract for contract in contracts if contract.system == system]
        files |= _build_configurations(f"{system}/hosts", servers, layout)
        for server in servers:
            files |= _build_configurations(f"{system}/{server.module}/hosts", [server], layout)
    return files


def _build_configurations(folder: str, servers: Sequence[Contract], layout: Layout) -> Tree:
    """Build one file for each host, with all of the *servers*."""
    files = {f"{folder}/{name}": format_json(build(servers)) for name, build in HOSTS.items()}
    return files | {f"{folder}/codex.config.toml": _build_codex(servers, layout)}


def _build_opencode(servers: Sequence[Contract]) -> Json:
    """Configure OpenCode, https://opencode.ai/docs/mcp-servers.

    It replaces {env:NAME} in the file's text, by an empty string if the variable is not set.
    """

    def build_entry(server: Contract) -> Json:
        environment = {setting.env: f"{{env:{setting.env}}}" for setting in server.settings}
        entry = {"type": "local", "command": [server.name], "environment": environment}
        return entry | {"enabled": True, "timeout": _compute_timeout_ms(server)}

    return {"$schema": OPENCODE_SCHEMA, "mcp": _build_entries(servers, build_entry)}


def _build_claude_code(servers: Sequence[Contract]) -> Json:
    """Configure Claude Code, https://code.claude.com/docs/en/mcp.

    It leaves ${NAME} as written if the variable is not set; ${NAME:-} becomes an empty string.
    """

    def build_entry(server: Contract) -> Json:
        return _build_launch(server, "${%s:-}", server.settings, type="stdio")

    return {"mcpServers": _build_entries(servers, build_entry)}


def _build_claude_desktop(servers: Sequence[Contract]) -> Json:
    """Configure Claude Desktop.

    See https://modelcontextprotocol.io/docs/develop/connect-local-servers. It replaces no references and passes on neither PATH nor variables. The user's login shell therefore starts the
    server: it has both from the profile.
    """

    def build_entry(server: Contract) -> Json:
        return {"command": "/bin/sh", "args": ["-c", f"exec \"${{SHELL:-/bin/sh}}\" -lc 'exec {server.name}'"]}

    return {"mcpServers": _build_entries(servers, build_entry)}


def _build_vscode(servers: Sequence[Contract]) -> Json:
    """Configure VS Code, https://code.visualstudio.com/docs/copilot/reference/mcp-configuration.

    It prompts once for required and secret settings and stores them encrypted. Servers inherit the rest from VS Code's
    own environment.
    """
    prompted = {setting.env: setting for server in servers for setting in server.settings if _is_prompted(setting)}
    inputs = [
        {"type": "promptString", "id": env, "description": setting.description, "password": setting.secret}
        for env, setting in prompted.items()
    ]

    def build_entry(server: Contract) -> Json:
        return _build_launch(server, "${input:%s}", filter(_is_prompted, server.settings), type="stdio")

    return {"inputs": inputs, "servers": _build_entries(servers, build_entry)}


def _is_prompted(setting: Setting) -> bool:
    """Tell if VS Code prompts its user for a setting."""
    return setting.required or setting.secret


def _build_cursor(servers: Sequence[Contract]) -> Json:
    """Configure Cursor, https://cursor.com/docs/mcp.

    Its documentation does not describe an unset ${env:NAME}, so only required settings are referenced.
    """

    def build_entry(server: Contract) -> Json:
        required = (setting for setting in server.settings if setting.required)
        return _build_launch(server, "${env:%s}", required, type="stdio")

    return {"mcpServers": _build_entries(servers, build_entry)}


def _build_gemini(servers: Sequence[Contract]) -> Json:
    """Configure Gemini CLI, https://geminicli.com/docs/tools/mcp-server.

    It removes variables that look secret from a server's environment unless the file names them.
    """

    def build_entry(server: Contract) -> Json:
        return _build_launch(server, "${%s:-}", server.settings) | {"timeout": _compute_timeout_ms(server)}

    return {"mcpServers": _build_entries(servers, build_entry)}


def _build_codex(servers: Sequence[Contract], layout: Layout) -> str:
    """Configure Codex, https://developers.openai.com/codex/mcp.

    It passes on each variable of env_vars that is set, under its own name.
    """
    names = ", ".join(server.document.name for server in servers)
    tables = [f"# {layout.header(names)}\n"]
    for server in servers:
        # TOML's basic strings have the same escapes as JSON's.
        lines = [
            f"[mcp_servers.{host_tool_name(server.name)}]",
            f"command = {json.dumps(server.name)}",
            f"env_vars = {json.dumps([setting.env for setting in server.settings])}",
            f"startup_timeout_sec = {STARTUP_TIMEOUT_MS // 1000}",
            f"tool_timeout_sec = {_compute_timeout_ms(server) // 1000}",
        ]
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


HOSTS: dict[str, Callable[[Sequence[Contract]], Json]] = {
    "opencode.json": _build_opencode,
    "claude-code.mcp.json": _build_claude_code,
    "claude-desktop.json": _build_claude_desktop,
    "vscode.mcp.json": _build_vscode,
    "cursor.mcp.json": _build_cursor,
    "gemini.settings.json": _build_gemini,
}
"""Builders of the JSON configurations, by file name."""


def _build_entries(servers: Sequence[Contract], build_entry: Callable[[Contract], Json]) -> Json:
    """Build the entries of all servers, by the names that hosts accept."""
    return {host_tool_name(server.name): build_entry(server) for server in servers}


def _build_launch(server: Contract, reference: str, settings: Iterable[Setting], **members: str) -> Json:
    """Build the launch of a server by its command, with references in the host's syntax."""
    environment = {setting.env: reference % setting.env for setting in settings}
    return {**members, "command": server.name, "args": [], "env": environment}


def _compute_timeout_ms(server: Contract) -> int:
    """Compute a host's timeout for any call, in milliseconds rounded up to whole seconds."""
    slowest = max(tool.timeout_ms for tool in server.tools)
    return max(-(-slowest // 1000) * 1000 + TIMEOUT_MARGIN_MS, STARTUP_TIMEOUT_MS)
