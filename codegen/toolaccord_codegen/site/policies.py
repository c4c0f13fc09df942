"""Policies of operations in words: caching, limits, repetition, tasks and versions."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract import tools
from toolaccord.contract.policies import CachePolicy, Idempotency, RateLimit, TaskPolicy, When
from toolaccord.semantics.version_steps import ABSENT
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.tool import Tool
from toolaccord_codegen.loading.scalars import parse_duration
from toolaccord_codegen.site.schema_fields import format_number, format_value

OCCASIONS = {
    "source": "a source fails",
    "deadline": "the call takes too long",
    "conflict": "an idempotency key comes again with other arguments",
    "rate_limit": "the caller makes too many calls",
    "overload": "the calls ahead would take too long",
}
UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
ELSEWHERE = {"reads": "read", "adds": "add to", "writes": "change"}

Facts = Iterator[tuple[str, str]]
"""Pairs of a term and a sentence."""


def list_facts(contract: Contract, tool: Tool) -> Facts:
    """List everything beside schemas and errors that callers of a tool may rely on."""
    yield from _list_effects(tool)
    if demanded := contract.demand(tool):
        yield "Access", f"A token over HTTP needs the scopes {join(demanded)}."
    if tool.transports:
        yield "Transports", f"The tool exists on {join(tool.transports)} alone."
    yield "Deadline", _describe_deadline(tool)
    yield from _list_policies(tool)
    if tool.pagination:
        yield "Pages", "limit is the number of items on a page, and offset the number of items before it."
    if tool.asks:
        yield "Questions", f"It may ask its caller {join(tool.asks)}."
    yield from _list_reports(tool)


def _list_policies(tool: Tool) -> Facts:
    """List what happens to calls before and after the handler."""
    if tool.cache:
        yield "Cache", " ".join(_describe_cache(tool.cache))
    if tool.fresh:
        yield "Freshness", "Results are current, because somebody acts upon them."
    if tool.rate_limit:
        yield "Rate limit", describe_rate_limit(tool.rate_limit)
    if tool.idempotency:
        yield "Repeated calls", " ".join(_describe_idempotency(tool.idempotency))
    if tool.task:
        yield "Tasks", " ".join(_describe_task(tool.task))


def _list_effects(tool: Tool) -> Facts:
    """List what a call touches."""
    effects = tool.effects
    kinds = (("reads", effects.reads), ("adds to", effects.adds), ("changes", effects.writes))
    told = [f"{verb} {join(names)}" for verb, names in (*kinds, ("publishes", effects.publishes)) if names]
    if effects.elsewhere in ELSEWHERE:
        told.append(f"may {ELSEWHERE[effects.elsewhere]} things that the contract does not name")
    if told:
        yield "Effects", f"A call {join(told)}."


def _list_reports(tool: Tool) -> Facts:
    """List what a running call sends beside its result."""
    if tool.content:
        yield "Content", f"The answer has content: {join(tool.content)}."
    if tool.progress:
        yield "Progress", "Callers that ask for it receive reports of progress."
    if tool.logging:
        yield "Log messages", "Callers receive the log messages of their level."


def _describe_deadline(tool: Tool) -> str:
    """Describe the deadline of a tool."""
    most = f"A call may take {describe_milliseconds(tool.timeout_ms)}"
    target = tool.p95_ms
    return f"{most}; 95 of 100 shall take at most {describe_milliseconds(target)}." if target else f"{most}."


def _describe_cache(cache: CachePolicy) -> Iterator[str]:
    """Describe the caching of results."""
    yield f"A result is kept for {describe_seconds(cache.ttl_s)}."
    if cache.provisional_ttl_s is not None:
        yield f"A provisional one is kept for {describe_seconds(cache.provisional_ttl_s)}."
    if cache.bypass:
        yield f"{cache.bypass} = true asks for a fresh one."
    for name, unit in cache.precision.items():
        yield f"{name} is rounded down to the {unit}."
    if cache.store:
        yield f"Replicas share results in {cache.store}."


def describe_rate_limit(limit: RateLimit) -> str:
    """Describe a limit of calls."""
    shared = f", counted for all replicas in {limit.store}" if limit.store else ""
    return f"Each caller may make {format_number(limit.calls)} calls in {describe_seconds(limit.window_s)}{shared}."


def _describe_idempotency(idempotency: Idempotency) -> Iterator[str]:
    """Describe the recognition of repeated calls."""
    window = describe_seconds(idempotency.window_s)
    yield f"Calls with the same key act once within {window}."
    if "request" in idempotency.key_from:
        yield "The caller sends the key as _meta.idempotency_key or in the header Idempotency-Key."
    if "derived" in idempotency.key_from:
        yield "Without one, the key follows from caller, arguments and time."


def _describe_task(task: TaskPolicy) -> Iterator[str]:
    """Describe the treatment of calls as tasks."""
    if task.mode == "required":
        yield "Every call is a task."
    else:
        yield "Callers that know tasks may come back for the result; others wait for it within the deadline."
    if task.timeout_s is not None:
        yield f"A run may take {describe_seconds(task.timeout_s)}."
    yield f"The result can be read for {describe_seconds(task.ttl_s)}."
    yield f"A process runs {format_number(task.concurrency)} at once, and {format_number(task.max_waiting)} may wait."
    fate = "another worker begins again" if task.after_crash == "repeat" else "the task has failed"
    yield f"If its worker dies, {fate}."
    yield f"It is kept in {task.store or 'the memory of one process'}."


def describe_condition(condition: tools.Condition) -> str:
    """Describe a rule between two arguments."""
    first, second = condition.ordered or condition.span
    if condition.at_most:
        return f"{second} is at most {describe_seconds(parse_duration(condition.at_most))} after {first}"
    return f"{first} is {'before' if condition.strict else 'not after'} {second}"


def describe_when(when: When | None) -> str:
    """Describe the origin of an error outside the handler; empty where the handler raises it."""
    if when is None:
        return ""
    if when.occasion:
        return OCCASIONS[when.occasion]
    keyword = f" by its {when.keyword}" if when.keyword else ""
    return f"{join(when.at)} is invalid{keyword}"


def describe_step(step: tools.DeclaredStep) -> str:
    """Describe one difference between two versions."""
    if step.add:
        return f"{step.add} is new; older callers stand for {format_value(step.value)}"
    if step.drop:
        given = "" if step.default is ABSENT else f"; older callers get {format_value(step.default)}"
        return f"{step.drop} is gone{given}"
    moved = f"{step.move} is now {step.to}" if step.move != step.to else f"{step.move} has other values"
    values = [f"{older} is now {newer}" for older, newer in step.values.items()]
    computed = ["its value is computed by the server"] if step.lookup else []
    return "; ".join([moved, *values, *computed])


def describe_seconds(seconds: float) -> str:
    """Describe a span of time in the largest unit that divides it."""
    size, unit = next(((size, unit) for size, unit in UNITS if seconds and not seconds % size), (1, "second"))
    count = seconds / size
    number = format_number(int(count) if count == int(count) else count)
    return f"{number} {unit}" if number == "1" else f"{number} {unit}s"


def describe_milliseconds(milliseconds: int) -> str:
    """Describe a span of time below or above a second."""
    return f"{milliseconds} ms" if milliseconds % 1000 else describe_seconds(milliseconds // 1000)


def join(words: tuple[str, ...] | list[str]) -> str:
    """Join words as a sentence does."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
