"""Chaos switches of a sandbox: relays before its addresses, as SANDBOX_FAULTS says."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from anyio.from_thread import start_blocking_portal

from toolaccord.testing.faults import Relay

VARIABLE = "SANDBOX_FAULTS"
"""Environment variable with faults, such as `DATABASE_URL:delay=2, REDIS_URL:refuse`.

It may name a file of them instead.
"""
_PAUSE_S = 0.1
"""Seconds between two looks at the file."""
_Faults: TypeAlias = Sequence[tuple[Relay, str, str]]


@contextmanager
def relayed(values: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Yield the variables of a sandbox, with relays before all addresses for SANDBOX_FAULTS.

    The relays have a thread of their own. Raises ValueError for faults that no relay has.
    """
    text = os.environ.get(VARIABLE)
    if not text:
        yield values
        return
    relays: dict[str, Relay] = {}
    for name, value in values.items():
        with suppress(ValueError):  # a value that is no address of a socket
            relays[name] = Relay(value)
    file = Path(text)
    read = file.read_text if file.is_file() else lambda: text
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(_run(relays, read, is_file=file.is_file())),
    ):
        yield {**values, **{name: relay.url for name, relay in relays.items()}}


@asynccontextmanager
async def _run(relays: Mapping[str, Relay], read: Callable[[], str], *, is_file: bool) -> AsyncIterator[None]:
    """Run *relays* with the faults that *read* returns. Raises ValueError."""
    async with AsyncExitStack() as stack:
        for relay in relays.values():
            await stack.enter_async_context(relay.running())
        text = read()
        await _turn(relays, text)
        watching = asyncio.create_task(_watch(relays, read, text)) if is_file else None
        try:
            yield
        finally:
            if watching:
                watching.cancel()


async def _watch(relays: Mapping[str, Relay], read: Callable[[], str], text: str) -> None:
    """Turn the switches again whenever the text that *read* returns is another one."""
    while True:
        await asyncio.sleep(_PAUSE_S)
        try:
            before, text = text, read()
            if text != before:
                await _turn(relays, text)
        except (OSError, ValueError) as error:
            sys.stderr.write(f"sandbox: {error}\n")


async def _turn(relays: Mapping[str, Relay], text: str) -> None:
    """Give *relays* the faults in *text*, and no others. Raises ValueError."""
    faults = _read(relays, text)
    for relay in relays.values():
        relay.heal()
        relay.accept()
    for relay, switch, value in faults:
        await relay.turn(switch, value)


def _read(relays: Mapping[str, Relay], text: str) -> _Faults:
    """Return the faults in *text*. Raises ValueError."""
    faults = []
    for entry in text.replace(",", " ").split():
        name, _, fault = entry.partition(":")
        switch, _, value = fault.partition("=")
        if name not in relays:
            raise ValueError(
                f"{VARIABLE} has {entry}; take VARIABLE:SWITCH or VARIABLE:SWITCH=NUMBER of {', '.join(relays)}"
            )
        faults.append((relays[name], switch, value or "1"))
    return faults
