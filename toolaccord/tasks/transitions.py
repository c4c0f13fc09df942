"""States of a task after a run: the only places where a task ends."""

from __future__ import annotations

from typing import Any

from toolaccord.tasks.runner import Abandoned, Asked, Completed, Ended, Failed, Postponed, internal_fault
from toolaccord.tasks.task import Task


def ended(task: Task, end: Ended) -> Task:
    """Return *task* after a run with this end."""
    rest: dict[str, Any] = {"is_running": False, "requests": {}, "rounds": {}, "message": None}
    match end:
        case Completed(result):
            return task.changed(task.updated_at, **rest, status="completed", result=result)
        case Failed(error):
            return task.changed(task.updated_at, **rest, status="failed", error=error)
        case _ if task.is_cancelled:
            return cancelled(task)
        case Asked(requests, rounds):
            members = rest | {"requests": requests, "rounds": rounds}
            return task.changed(task.updated_at, **members, status="input_required")
        case Postponed(_, message):
            return task.changed(task.updated_at, is_running=False, message=message)
        case Abandoned():
            return cancelled(task)


def failed(task: Task, reason: str) -> Task:
    """Return *task* as a fault of the server ends it."""
    return ended(task, Failed(internal_fault(reason)))


def cancelled(task: Task) -> Task:
    """Return *task* as it ends for a caller who wants no result."""
    return task.changed(task.updated_at, status="cancelled", is_running=False, requests={}, rounds={}, message=None)
