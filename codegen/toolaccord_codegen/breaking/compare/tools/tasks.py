"""Compare the tasks that calls of a tool may become."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.policies import TaskPolicy
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.asks import find_rule_of_added
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS
from toolaccord_codegen.loading.record_keys import list_keys
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue

NUMBERS = (
    ("TASK_TTL_SHORTENED", "TASK_TTL_EXTENDED", "ttl_s"),
    ("TASK_RESULT_LOWERED", "TASK_RESULT_RAISED", "max_result_bytes"),
)
"""The rules for a lower and for a higher number, and its key."""
OF_WORKERS = ("poll_ms", "concurrency", "max_waiting", "redeliver_after_s", "max_attempts", "after_crash")
"""Keys that change the pace of tasks, and no promise."""


def task_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the tasks of a tool."""
    yield from _mode_changes(tool)
    if None in tool.values("task"):
        return
    yield from policy_changes(tool, "task", TaskPolicy)
    yield from _timeout_changes(tool)
    yield from _first_ask_changes(tool)


def policy_changes(owner: ContractPair, at: str, record: type) -> Iterator[Change]:
    """Yield changes of the rules of tasks at a key; *record* has the defaults."""
    defaults = {key.name: key.default for key in list_keys(record)}
    for lower, higher, key in NUMBERS:
        yield from owner.numeric_changes(lower, higher, at, key, default=defaults[key])
    yield from owner.value_change("TASK_STORE_CHANGED", at, "store", describe=format_optional)
    for key in [each for each in OF_WORKERS if each in defaults]:
        before, after = (defaults[key] if value is None else value for value in owner.values(at, key))
        if before != after:
            yield owner.change("TASK_CHANGED", f"{key} changed from {before} to {after}", at, key, detail=key)


def _mode_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield a change of the answer to callers that can, or cannot, handle tasks."""
    before, after = (as_object(task).get("mode") for task in tool.values("task"))
    if before == after:
        return
    if after == "required":
        yield tool.change("TASK_REQUIRED", "a caller that cannot handle tasks now gets an error", "task", "mode")
    elif before == "required":
        yield tool.change("TASK_OPTIONAL", "a caller that cannot handle tasks now gets the result", "task", "mode")
    if before is None:
        yield tool.change("TASK_ADDED", "calls may become tasks", "task")
    elif after is None:
        yield tool.change("TASK_REMOVED", "each call is answered at once, within the deadline", "task")


def _timeout_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield a change of the time that a run may take; where it is that of calls, they tell it."""
    if not tool.differs("task", "timeout_s"):
        return
    before, after = (_read_timeout(side) for side in (tool.old, tool.new))
    if before is not None and after is not None and before != after:
        rule = "TIMEOUT_LOWERED" if after < before else "TIMEOUT_RAISED"
        message = f"a task may run for {after:g} s instead of {before:g} s"
        yield tool.change(rule, message, "task", "timeout_s", detail="timeout_s")


def _read_timeout(tool: ContractValue) -> float | None:
    """Return the seconds that a task of *tool* may run; None for those of no known form."""
    own, deadline = tool.at("task", "timeout_s").value, tool.at("deadline", "timeout_ms").value
    if own is None:
        deadline = DEFAULT_TIMEOUT_MS if deadline is None else deadline
        own = deadline / 1000 if isinstance(deadline, int | float) else None
    return own if isinstance(own, int | float) else None


def _first_ask_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield asks that were put within a task and now precede it, and the reverse."""
    before, after = (as_array(names) for names in tool.values("task", "asks_first"))
    known = as_array(tool.old.at("asks").value)
    for name in [each for each in after if each not in before and each in known]:
        message = f"the tool now asks its caller {name} before a task"
        yield tool.change(find_rule_of_added(tool, name), message, "task", "asks_first", detail=f"{name} first")
    for name in [each for each in before if each not in after]:
        message = f"{name} is asked within a task, and no longer before it"
        yield tool.change("TASK_CHANGED", message, "task", "asks_first", detail=str(name))
