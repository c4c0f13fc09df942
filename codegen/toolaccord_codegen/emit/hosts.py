"""MCP host configurations, with references to settings instead of values.

A reference to an unset variable must become an empty string. A server treats it as absent: it uses the default, or
names the missing setting. Where a host cannot guarantee that, its file references required settings only.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout

HOSTS = (
    "claude-code.mcp.json",
    "claude-desktop.json",
    "codex.config.toml",
    "cursor.mcp.json",
    "gemini.settings.json",
    "opencode.json",
    "vscode.mcp.json",
)
"""The file of each host; its template says how the host treats references."""
TIMEOUT_MARGIN_S = 5
"""Time that hosts add to the slowest deadline, so that the server's own error arrives first."""
STARTUP_TIMEOUT_S = 60
"""Time for a server's start, when many servers start at once on a busy machine."""


def build_system_host_files(contracts: Sequence[Contract], layout: Layout) -> Tree:
    """Build the host configurations of each whole system, with its servers over stdio."""
    files: Tree = {}
    started = [contract.on("stdio") for contract in contracts if "stdio" in contract.transports]
    for system in sorted({contract.system for contract in started}):
        servers = [contract for contract in started if contract.system == system]
        files |= _build_configurations(f"{system}/hosts", servers, layout)
    return files


def build_server_host_files(contract: Contract, layout: Layout) -> Tree:
    """Build the host configurations of a server; there are none without stdio."""
    if "stdio" not in contract.transports:
        return {}
    return _build_configurations(f"{contract.system}/{contract.module}/hosts", [contract.on("stdio")], layout)


def _build_configurations(folder: str, servers: Sequence[Contract], layout: Layout) -> Tree:
    """Build one file for each host, with all of the *servers*."""
    return {f"{folder}/{name}": format_configuration(name, servers, layout) for name in HOSTS}


def format_configuration(name: str, servers: Sequence[Contract], layout: Layout, agent: Agent | None = None) -> str:
    """Format a host's file with all of the *servers*, and for OpenCode perhaps with an *agent*."""
    settings = [setting for server in servers for setting in server.settings if setting.is_prompted]
    return render_template(
        f"hosts/{name}",
        layout,
        servers=servers,
        names=", ".join(server.document.name for server in servers),
        agent=agent,
        prompted=list({setting.env: setting for setting in settings}.values()),
        startup_timeout_s=STARTUP_TIMEOUT_S,
        timeouts_s={server.name: _compute_timeout_s(server) for server in servers},
    )


def _compute_timeout_s(server: Contract) -> int:
    """Compute a host's timeout for any call, in whole seconds, rounded up."""
    slowest = max(tool.timeout_ms for tool in server.tools)
    return max(-(-slowest // 1000) + TIMEOUT_MARGIN_S, STARTUP_TIMEOUT_S)
