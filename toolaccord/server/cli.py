"""Command line of a server."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolaccord.config import process_settings
from toolaccord.config.ask_settings import list_ask_settings
from toolaccord.config.overrides import list_overrides
from toolaccord.config.session_settings import list_session_settings
from toolaccord.contract.settings import Setting
from toolaccord.declarations.tool import WORK, Server
from toolaccord.server.options import Options, choose_transport
from toolaccord.server.transports import TRANSPORTS

_HIGHEST_PORT = 65535
_PORT_DIGITS = 5
_MOST_WORKERS = 64


def parse_arguments(server: Server[Any], argv: Sequence[str], *, has_sandbox: bool) -> Options:
    """Return the options of *server* in *argv*.

    Exits on invalid ones, and for `--help`.
    """
    parser = _create_parser(server, has_sandbox=has_sandbox)
    values = vars(parser.parse_args(argv))
    transport = values.pop("transport").replace("-", "_")
    options = Options(transport=WORK if values.pop("work", False) else transport, **values)
    for name, reason in TRANSPORTS[options.transport].rejected_options.items():
        if not any(getattr(options, name) is default for default in (None, False)):  # 0 is a port
            parser.error(reason)
    return options


def _create_parser(server: Server[Any], *, has_sandbox: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=server.name,
        description=f"{server.description} Speaks {' or '.join(TRANSPORTS[each].protocol for each in server.transports)}.",
        epilog=_describe_settings(server),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("--version", action="version", version=f"{server.name} {server.version}")
    transports = [transport.replace("_", "-") for transport in server.transports]
    default = choose_transport(transports)
    parser.add_argument("--transport", choices=transports, default=default, help=f"transport (default {default})")
    parser.add_argument("--host", help="address to listen on over HTTP (default localhost: 127.0.0.1 and ::1)")
    parser.add_argument("--port", type=port, help="port to listen on over HTTP, 0 for any free one (default 8000)")
    parser.add_argument(
        "--workers",
        type=workers,
        metavar="N",
        help="processes that serve over HTTP, which share the port and divide limits (default 1); "
        "SIGHUP replaces them one after the other",
    )
    parser.add_argument(
        "--metrics-port",
        type=port,
        metavar="PORT",
        help="over standard input and output, serve /metrics on this port of loopback, 0 for any free one",
    )
    parser.add_argument(
        "--reference", action="store_true", help="answer everything by the MCP SDK, without the fast path"
    )
    if server.task_store:
        parser.add_argument(
            "--work", action="store_true", help="serve nothing, and run tasks that other processes store"
        )
    add_log_arguments(parser)
    if has_sandbox:
        parser.add_argument("--sandbox", action="store_true", help="serve sample data, without any installation")
    return parser


def add_log_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the log."""
    levels = ["debug", "info", "warning", "error"]
    parser.add_argument("--log-level", choices=levels, default="info", help="lowest level to log (default info)")
    parser.add_argument(
        "--log-file", type=Path, metavar="PATH", help="append the log to this file, instead of standard error"
    )


def port(text: str) -> int:
    """Return the port in *text*. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _PORT_DIGITS and int(text) <= _HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"{text!r} is no port; a port is a number from 0 to {_HIGHEST_PORT}")
    return int(text)


def workers(text: str) -> int | None:
    """Return the number of workers in *text*; None for 1, the process itself.

    Raises ArgumentTypeError.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= _PORT_DIGITS and 1 <= int(text) <= _MOST_WORKERS):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of workers; it is a number from 1 to {_MOST_WORKERS}")
    return int(text) if int(text) > 1 else None


def _describe_settings(server: Server[Any]) -> str:
    lines = ["settings, read from the environment:"]
    for setting in server.settings:
        read_on = [each for each in server.transports if setting in server.on(each).settings]
        lines.append(describe(setting, () if len(read_on) == len(server.transports) else read_on))
    if overrides := list_overrides(server):
        lines += ["", "limits of the contract, which the environment may replace:", *map(describe, overrides)]
    common = [*process_settings.list_settings(), *list_session_settings(server), *list_ask_settings(server)]
    return "\n".join([*lines, "", "settings of every server:", *map(describe, common)])


def describe(setting: Setting, transports: Sequence[str] = ()) -> str:
    """Describe a setting, which only *transports* read if there are some."""
    required = f"required over {' and '.join(transports).replace('_', '-')}" if transports else "required"
    notes = [required] if setting.required else [] if setting.default in {None, ""} else [f"default {setting.default}"]
    notes += ["secret"] if setting.secret else []
    suffix = f" ({', '.join(notes)})" if notes else ""
    return f"  {setting.env}{suffix}\n      {setting.description}"
