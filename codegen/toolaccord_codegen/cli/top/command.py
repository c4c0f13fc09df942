"""The command `top`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeAlias
from urllib.parse import urlsplit

import httpx2
from rich.console import Console, RenderableType
from rich.live import Live

from toolaccord.telemetry.worker_metrics import Snapshot
from toolaccord_codegen.cli.options.top import TopOptions
from toolaccord_codegen.cli.servers.connections import Address
from toolaccord_codegen.cli.top.figures import add_traffic, compute_figures
from toolaccord_codegen.cli.top.scraping import (
    METRICS,
    Look,
    NoMetrics,
    Reading,
    compute_rates,
    list_readings,
    parse_target,
    scrape_all,
)
from toolaccord_codegen.cli.top.table import ServerLine, draw
from toolaccord_codegen.diagnostics import CommandError

Show: TypeAlias = Callable[[RenderableType], None]
Wait: TypeAlias = Callable[[float], Awaitable[None]]


def run(options: TopOptions) -> int:
    """Show figures of servers until Ctrl-C, or once; return 0.

    Raises CommandError if no server sends its metrics, or for a wrong URL.
    """
    targets = [parse_target(url, options.token_env) for url in options.urls]
    console = Console(highlight=False)
    if options.once or not console.is_terminal:
        asyncio.run(watch(targets, options.interval, console, once=True, show=console.print))
        return 0
    last: RenderableType = ""
    try:
        with Live(console=console, screen=True, auto_refresh=False) as screen:

            def show(table: RenderableType) -> None:
                nonlocal last
                last = table
                screen.update(table, refresh=True)

            asyncio.run(watch(targets, options.interval, console, show=show))
    except KeyboardInterrupt:
        console.print(last)
    return 0


async def watch(
    targets: Sequence[Address],
    interval_s: float,
    console: Console,
    *,
    show: Show,
    once: bool = False,
    wait: Wait = asyncio.sleep,
) -> None:
    """Show a table after each interval, or after the first one alone.

    Raises CommandError if no server sends its metrics at first, or ever with *once*.
    """
    if not once:
        show(f"the first figures come in {interval_s:g} s")
    async with httpx2.AsyncClient() as client:
        before = _require_one(targets, await scrape_all(client, targets))
        while True:
            await wait(interval_s)
            after = await scrape_all(client, targets)
            if once:
                _require_one(targets, after)
            show(_draw(targets, before, after, interval_s, console, is_whole=once))
            if once:
                return
            before = after


def _require_one(targets: Sequence[Address], look: Look) -> Look:
    """Return a look in which a server sent its metrics. Raises CommandError."""
    if not list_readings(look):
        faults = [f"{target.url} {fault}" for target, fault in zip(targets, look, strict=True)]
        raise CommandError("\n".join(faults))
    return look


def _draw(
    targets: Sequence[Address], before: Look, after: Look, interval_s: float, console: Console, *, is_whole: bool
) -> RenderableType:
    """Return the table of the time between two looks.

    It is cut to the height of *console* unless *is_whole*.
    """
    rates = [
        compute_rates(earlier, later) if isinstance(earlier, Reading) and isinstance(later, Reading) else []
        for earlier, later in zip(before, after, strict=True)
    ]
    figures = compute_figures(rates, [each.metrics for each in list_readings(after)])
    lines = [
        _describe(_label(target.url), rate, later) for target, rate, later in zip(targets, rates, after, strict=True)
    ]
    if len(targets) > 1:
        lines.append(ServerLine("all", add_traffic("all", figures.tools)))
    title = f"{datetime.now().astimezone():%H:%M:%S}, the last {interval_s:g} s"
    return draw(title, lines, figures, console.width, None if is_whole else console.height)


def _describe(name: str, rates: Snapshot, later: Reading | NoMetrics) -> ServerLine:
    if isinstance(later, NoMetrics):
        return ServerLine(name, None, f"{later}; waiting for it")
    own = compute_figures([rates], [later.metrics])
    return ServerLine(name, add_traffic(name, own.tools))


def _label(url: str) -> str:
    """Return the part of a URL that tells servers apart."""
    parts = urlsplit(url)
    return f"{parts.netloc.rpartition('@')[2]}{parts.path.removesuffix(METRICS)}"
