"""The workers of a server's tasks, one for each tool that has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolaccord.call.pipeline import Pipeline
from toolaccord.contract.policies import TaskPolicy
from toolaccord.deferral.tool_runner import ToolRunner
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.store import TaskQueue
from toolaccord.tasks.worker import Observer, RunRules, TaskWorker


def create_workers(
    pipeline: Pipeline, records: TaskRecords, queues: Mapping[str, TaskQueue], observer: Observer | None
) -> Sequence[TaskWorker]:
    """Return a worker for each tool with tasks, whose queue has the name of the tool."""
    observer = observer or Observer()
    return [
        TaskWorker(records, queues[tool.name], _rules_of(tool.task), ToolRunner(pipeline, tool), observer)
        for tool in pipeline.server.tools
        if tool.task is not None
    ]


def _rules_of(policy: TaskPolicy) -> RunRules:
    return RunRules(
        concurrency=policy.concurrency,
        max_attempts=policy.max_attempts,
        repeats=policy.after_crash == "repeat",
    )
