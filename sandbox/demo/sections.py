"""The parts of the demo: a server or an agent each, and the calls to it."""

import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from sandbox.demo.calls import RecordedCall, Recorder
from sandbox.demo.connections import Command, Connect, connect_mcp

CHECKOUT = Path(__file__).parents[2]
MakeCalls = Callable[[Recorder], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Section:
    """A server or an agent, and the calls that the demo makes to it."""

    title: str
    server: str
    make_calls: MakeCalls
    changes: Mapping[str, str] = field(default_factory=dict)
    """Its differences from the sandbox's environment."""
    delay_reason: str = ""
    connect: Connect = connect_mcp


class ServerFailedError(Exception):
    """A server did not start, or ended before its last call."""


async def run_section(section: Section, environment: Mapping[str, str]) -> list[RecordedCall]:
    """Start the section's server as a host does, make its calls, and return these.

    Raises ServerFailedError with the server's log, which is discarded otherwise.
    """
    command = Command(
        [sys.executable, "-m", f"generated.{section.server}"], {**environment, **section.changes}, CHECKOUT
    )
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        try:
            async with section.connect(command, log) as recorder:
                await section.make_calls(recorder)
                return recorder.calls
        except Exception as error:
            raise ServerFailedError(f"{section.title} failed. Its standard error:\n{_read_log(log)}") from error


def _read_log(log: TextIO) -> str:
    log.seek(0)
    return log.read()
