"""A server as a process: its command line, its settings, and a stop that takes bounded time."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from runtime import observability, settings
from runtime.clock import SystemClock
from runtime.overrides import overridden, overrides
from runtime.settings import Setting, SettingsError

if TYPE_CHECKING:
    from runtime.sources import Source
    from runtime.tool import Server
    from runtime.transports.frames import Wire

_LOG = logging.getLogger(__name__)
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_STOP_S = 2.5
"""Seconds after which a stopping process ends whatever still runs."""
_STEP_S = 0.8
"""Seconds for each step of stopping: calls in flight, connections, what is left."""


class SandboxUnavailable(Exception):
    """The sandbox could not be started; the text says why."""


def run(server: Server[Any], sandbox: str | None = None, argv: Sequence[str] | None = None) -> int:
    """Serve *server* on standard input and output until the input ends or a signal says so; return the exit code.

    0 after serving, 1 when the server or its sandbox broke down, 2 when the command line or the settings are wrong. *sandbox* names
    the module that `--sandbox` takes settings from.
    """
    options = _parser(server, sandbox).parse_args(argv)
    from runtime.transports.frames import Wire  # noqa: PLC0415 - asked for help, a server need not be ready to serve

    wire = Wire.claim()
    for each in _STOP_SIGNALS:
        signal.signal(each, _leave)
    try:
        with _environment(server, options.sandbox and sandbox) as environ:
            values = settings.read([*server.settings, *overrides(server)], environ, _addresses(server))
            server = overridden(server, values)
            secrets = (values[setting.name] for setting in server.settings if setting.secret)
            observability.configure(options.log_level.upper(), observability.Redactor(secrets))
            return _serve(server, values, wire)
    except SettingsError as problem:
        hint = "\nOr try the server with --sandbox, on sample data." if sandbox and not options.sandbox else ""
        sys.stderr.write(f"{server.name}: {problem}{hint}\n")
        return 2
    except SandboxUnavailable as problem:
        sys.stderr.write(f"{server.name}: {problem}\n")
        return 1


def _addresses(server: Server[Any]) -> dict[str, str]:
    """Return the settings that hold the URL of a source, by name, and the kind of the source."""
    return {source.url: source.kind for source in server.sources if hasattr(source, "url")}


# --- the command line ----------------------------------------------------------------------------------------------


def _parser(server: Server[Any], sandbox: str | None) -> argparse.ArgumentParser:
    told = ["settings, read from the environment:", *map(_described, server.settings)]
    if limits := overrides(server):
        told += ["", "the contract's numbers, which the environment may replace:", *map(_described, limits)]
    parser = argparse.ArgumentParser(
        prog=server.name,
        description=f"{server.description} Speaks MCP on standard input and output.",
        epilog="\n".join(told),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(sandbox=False)
    parser.add_argument("--version", action="version", version=f"{server.name} {server.version}")
    levels = ["debug", "info", "warning", "error"]
    parser.add_argument("--log-level", choices=levels, default="info", help="what to log on standard error")
    if sandbox:
        parser.add_argument("--sandbox", action="store_true", help="serve sample data; nothing need be installed")
    return parser


def _described(setting: Setting) -> str:
    facts = (
        ["required"] if setting.required else [] if setting.default in {None, ""} else [f"default {setting.default}"]
    )
    facts += ["secret"] if setting.secret else []
    note = f" ({', '.join(facts)})" if facts else ""
    return f"  {setting.env}{note}\n      {setting.description}"


@contextmanager
def _environment(server: Server[Any], sandbox: str | None) -> Iterator[Mapping[str, str]]:
    """Give the environment; where *sandbox* names a module, with what that module gives in its place."""
    if not sandbox:
        yield os.environ
        return
    sys.stderr.write(f"{server.name}: starting the sandbox\n")
    names = [setting.env for setting in server.settings]
    with ExitStack() as stack:
        try:
            given = stack.enter_context(importlib.import_module(sandbox).environment(names))
        except Exception as error:
            raise SandboxUnavailable(f"the sandbox did not start: {error}") from error
        sys.stderr.write(f"{server.name}: the sandbox gives {', '.join(sorted(given)) or 'nothing'}\n")
        yield {**os.environ, **given}


# --- serving and stopping ------------------------------------------------------------------------------------------


def _leave(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


def _serve(server: Server[Any], values: Mapping[str, Any], wire: Wire) -> int:
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_live(server, values, wire))
    except Exception:
        _LOG.exception("the server broke down")
        return 1
    finally:
        loop.close()


async def _live(server: Server[Any], values: Mapping[str, Any], wire: Wire) -> int:
    """Serve until the end of input or a signal, and leave nothing open."""
    from runtime.pipeline import Pipeline  # noqa: PLC0415 - see run
    from runtime.transports import stdio  # noqa: PLC0415
    from runtime.transports.mcp import mcp_server  # noqa: PLC0415

    clock = SystemClock()
    sources = {source.name: source.open(values, clock) for source in server.sources}
    served = mcp_server(server, Pipeline(server, sources, values, clock))
    warming: list[asyncio.Task[None]] = []
    drain_s = 1 + max((tool.timeout_ms / 1000 for tool in server.tools), default=0)
    serving = asyncio.create_task(
        stdio.serve(
            served, wire, drain_s=drain_s, warm_up=lambda: warming.append(asyncio.create_task(_warm_up(sources)))
        )
    )
    stopping = _stop_signal()
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    _end_by_force_later()
    ended = serving.done()
    await _stop(serving, sources)
    if ended:
        serving.result()
    return 0


def _stop_signal() -> asyncio.Future[None]:
    """Return a future that a signal fulfils. The signal also sets the limit for a loop that is stuck."""
    loop = asyncio.get_running_loop()
    stopping: asyncio.Future[None] = loop.create_future()

    def stop(_signal: int, _frame: object) -> None:
        _end_by_force_later()
        if not loop.is_closed():  # else the process is on its way out already
            loop.call_soon_threadsafe(lambda: None if stopping.done() else stopping.set_result(None))

    for each in _STOP_SIGNALS:
        signal.signal(each, stop)
    return stopping


def _end_by_force_later() -> None:
    """End the process in bounded time, even if a handler or a thread never lets go."""
    timer = threading.Timer(_STOP_S, _end_by_force)
    timer.daemon = True
    timer.start()


def _end_by_force() -> NoReturn:
    observability.last_words(f"the process is ended by force: something still runs {_STOP_S} s after it was to stop")
    os._exit(0)


async def _stop(serving: asyncio.Task[None], sources: Mapping[str, Source]) -> None:
    """Give up the calls in flight, close the sources, and cancel what is left; each step has its limit."""
    serving.cancel()
    await asyncio.wait({serving}, timeout=_STEP_S)
    if serving.done() and not serving.cancelled() and (fault := serving.exception()):
        _LOG.debug("the protocol was cut short", exc_info=fault)  # as asked: it is no news
    if closing := {asyncio.create_task(_close(name, source)) for name, source in sources.items()}:
        await asyncio.wait(closing, timeout=_STEP_S)
    if left := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=_STEP_S)


async def _close(name: str, source: Source) -> None:
    try:
        await source.close()
    except Exception:
        _LOG.exception("source %s did not close", name)


async def _warm_up(sources: Mapping[str, Source]) -> None:
    """Connect ahead of the first call; a source that is away now may be there later."""
    for name, source in sources.items():
        try:
            await source.start()
        except Exception as error:
            _LOG.warning("source %s is not there yet: %s", name, error)
