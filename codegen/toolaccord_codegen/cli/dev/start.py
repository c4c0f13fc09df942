"""Start of a session: port, watcher, terminal and browser."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from toolaccord.telemetry.text_logs import TextFormat
from toolaccord.transports.http import listening
from toolaccord_codegen.cli.dev.databases import Databases
from toolaccord_codegen.cli.dev.project import DevProject
from toolaccord_codegen.cli.dev.screen import Screen
from toolaccord_codegen.cli.dev.session import Session
from toolaccord_codegen.cli.dev.watching import Saves
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.dev import DevOptions
from toolaccord_codegen.cli.parser import parse
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.documents import display_path, list_json_files
from toolaccord_codegen.reporting.colour import TerminalStyle

_HOST = "localhost"
PORT = 8000


def serve(options: DevOptions) -> int:
    """Serve until Ctrl-C; return 0.

    Raises CommandError if the port is in use, or without such a server.
    """
    folders = options.generate.folders
    if not any(list_json_files(folders.contracts)):
        start = f"`{program_name()} init SYSTEM/NAME` starts a project"
        raise CommandError(f"{display_path(folders.contracts)} has no contract: {start}")
    root = folders.project.folder.resolve()
    screen = Screen(TerminalStyle.of(sys.stderr), _choose_format(options, root))
    sockets = listen(options.port, screen)
    saves = Saves(root, folders.contracts.resolve(), folders.output.resolve())
    browse = sys.stdout.isatty() and not options.no_browser and has_browser(os.environ, sys.platform)
    databases = Databases(root, screen.note)
    project = DevProject(options, _read_options, databases)
    try:
        asyncio.run(Session(project, sockets, saves, screen, open_page if browse else None).run())
    finally:
        databases.close()
    return 0


def _read_options() -> DevOptions:
    """Read the options of this process again.

    Raises CommandError for an invalid [tool.toolaccord].
    """
    options = parse(None).options
    assert isinstance(options, DevOptions)
    return options


def _choose_format(options: DevOptions, root: Path) -> TextFormat | None:
    """Return the form of the log on a terminal; None in a pipe, which gets JSON."""
    if options.json or not sys.stdout.isatty():
        return None
    return TextFormat(TerminalStyle.of(sys.stdout).on, shutil.get_terminal_size().columns, root)


def listen(port: int | None, screen: Screen) -> list[socket.socket]:
    """Return the listening sockets; by default on a free port if port 8000 is in use.

    Raises CommandError.
    """
    try:
        return listening.listen(_HOST, PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise CommandError(f"cannot listen on {_HOST} port {port}: {error.strerror}") from error
    screen.note(f"port {PORT} is in use, so this server takes another one")
    return listening.listen(_HOST, 0)


def has_browser(environ: Mapping[str, str], platform: str) -> bool:
    """Return whether a browser with windows can be opened: not in CI, nor without a display."""
    if environ.get("CI"):
        return False
    return platform in {"darwin", "win32"} or any(map(environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def open_page(url: str) -> None:
    """Open a page in the browser, whose messages would disturb the terminal."""
    subprocess.Popen(  # noqa: S603 - the standard library's own module
        [sys.executable, "-m", "webbrowser", url],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
