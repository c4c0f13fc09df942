"""Runners of tasks, and the ways in which a run ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from toolaccord.handler import Progress as Report
from toolaccord.json_values import JsonObject
from toolaccord.tasks.task import Task


@dataclass(frozen=True, slots=True)
class Completed:
    """The run has the result."""

    result: JsonObject
    """The result, as JSON that readers of the task know."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The run ended by a fault of the server."""

    error: JsonObject
    """The error of JSON-RPC."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The run cannot go on without answers of the caller."""

    requests: JsonObject
    """The questions, by key."""
    rounds: JsonObject
    """Earlier questions and answers, for the next run."""


@dataclass(frozen=True, slots=True)
class Postponed:
    """The run failed in a way that another run, later, may not."""

    delay_s: float
    """Seconds until the next run."""
    message: str
    """A sentence on the failure."""


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The run was cancelled before it had a result."""


Ended: TypeAlias = Completed | Failed | Asked | Postponed | Abandoned
"""An end of a run."""


class Runner(Protocol):
    """Runs the tasks of one queue."""

    async def run(self, task: Task, report: Report) -> Ended:
        """Run *task*, which tells *report* of its progress. Raises nothing but cancellation."""


INTERNAL_ERROR, MISSING_CAPABILITY = -32603, -32021
"""Codes of JSON-RPC and of MCP."""


def internal_fault(message: str) -> JsonObject:
    """Return the error of JSON-RPC for a fault of the server."""
    return {"code": INTERNAL_ERROR, "message": message}
