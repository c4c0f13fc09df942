"""Compare the tasks that calls of a tool may become."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.tools import Tool
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.asks import find_rule_of_added
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS


def task_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the tasks of a tool, beside those of plain fields."""
    old, new = tool.records(Tool)
    before, after = (side.task and side.task.mode for side in (old, new))
    if before != after and after == "required":
        yield tool.change("TASK_REQUIRED", "a caller that cannot handle tasks now gets an error", "task", "mode")
    elif before != after and before == "required":
        yield tool.change("TASK_OPTIONAL", "a caller that cannot handle tasks now gets the result", "task", "mode")
    if old.task and new.task:
        if old.task.timeout_s != new.task.timeout_s:
            yield from _timeout_changes(tool, _read_timeout(old), _read_timeout(new))
        yield from _first_ask_changes(tool, old, new)


def _timeout_changes(tool: ContractPair, before: float, after: float) -> Iterator[Change]:
    """Yield a change of the time that a run may take; where it is that of calls, they tell it."""
    if before != after:
        rule = "TIMEOUT_LOWERED" if after < before else "TIMEOUT_RAISED"
        message = f"a task may run for {after:g} s instead of {before:g} s"
        yield tool.change(rule, message, "task", "timeout_s", detail="timeout_s")


def _read_timeout(tool: Tool) -> float:
    """Return the seconds that a task of *tool* may run."""
    own, deadline = tool.task and tool.task.timeout_s, tool.deadline
    return own or ((deadline and deadline.timeout_ms) or DEFAULT_TIMEOUT_MS) / 1000


def _first_ask_changes(tool: ContractPair, old: Tool, new: Tool) -> Iterator[Change]:
    """Yield asks that were put within a task and now precede it, and the reverse."""
    before, after = (side.task.asks_first if side.task else () for side in (old, new))
    for name in [each for each in after if each not in before and each in old.asks]:
        message = f"the tool now asks its caller {name} before a task"
        yield tool.change(find_rule_of_added(tool, name), message, "task", "asks_first", detail=f"{name} first")
    for name in [each for each in before if each not in after]:
        message = f"{name} is asked within a task, and no longer before it"
        yield tool.change("TASK_CHANGED", message, "task", "asks_first", detail=name)
