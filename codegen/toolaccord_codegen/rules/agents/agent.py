"""Rules for the contract of an agent, apart from the servers that it uses."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.agents import Metric
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.loading.schema_places import schemas_at
from toolaccord_codegen.naming import ClassName, describe_reserved
from toolaccord_codegen.rules.access import check_scopes
from toolaccord_codegen.rules.agents.batch import check_argument
from toolaccord_codegen.rules.agents.queue import check_queue
from toolaccord_codegen.rules.contract import CALL_NAMES, check_class_names, check_setting
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.stores.task import check_task_store, check_task_times
from toolaccord_codegen.rules.tool_view import place_items
from toolaccord_codegen.rules.transports import HTTP

SETTINGS_OF_MODEL = ("name", "url", "token")
SETTINGS_OF_USE = ("url", "token", "command")
SETTINGS_OF_CREDENTIALS = ("issuer", "client_id", "client_secret")


def check_agent(
    library: SchemaLibrary, document: Document, contract: AgentContract, shared: Sequence[Document]
) -> Iterator[Problem]:
    """Yield the problems of an agent's contract, apart from what it reads of servers."""
    module = ClassName(PurePosixPath(document.name).stem)
    own = {f"{module}{suffix}": "the agent" for suffix in ("Request", "Result", "Batch", "Settings", "Call")}
    yield from check_class_names(document, shared, own)
    yield from _check_names(document, contract)
    for at, setting in _list_used_settings(contract):
        yield from check_setting(document, f"{at}/setting", setting, contract)
    yield from check_store(document, "/cache", contract.cache.store if contract.cache else None, contract.sources)
    yield from _check_tasks(document, contract)
    yield from check_scopes(document, "/access", contract.access.scopes if contract.access else (), (HTTP,))
    yield from _check_limits(document, contract)
    yield from _check_roots(library, document, contract)
    if contract.batch and contract.batch.queue:
        yield from check_queue(document, contract, contract.batch, contract.batch.queue)
    if contract.batch and library.is_resolvable(document, contract.input):
        yield from check_argument(document, contract.batch.argument, library.inline(document, contract.input))
    if library.is_resolvable(document, contract.output):
        result = library.inline(document, contract.output)
        yield from (fault for metric in contract.metrics for fault in _check_metric(document, metric, result))


def _check_tasks(document: Document, contract: AgentContract) -> Iterator[Problem]:
    """Yield a store that keeps no tasks, and times that are longer than a task exists."""
    if tasks := contract.tasks:
        times = {
            "ttl_s": (contract.limits.timeout_ms / 1000, "a request may take"),
            "redeliver_after_s": (tasks.redeliver_after_s, "another process waits"),
        }
        yield from check_task_store(document, "/tasks", tasks, contract.sources)
        yield from check_task_times(document, "/tasks", tasks.ttl_s, times)


def _check_names(document: Document, contract: AgentContract) -> Iterator[Problem]:
    """Yield clients that the call record cannot have, and skills with one name."""
    taken = {event.name: "an event" for event in contract.events}
    taken |= {source.name: "a source" for source in contract.sources}
    for name in [use.name for use in contract.uses]:
        at = join_pointer("/uses", name)
        if name in CALL_NAMES or keyword.iskeyword(name):
            yield document.problem(
                at, "RESERVED_NAME", f"{describe_reserved(name)}; give the client another name", key=True
            )
        if name in taken:
            sentence = f'{taken[name]} is called "{name}" too, and both would be call.{name}; rename one'
            yield document.problem(at, "NAME_COLLISION", sentence, key=True)
    seen: set[str] = set()
    for at, skill in place_items("/agent/skills", contract.agent.skills):
        if skill.name in seen:
            sentence = f'another skill is called "{skill.name}" too; rename one'
            yield document.problem(f"{at}/name", "NAME_COLLISION", sentence)
        seen.add(skill.name)


def _list_used_settings(contract: AgentContract) -> Iterator[tuple[str, str | None]]:
    """List the settings of the batches, the model and the uses, with the pointer of each."""
    yield "/batch/all", contract.batch.all if contract.batch else None
    for key in SETTINGS_OF_MODEL if contract.agent.model else ():
        yield f"/agent/model/{key}", getattr(contract.agent.model, key)
    for use in contract.uses:
        for key in SETTINGS_OF_USE:
            yield join_pointer("/uses", use.name, key), getattr(use, key)
        for key in SETTINGS_OF_CREDENTIALS if use.credentials else ():
            yield join_pointer("/uses", use.name, "credentials", key), getattr(use.credentials, key)


def _check_limits(document: Document, contract: AgentContract) -> Iterator[Problem]:
    """Yield a target that is no target, and a pause that is longer than the longest."""
    retry, limits = contract.retry, contract.limits
    if retry and retry.initial_delay_ms > retry.max_delay_ms:
        sentence = "initial_delay_ms is above max_delay_ms"
        yield document.problem("/retry/initial_delay_ms", "EMPTY_RANGE", sentence)
    if limits.p95_ms and limits.p95_ms >= limits.timeout_ms:
        sentence = (
            f"the target {limits.p95_ms} ms is not below the deadline {limits.timeout_ms} ms, so it can never be missed"
        )
        yield document.problem("/limits/p95_ms", "TARGET_TOO_LATE", sentence)


def _check_roots(library: SchemaLibrary, document: Document, contract: AgentContract) -> Iterator[Problem]:
    """Yield roots that are no object, and an input that leaves unknown members undecided."""
    places = {"/input": contract.input, "/output": contract.output}
    places |= {"/batch/result": contract.batch.result} if contract.batch else {}
    for at, schema in places.items():
        if not library.is_resolvable(document, schema):
            continue
        inlined = library.inline(document, schema)
        if inlined.get("type") != "object":
            yield document.problem(at, "ROOT_NOT_OBJECT", f'the root of {at[1:]} must have "type": "object"')
        elif at == "/input" and "additionalProperties" not in inlined:
            sentence = 'the input must decide on unknown members; add "additionalProperties": false'
            yield document.problem(at, "OPEN_PARAMETERS", sentence)


def _check_metric(document: Document, metric: Metric, result: Schema) -> Iterator[Problem]:
    """Yield a metric of values that the result does not have, or that are of another type."""
    at, is_histogram = join_pointer("/metrics", metric.name), metric.kind == "histogram"
    if is_histogram != (metric.value is not None) or is_histogram != bool(metric.buckets):
        sentence = 'a histogram has "value" and "buckets", and a counter has neither'
        yield document.problem(at, "METRIC_VALUE", sentence, key=True)
    if any(low >= high for low, high in itertools.pairwise(metric.buckets)):
        yield document.problem(f"{at}/buckets", "METRIC_VALUE", "bounds of buckets ascend; sort them")
    for place, pointer, kind in (
        (f"{at}/value", metric.value, "number"),
        (f"{at}/when", metric.when, "boolean"),
        *((join_pointer(at, "labels", label), pointer, "label") for label, pointer in metric.labels.items()),
    ):
        if pointer is not None and not _is_of_kind(schemas_at(result, pointer), kind):
            yield document.problem(place, "METRIC_VALUE", f'"{pointer}" leads to no {NOUNS[kind]} in the output')


NOUNS = {"number": "number", "boolean": "boolean", "label": "boolean, enum or const"}
"""The values that each part of a metric needs."""
TYPES: Mapping[str, tuple[Any, ...]] = {"number": ("number", "integer"), "boolean": ("boolean",), "label": ("boolean",)}


def _is_of_kind(found: Sequence[Mapping[str, Any]], kind: str) -> bool:
    """Return True where all schemas, of which there is one, admit only values of a kind."""
    listed = ("enum", "const") if kind == "label" else ()
    return bool(found) and all(each.get("type") in TYPES[kind] or not each.keys().isdisjoint(listed) for each in found)
