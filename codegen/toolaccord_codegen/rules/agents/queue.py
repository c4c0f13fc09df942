"""Rules for the work queue of an agent."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.semantics.work_queues import redelivery_s
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_object

AT = "/batch/queue"
SCHEDULED_AT = "scheduled_at"
"""Member of a message beside the argument of batches."""


def check_queue(document: Document) -> Iterator[Problem]:
    """Yield a queue without NATS, one with too little time, and an argument without a place."""
    contract = as_object(document.value)
    batch = as_object(contract.get("batch"))
    queue, sources = as_object(batch.get("queue")), as_object(contract.get("sources"))
    source = queue.get("source")
    if isinstance(source, str) and source not in sources:
        sentence = f'"{source}" is not among the sources; {suggest(source, sources)}'
        yield document.problem(f"{AT}/source", "SOURCE_UNKNOWN", sentence)
    elif isinstance(source, str) and as_object(sources[source]).get("kind") != "nats":
        sentence = f'"{source}" is no NATS source; name a source of the kind "nats"'
        yield document.problem(f"{AT}/source", "QUEUE_SOURCE", sentence)
    if queue and batch.get("argument") == SCHEDULED_AT:
        sentence = f'a message of the queue has "{SCHEDULED_AT}" already; give the argument another name'
        yield document.problem("/batch/argument", "RESERVED_NAME", sentence)
    age_s, timeout_ms = queue.get("max_age_s"), as_object(contract.get("limits")).get("timeout_ms")
    if isinstance(age_s, int | float) and isinstance(timeout_ms, int | float) and age_s <= redelivery_s(timeout_ms):
        sentence = (
            f"a message of a worker that died is delivered again after {redelivery_s(timeout_ms):g} s, "
            "and would have expired; allow more"
        )
        yield document.problem(f"{AT}/max_age_s", "QUEUE_TOO_SHORT", sentence)
