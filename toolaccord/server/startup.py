"""Start of a process, a server's or an agent's: environment, log, exit code."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path
from typing import Any

from toolaccord import extras, shutdown
from toolaccord.config import process_settings
from toolaccord.contract.settings import Setting
from toolaccord.declarations.settings import SettingsError
from toolaccord.sources import SourceDeclaration
from toolaccord.sources.addresses import is_plain
from toolaccord.telemetry import json_logs
from toolaccord.telemetry.log_file import LogFile
from toolaccord.telemetry.redaction import Redactor

_LOG = logging.getLogger(__name__)


class StartError(Exception):
    """The process cannot start; the text says why."""


class UnsuitableOption(Exception):
    """The server cannot have an option of its command line; the text says why, and the way out."""


def report_errors(name: str, run: Callable[[], int], hint: str = "") -> int:
    """Return the exit code of *run*, and report an error of the start.

    The report begins with *name*. The code is 1 for a StartError, 2 for invalid settings, which *hint* follows, for an
    unsuitable option, and for a driver that is not installed.
    """
    try:
        return run()
    except SettingsError as error:
        sys.stderr.write(f"{name}: {error}{hint}\n")
        return 2
    except (process_settings.UnprotectedServer, extras.MissingExtra, UnsuitableOption) as error:
        sys.stderr.write(f"{name}: {error}\n")
        return 2
    except StartError as error:
        sys.stderr.write(f"{name}: {error}\n")
        return 1


def list_source_kinds(sources: Iterable[SourceDeclaration]) -> dict[str, str]:
    """Return the kind of the source for each setting that holds the address of one."""
    addresses = ("url", "endpoint", "target", "server")
    found = ((getattr(each, key, None), each.kind) for each in sources for key in addresses)
    return {name: kind for name, kind in found if isinstance(name, str)}


def configure_log(
    level: str, path: Path | None, secrets: Iterable[Any], constants: Mapping[str, Any] | None = None
) -> Redactor:
    """Write the log to *path*, else to standard error, without *secrets*.

    Each line has *constants*. Return what removes them. Raises StartError if the file cannot be opened.
    """
    redactor = Redactor(secrets)
    try:
        log_file = LogFile(path) if path else None
    except OSError as error:
        raise StartError(f"cannot open the log file {path}: {error.strerror}") from error
    json_logs.configure(level.upper(), redactor, log_file=log_file, constants=constants)
    return redactor


def warn_of_plain_sources(kinds: Mapping[str, str], settings: Iterable[Setting], values: Mapping[str, Any]) -> None:
    """Log which *settings* lead to sources beyond this machine without TLS.

    *kinds* has the kind of the source for each setting that is an address.
    """
    plain = [each.env for each in settings if is_plain(kinds.get(each.name, ""), str(values.get(each.name) or ""))]
    if plain:
        _LOG.warning(
            "the traffic of these sources can be read on its way, as they have no TLS: %s; see docs/operations.md",
            ", ".join(plain),
        )


def run_loop(work: Coroutine[Any, Any, None], noun: str) -> int:
    """Run *work* of a *noun*, such as `server`, to its end; return the exit code.

    Raises StartError and MissingExtra.
    """
    shutdown.block_signals()  # an exit here would leave a loop half made, or work that never starts
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_run_with_signals(work))
    except (StartError, extras.MissingExtra):
        raise
    except Exception:
        _LOG.exception("the %s failed", noun)
        return 1
    finally:
        loop.close()
    return 0


async def _run_with_signals(work: Coroutine[Any, Any, None]) -> None:
    """Run *work*, after delivering the signals that arrived before it."""
    try:
        shutdown.deliver_signals()
    except SystemExit:
        work.close()  # else Python warns that it never ran
        raise
    await work
