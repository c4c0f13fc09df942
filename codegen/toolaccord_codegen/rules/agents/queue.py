"""Rules for the work queue of an agent."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.agents import Batch, Queue
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document

AT = "/batch/queue"
SCHEDULED_AT = "scheduled_at"
"""Member of a message beside the argument of batches."""


def check_queue(document: Document, contract: AgentContract, batch: Batch, queue: Queue) -> Iterator[Problem]:
    """Yield a queue without NATS, one with too little time, and an argument without a place."""
    kinds = {source.name: source.kind for source in contract.sources}
    if queue.source not in kinds:
        sentence = f'"{queue.source}" is not among the sources; {suggest(queue.source, kinds)}'
        yield document.problem(f"{AT}/source", "SOURCE_UNKNOWN", sentence)
    elif kinds[queue.source] != "nats":
        sentence = f'"{queue.source}" is no NATS source; name a source of the kind "nats"'
        yield document.problem(f"{AT}/source", "QUEUE_SOURCE", sentence)
    if batch.argument == SCHEDULED_AT:
        sentence = f'a message of the queue has "{SCHEDULED_AT}" already; give the argument another name'
        yield document.problem("/batch/argument", "RESERVED_NAME", sentence)
    if queue.max_age_s <= contract.limits.redelivery_s:
        sentence = (
            f"a message of a worker that died is delivered again after {contract.limits.redelivery_s:g} s, "
            "and would have expired; allow more"
        )
        yield document.problem(f"{AT}/max_age_s", "QUEUE_TOO_SHORT", sentence)
