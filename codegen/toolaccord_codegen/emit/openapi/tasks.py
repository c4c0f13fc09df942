"""Schemas of tasks over HTTP: MCP's DetailedTask, with the answers of REST as results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolaccord_codegen.emit.openapi.schemas import any_of, build_object_schema
from toolaccord_codegen.ir.tool import Schema

STATUSES = ("working", "input_required", "completed", "failed", "cancelled")
INSTANT: Schema = {"type": "string", "format": "date-time"}
METHODS = ("elicitation/create", "sampling/createMessage", "roots/list")
"""Requests of MCP that a task may have for its caller."""
REQUEST: Schema = {
    "type": "object",
    "properties": {"method": {"type": "string", "enum": list(METHODS)}, "params": {"type": "object"}},
    "required": ["method", "params"],
    "additionalProperties": False,
}
PROGRESS = build_object_schema(
    {"progress": {"type": "number", "description": "What is done"}},
    total={"type": "number", "description": "The whole, if it is known"},
)
FAULT = build_object_schema(
    {"code": {"type": "integer", "description": "Number of JSON-RPC"}, "message": {"type": "string"}},
    data={"description": "More about the error"},
)


def list_task_schemas(results: Iterable[str]) -> Iterator[tuple[str, Schema]]:
    """List the schemas of a task and of answers to its questions.

    *results* are the names of the bodies that calls get.
    """
    result = any_of([{"$ref": f"#/components/schemas/{name}"} for name in results])
    yield (
        "Task",
        build_object_schema(
            {
                "taskId": {"type": "string"},
                "status": {"type": "string", "enum": list(STATUSES)},
                "createdAt": INSTANT,
                "lastUpdatedAt": INSTANT,
                "ttlMs": {"type": "integer", "description": "Milliseconds from createdAt for which it can be read"},
            },
            statusMessage={"type": "string", "description": "Sentence on its state for people"},
            pollIntervalMs={"type": "integer", "description": "Milliseconds to wait between two looks at it"},
            progress=PROGRESS,
            inputRequests={
                "type": "object",
                "additionalProperties": REQUEST,
                "description": "Questions of an input_required task, by key",
            },
            result={**result, "description": "Body that a completed call would have got at once"},
            error={**FAULT, "description": "Reason for which the server failed to end a failed task"},
        ),
    )
    answers: Schema = {
        "type": "object",
        "additionalProperties": {"type": "object"},
        "description": "Answers to questions by their keys, as results of the methods of MCP",
    }
    yield "TaskAnswers", build_object_schema({"inputResponses": answers})
