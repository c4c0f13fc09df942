"""Rules for the contract of an agent, apart from the servers that it uses."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, as_array, as_object, list_items
from toolaccord_codegen.loading.schema_places import schemas_at
from toolaccord_codegen.naming import ClassName, describe_reserved
from toolaccord_codegen.rules.agents.batch import check_argument
from toolaccord_codegen.rules.agents.queue import check_queue
from toolaccord_codegen.rules.contract import CALL_NAMES, check_class_names, check_setting_reference
from toolaccord_codegen.rules.stores.store import check_store

SETTINGS_OF_MODEL = ("name", "url", "token")
SETTINGS_OF_USE = ("url", "token", "command")


def check_agent(library: SchemaLibrary, document: Document, shared: Sequence[Document]) -> Iterator[Problem]:
    """Yield the problems of an agent's contract, apart from what it reads of servers."""
    contract = as_object(document.value)
    module = ClassName(PurePosixPath(document.name).stem)
    own = {f"{module}{suffix}": "the agent" for suffix in ("Request", "Result", "Batch", "Settings", "Call")}
    yield from check_class_names(document, shared, own)
    yield from _check_names(document, contract)
    yield from _check_settings(document, contract)
    yield from check_store(document, "/cache", contract.get("cache"))
    yield from _check_limits(document, contract)
    yield from check_queue(document)
    yield from _check_roots(library, document, contract)
    if library.is_resolvable(document, contract.get("input")):
        yield from check_argument(document, library.inline(document, contract.get("input")))
    if library.is_resolvable(document, contract.get("output")):
        yield from _check_metrics(document, library.inline(document, contract.get("output")))


def _check_names(document: Document, contract: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield clients that the call record cannot have, and skills with one name."""
    for name in as_object(contract.get("uses")):
        at = join_pointer("/uses", name)
        if name in CALL_NAMES or keyword.iskeyword(name):
            yield document.problem(
                at, "RESERVED_NAME", f"{describe_reserved(name)}; give the client another name", key=True
            )
        for key, noun in (("sources", "a source"), ("events", "an event")):
            if name in as_object(contract.get(key)):
                sentence = f'{noun} is called "{name}" too, and both would be call.{name}; rename one'
                yield document.problem(at, "NAME_COLLISION", sentence, key=True)
    seen: set[Any] = set()
    for at, skill in list_items(contract.get("agent"), "skills", "/agent"):
        if isinstance(skill.get("name"), str) and skill["name"] in seen:
            sentence = f'another skill is called "{skill["name"]}" too; rename one'
            yield document.problem(f"{at}/name", "NAME_COLLISION", sentence)
        seen.add(skill.get("name") if isinstance(skill.get("name"), str) else None)


def _check_settings(document: Document, contract: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield references to unknown settings in the model, the batches and the uses."""
    yield from check_setting_reference(document, "/batch/all", as_object(contract.get("batch")).get("all"))
    model = as_object(as_object(contract.get("agent")).get("model"))
    for key in SETTINGS_OF_MODEL:
        yield from check_setting_reference(document, f"/agent/model/{key}", model.get(key))
    for name, use in as_object(contract.get("uses")).items():
        for key in SETTINGS_OF_USE:
            yield from check_setting_reference(document, join_pointer("/uses", name, key), as_object(use).get(key))


def _check_limits(document: Document, contract: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a target that is no target, and a pause that is longer than the longest."""
    retry, limits = as_object(contract.get("retry")), as_object(contract.get("limits"))
    least, most = retry.get("initial_delay_ms"), retry.get("max_delay_ms")
    if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
        sentence = "initial_delay_ms is above max_delay_ms"
        yield document.problem("/retry/initial_delay_ms", "EMPTY_RANGE", sentence)
    target, timeout = limits.get("p95_ms"), limits.get("timeout_ms")
    if isinstance(target, int | float) and isinstance(timeout, int | float) and target >= timeout:
        sentence = f"the target {target} ms is not below the deadline {timeout} ms, so it can never be missed"
        yield document.problem("/limits/p95_ms", "TARGET_TOO_LATE", sentence)


def _check_roots(library: SchemaLibrary, document: Document, contract: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield roots that are no object, and an input that leaves unknown members undecided."""
    places = {"/input": contract.get("input"), "/output": contract.get("output")}
    places["/batch/result"] = as_object(contract.get("batch")).get("result")
    for at, schema in places.items():
        if schema is None or not library.is_resolvable(document, schema):
            continue
        inlined = library.inline(document, schema)
        if inlined.get("type") != "object":
            yield document.problem(at, "ROOT_NOT_OBJECT", f'the root of {at[1:]} must have "type": "object"')
        elif at == "/input" and "additionalProperties" not in inlined:
            sentence = 'the input must decide on unknown members; add "additionalProperties": false'
            yield document.problem(at, "OPEN_PARAMETERS", sentence)


def _check_metrics(document: Document, result: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield metrics of values that the result does not have, or that are of another type."""
    for name, metric in ((name, as_object(each)) for name, each in _metrics(document)):
        at = join_pointer("/metrics", name)
        is_histogram = metric.get("kind") == "histogram"
        if is_histogram != ("value" in metric) or is_histogram != ("buckets" in metric):
            sentence = 'a histogram has "value" and "buckets", and a counter has neither'
            yield document.problem(at, "METRIC_VALUE", sentence, key=True)
        buckets = as_array(metric.get("buckets"))
        if any(not isinstance(each, int | float) for each in buckets):
            continue
        if any(low >= high for low, high in itertools.pairwise(buckets)):
            yield document.problem(f"{at}/buckets", "METRIC_VALUE", "bounds of buckets ascend; sort them")
        labels = {join_pointer(at, "labels", label): each for label, each in as_object(metric.get("labels")).items()}
        for place, pointer, kind in (
            (f"{at}/value", metric.get("value"), "number"),
            (f"{at}/when", metric.get("when"), "boolean"),
            *((place, pointer, "label") for place, pointer in labels.items()),
        ):
            if isinstance(pointer, str) and not _is_of_kind(schemas_at(result, pointer), kind):
                yield document.problem(place, "METRIC_VALUE", f'"{pointer}" leads to no {NOUNS[kind]} in the output')


NOUNS = {"number": "number", "boolean": "boolean", "label": "boolean, enum or const"}
"""The values that each part of a metric needs."""
TYPES: Mapping[str, tuple[Any, ...]] = {"number": ("number", "integer"), "boolean": ("boolean",), "label": ("boolean",)}


def _is_of_kind(found: Sequence[Mapping[str, Any]], kind: str) -> bool:
    """Return True where all schemas, of which there is one, admit only values of a kind."""
    listed = ("enum", "const") if kind == "label" else ()
    return bool(found) and all(each.get("type") in TYPES[kind] or not each.keys().isdisjoint(listed) for each in found)


def _metrics(document: Document) -> Iterator[tuple[str, Any]]:
    """Yield the metrics of a contract by name."""
    yield from as_object(as_object(document.value).get("metrics")).items()
