"""Rules for tools whose calls may become tasks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from toolaccord.contract.agents import AgentTasks
from toolaccord.contract.asks import Roots
from toolaccord.contract.policies import TaskPolicy
from toolaccord.contract.sources import Source
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.contract import MCP_TRANSPORTS
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS, may_change
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_array
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.tool_view import ToolView, place_items
from toolaccord_codegen.rules.transports import list_transports

STORES = ("redis", "nats")
"""Kinds of sources that keep tasks."""
NATS_RESULT_BYTES = 921_600
"""Largest result beside which a task fits into a message of NATS.

A message has 1 MiB, unless an operator changes that.
"""
TYPES_OF_ONE_TEXT = ("string", "integer", "boolean")
"""Types whose values a handler and the library write alike in a message.

A handler writes the number 1 as 1.0.
"""
FORMATS_OF_MORE = ("date-time", "uuid")
"""Formats of strings that a handler has as another type, and may write in another way."""


def check_task(view: ToolView) -> Iterator[Problem]:
    """Yield tasks that nobody can get, that would act twice, or that end too early."""
    task = view.declared.task
    if task is None:
        return
    if not {*MCP_TRANSPORTS} & {*(view.declared.transports or list_transports(view.contract))}:
        sentence = 'tasks exist over MCP and REST alone; remove this key, or add "stdio" or "http" to the transports'
        yield view.problem("/task", "TASK_WITHOUT_MCP", sentence)
    for check in (_check_store, _check_repetition, _check_times, _check_asks):
        yield from check(view, task)


def check_task_store(
    document: Document, at: str, task: TaskPolicy | AgentTasks, known: Collection[Source]
) -> Iterator[Problem]:
    """Yield a store of the tasks at a pointer that keeps none, and results that it rejects."""
    yield from check_store(document, at, task.store, known, STORES)
    kinds = {source.name: source.kind for source in known}
    if kinds.get(task.store or "") == "nats" and task.max_result_bytes > NATS_RESULT_BYTES:
        sentence = (
            f"a message of NATS has no room for such a result; at most {NATS_RESULT_BYTES} is allowed, "
            'or a source of kind "redis" as "store"'
        )
        yield document.problem(f"{at}/max_result_bytes", "TASK_RESULT_SIZE", sentence)


def _check_store(view: ToolView, task: TaskPolicy) -> Iterator[Problem]:
    """Yield a store that keeps no tasks, or is not that of all tools."""
    yield from check_task_store(view.document, f"{view.pointer}/task", task, view.contract.sources)
    first = next(tool for tool in view.contract.tools if tool.task)
    if first.task and first.task.store != task.store:
        sentence = (
            f'"{first.name}" keeps its tasks {_describe_store(first.task)}, and this tool {_describe_store(task)}; '
            "all tools of a server name the same store, or none"
        )
        yield view.problem("/task/store", "TASK_STORES_DIFFER", sentence)


def _describe_store(task: TaskPolicy) -> str:
    return f'in "{task.store}"' if task.store else "in memory"


def _check_repetition(view: ToolView, task: TaskPolicy) -> Iterator[Problem]:
    """Yield a change that a crash could cause twice."""
    keys = view.declared.idempotency
    if task.after_crash == "fail" or not may_change(view.declared.effects):
        return
    if keys is None:
        sentence = (
            "after a crash the tool would run again, and act twice; "
            'add "idempotency" to it, or "after_crash": "fail" to its task'
        )
        yield view.problem("/task", "TASK_ACTS_TWICE", sentence)
    elif keys.window_s < task.ttl_s:
        sentence = (
            f"a task may run again within its ttl_s, {task.ttl_s}, and its key would be forgotten; "
            'lengthen this window, shorten ttl_s, or add "after_crash": "fail" to the task'
        )
        yield view.problem("/idempotency/window_s", "TASK_ACTS_TWICE", sentence)


def _check_times(view: ToolView, task: TaskPolicy) -> Iterator[Problem]:
    """Yield times that are longer than a task exists."""
    deadline = view.declared.deadline
    run_s = (deadline.timeout_ms if deadline else DEFAULT_TIMEOUT_MS) / 1000
    times = {
        "timeout_s": (task.timeout_s or run_s, "a run may take"),
        "poll_ms": (task.poll_ms / 1000, "callers wait"),
        "redeliver_after_s": (task.redeliver_after_s, "another worker waits"),
    }
    yield from check_task_times(view.document, f"{view.pointer}/task", task.ttl_s, times)


def check_task_times(
    document: Document, at: str, ttl_s: int, times: Mapping[str, tuple[float, str]]
) -> Iterator[Problem]:
    """Yield those of *times*, by key with what they are, that are longer than a task exists."""
    for key, (seconds, what) in times.items():
        if seconds > ttl_s:
            sentence = f"{what} {seconds:g} s, and the task is gone after {ttl_s} s; shorten it, or raise ttl_s"
            yield document.problem(f"{at}/{key}", "TASK_TOO_SHORT", sentence)


def _check_asks(view: ToolView, task: TaskPolicy) -> Iterator[Problem]:
    """Yield unknown first asks, and those whose messages need more than arguments."""
    declared = {ask.name: ask for ask in view.contract.asks}
    for place, name in place_items("/task/asks_first", task.asks_first):
        if name not in view.declared.asks:
            sentence = f'"{name}" is not among the asks of the tool; {suggest(name, view.declared.asks)}'
            yield view.problem(place, "ASK_UNKNOWN", sentence)
            continue
        ask = declared.get(name)
        if ask is None or isinstance(ask, Roots) or not view.is_resolved_object("parameters"):
            continue
        required = as_array(view.parameters.get("required"))
        for parameter in ask.parameters:
            argument = view.argument(join_pointer("", parameter)) or {}
            if parameter not in required or not _has_one_text(argument):
                sentence = (
                    f'the message of "{name}" has {{{parameter}}}, and before the task there are arguments alone; '
                    f'add a required parameter "{parameter}" that is a plain string, an integer or a boolean, '
                    "or let the handler ask"
                )
                yield view.problem(place, "TASK_ASK_PARAMETER", sentence)


def _has_one_text(argument: Mapping[str, Any]) -> bool:
    """Return True if a handler cannot write an argument in another way than the library.

    Another text would be another question.
    """
    return argument.get("type") in TYPES_OF_ONE_TEXT and argument.get("format") not in FORMATS_OF_MORE
