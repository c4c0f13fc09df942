"""The command line of a server."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from toolpact.config import process_settings
from toolpact.config.overrides import overrides
from toolpact.declarations.settings import Setting
from toolpact.declarations.tool import Server


def read(server: Server[Any], sandbox: str | None, argv: Sequence[str] | None) -> argparse.Namespace:
    """Return what the command line of *server* says; *sandbox* says whether there is one to choose. Exits where it is wrong."""
    parser = _parser(server, sandbox)
    options = parser.parse_args(argv)
    if options.transport != "stdio" and options.metrics_port is not None:
        parser.error("--metrics-port is for stdio; over HTTP the numbers are at /metrics")
    return options


def _parser(server: Server[Any], sandbox: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog=server.name,
        description=f"{server.description} Speaks MCP on standard input and output, or over HTTP.",
        epilog=_settings(server),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(sandbox=False)
    made.add_argument("--version", action="version", version=f"{server.name} {server.version}")
    made.add_argument("--transport", choices=["stdio", "http"], default="stdio", help="how calls arrive")
    made.add_argument("--host", default="127.0.0.1", help="the address to listen on over HTTP (default 127.0.0.1)")
    made.add_argument("--port", type=_port, default=8000, help="the port, 0 for any that is free (default 8000)")
    made.add_argument(
        "--metrics-port",
        type=_port,
        metavar="PORT",
        help="serve /metrics on this port of loopback, 0 for any; over stdio",
    )
    made.add_argument(
        "--reference", action="store_true", help="have the MCP SDK answer everything, without the fast path before it"
    )
    levels = ["debug", "info", "warning", "error"]
    made.add_argument("--log-level", choices=levels, default="info", help="what to log on standard error")
    if sandbox:
        made.add_argument("--sandbox", action="store_true", help="serve sample data; nothing need be installed")
    return made


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError
    return port


def _settings(server: Server[Any]) -> str:
    told = ["settings, read from the environment:", *map(_described, server.settings)]
    if limits := overrides(server):
        told += ["", "the contract's numbers, which the environment may replace:", *map(_described, limits)]
    return "\n".join([*told, "", "settings of every server:", *map(_described, process_settings.settings())])


def _described(setting: Setting) -> str:
    facts = (
        ["required"] if setting.required else [] if setting.default in {None, ""} else [f"default {setting.default}"]
    )
    facts += ["secret"] if setting.secret else []
    note = f" ({', '.join(facts)})" if facts else ""
    return f"  {setting.env}{note}\n      {setting.description}"
