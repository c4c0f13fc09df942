"""Messages and tasks of A2A, and the records of tasks that hold them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

from a2a.helpers.proto_helpers import new_message, new_task_from_user_message
from a2a.server.events import Event
from a2a.types import (
    Artifact,
    Message,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from google.protobuf.json_format import MessageToDict, ParseDict

from toolaccord.agent.a2a.messages import MessageFormat, write_data
from toolaccord.agent.a2a.slots import Busy
from toolaccord.agent.outcomes import Failed as Failure
from toolaccord.agent.outcomes import Outcome
from toolaccord.json_values import JsonObject, encode_json
from toolaccord.tasks import task as records
from toolaccord.tasks.runner import INTERNAL_ERROR, Completed, Ended, Failed

_STATES = {
    "working": TaskState.TASK_STATE_WORKING,
    "input_required": TaskState.TASK_STATE_INPUT_REQUIRED,
    "completed": TaskState.TASK_STATE_COMPLETED,
    "failed": TaskState.TASK_STATE_FAILED,
    "cancelled": TaskState.TASK_STATE_CANCELED,
}


def store_message(message: Message, earlier: Sequence[JsonObject], corr_id: str) -> JsonObject:
    """Return *message* as the work of a task, with the *earlier* messages of its conversation."""
    message.context_id = message.context_id or str(uuid.uuid4())
    return {"message": MessageToDict(message), "earlier": [*earlier], "corr_id": corr_id}


def load_message(task: records.Task) -> Message:
    """Return the message that *task* answers."""
    return ParseDict(task.work["message"], Message(task_id=task.key.id))


def context_of(task: records.Task) -> str:
    """Return the id of the conversation of *task*."""
    context: str = task.work["message"]["contextId"]
    return context


def join_steps(steps: Sequence[str]) -> str:
    """Return *steps* as the message of a record, one a line."""
    return "\n".join(" ".join(step.split()) for step in steps)


def store_outcome(outcome: Outcome, steps: Sequence[str], max_bytes: int) -> Ended:
    """Return the end of a run with *outcome*, after *steps*.

    A result of more than *max_bytes* is a failure.
    """
    if isinstance(outcome, Failure):
        return Failed(failure(outcome.error_type, outcome.error, steps))
    size = len(encode_json(outcome.result))
    if size > max_bytes:
        return Failed(failure("RESULT_TOO_LARGE", f"The result has {size} bytes, and a task keeps {max_bytes}.", steps))
    return Completed({"result": outcome.result, "steps": [*steps]})


def failure(code: str, message: str, steps: Sequence[str] = ()) -> JsonObject:
    """Return the error of a record, with the *code* that callers of the agent know."""
    return {"code": INTERNAL_ERROR, "message": message, "data": {"code": code, "steps": [*steps]}}


class TaskFormat:
    """Format of the tasks of one agent."""

    def __init__(self, messages: MessageFormat) -> None:
        self._messages = messages

    def write(self, task: records.Task) -> Task:
        """Return *task* as its caller sees it."""
        steps = [self._write_step(task, step, number) for number, step in enumerate(_steps_of(task), 1)]
        status = self._write_status(task)
        if steps and task.status == "working":
            status.message.CopyFrom(steps.pop())
        return Task(
            id=task.key.id,
            context_id=context_of(task),
            status=status,
            history=[load_message(task), *steps],
            artifacts=self._write_artifacts(task),
        )

    def write_rejection(self, message: Message) -> Task:
        """Return a task that does not exist, as the agent is busy."""
        task, error = new_task_from_user_message(message), Busy()
        task.status.state = TaskState.TASK_STATE_REJECTED
        described = new_message(_describe(error.code, str(error)), context_id=task.context_id, task_id=task.id)
        task.status.message.CopyFrom(described)
        return task

    def list_updates(self, before: records.Task, after: records.Task) -> Iterator[Event]:
        """Yield what has changed: the beginning of the run, its steps, the artifact, and the end."""
        if after.attempt and not before.attempt:
            yield self._write_update(after, TaskStatus(state=TaskState.TASK_STATE_WORKING))
        known = len(_steps_of(before)) if before.attempt == after.attempt else 0
        for number, step in enumerate(_steps_of(after)[known:], known + 1):
            message = self._write_step(after, step, number)
            yield self._write_update(after, TaskStatus(state=TaskState.TASK_STATE_WORKING, message=message))
        if after.status != before.status:
            for artifact in self._write_artifacts(after):
                yield TaskArtifactUpdateEvent(
                    task_id=after.key.id, context_id=context_of(after), artifact=artifact, last_chunk=True
                )
            yield self._write_update(after, self._write_status(after))

    def _write_status(self, task: records.Task) -> TaskStatus:
        """Return the state of *task*: submitted until a run begins."""
        is_submitted = task.status == "working" and not task.attempt
        status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED if is_submitted else _STATES[task.status])
        status.timestamp.FromDatetime(task.updated_at)
        if task.error:
            code = task.error.get("data", {}).get("code", "INTERNAL")
            status.message.CopyFrom(self._write_message(task, *_describe(code, task.error["message"]), name="error"))
        return status

    def _write_update(self, task: records.Task, status: TaskStatus) -> TaskStatusUpdateEvent:
        status.timestamp.FromDatetime(task.updated_at)
        return TaskStatusUpdateEvent(task_id=task.key.id, context_id=context_of(task), status=status)

    def _write_artifacts(self, task: records.Task) -> list[Artifact]:
        if task.result is None:
            return []
        parts = self._messages.write_parts(task.result["result"])
        return [Artifact(artifact_id="result", name="result", parts=parts)]

    def _write_step(self, task: records.Task, step: str, number: int) -> Message:
        return self._write_message(task, Part(text=step), name=str(number))

    def _write_message(self, task: records.Task, *parts: Part, name: str) -> Message:
        return Message(
            message_id=f"{task.key.id}.{name}",
            task_id=task.key.id,
            context_id=context_of(task),
            role=Role.ROLE_AGENT,
            parts=parts,
        )


def _steps_of(task: records.Task) -> list[str]:
    """Return the steps of the present run of *task*, or of its last one."""
    if task.status == "working":
        return task.message.split("\n") if task.message and not task.is_cancelled else []
    ended = task.result or (task.error or {}).get("data", {})
    steps: list[str] = ended.get("steps", [])
    return steps


def _describe(code: str, message: str) -> list[Part]:
    """Return the parts of a message about a failure."""
    return [Part(text=message, media_type="text/plain"), write_data({"error": {"code": code, "message": message}})]
