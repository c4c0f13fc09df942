"""Tasks as JSON objects, as MCP's extension for tasks and the REST routes have them."""

from __future__ import annotations

from datetime import datetime

from toolaccord.json_values import JsonObject
from toolaccord.tasks.task import Task


def describe_task(task: Task) -> JsonObject:
    """Return what a caller sees of *task* beside its progress and its end."""
    members: JsonObject = {
        "taskId": task.key.id,
        "status": task.status,
        "createdAt": _format_time(task.created_at),
        "lastUpdatedAt": _format_time(task.updated_at),
        "ttlMs": round(task.ttl_s * 1000),
        "pollIntervalMs": task.poll_ms,
    }
    if message := task.message or (task.error or {}).get("message"):
        members["statusMessage"] = message
    return members


def describe_state(task: Task) -> JsonObject:
    """Return `describe_task` with the open questions, or the error that ended *task*."""
    members = describe_task(task)
    if task.status == "input_required":
        members["inputRequests"] = task.requests
    if task.error is not None:
        members["error"] = task.error
    return members


def describe_progress(task: Task) -> JsonObject:
    """Return the member `progress` of *task*, if its handler has reported some."""
    if task.progress is None:
        return {}
    done, total = task.progress
    return {"progress": {"progress": done} if total is None else {"progress": done, "total": total}}


def _format_time(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
