"""Rules for the batches of an agent: their argument, and the shape of their result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.agents import UNPUBLISHED, Batch
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.references import SchemaLibrary, as_array, as_object
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.loading.schema_places import schemas_at
from toolaccord_codegen.schema_sets.containment import covers

_OF_PARTIAL = {"missing_data", "confidence_penalty"}
"""Members of a result from incomplete data, beside the result."""
_FRACTION: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def check_argument(document: Document, name: str, request: Schema) -> Iterator[Problem]:
    """Yield an argument of batches that is unknown, no string, or not enough for a *request*."""
    members = as_object(request.get("properties"))
    if name not in members:
        sentence = f'"{name}" is no member of the input; {suggest(name, members)}'
        yield document.problem("/batch/argument", "ARGUMENT_UNKNOWN", sentence)
        return
    others = [other for other in as_array(request.get("required")) if other != name]
    if as_object(members[name]).get("type") != "string" or others:
        sentence = f'a batch gives "{name}" alone, so it must be a string, and no other member required'
        yield document.problem("/batch/argument", "BATCH_ARGUMENT", sentence)


def check_result(library: SchemaLibrary, document: Document, contract: AgentContract) -> Iterator[Problem]:
    """Yield differences between a batch's result and what the library writes.

    It is called if no other rule found a fault in the contracts.
    """
    if contract.batch is None:
        return
    result, output = (library.inline(document, schema) for schema in (contract.batch.result, contract.output))
    names = _list_further_members(result)
    if len(names) > 1:
        sentence = f"/partial/* has several members for the result: {', '.join(names)}; keep one"
        yield document.problem("/batch/result", "BATCH_RESULT", sentence)
        return
    written = _describe_result(contract, contract.batch, result, dict.fromkeys(names or ["result"], output))
    for sentence in _find_gaps(written, result, ""):
        yield document.problem("/batch/result", "BATCH_RESULT", sentence)


def _list_further_members(result: Schema) -> list[str]:
    """Return the members of an item of `partial` that can hold its result."""
    names = {name for item in schemas_at(result, "/partial/*") for name in as_object(item.get("properties"))}
    return sorted(names - _OF_PARTIAL)


def _describe_result(contract: AgentContract, batch: Batch, result: Schema, partial: Mapping[str, Schema]) -> Schema:
    """Return the schema of what the library writes.

    *partial* has the schema of the result in an item of `partial`. Texts have the lengths that *result* admits.
    """
    labels = _list_labels(contract)
    label = {"type": "string", **({"enum": labels} if labels else {})}
    missing = {"type": "array", "minItems": 1, "maxItems": max(1, len(labels)), "items": label}
    (output,) = partial.values()
    failed = {name: _describe_text(result, name) for name in (batch.argument, "error", "error_type")}
    items: dict[str, Schema] = {
        "successful": output,
        "partial": _close({**partial, "missing_data": missing, "confidence_penalty": _FRACTION}),
        "failed": _close({**failed, "retries_attempted": {"type": "integer", "minimum": 0}}),
        **{name: output for name in UNPUBLISHED if name in as_object(result.get("properties"))},
    }
    lists = {name: {"type": "array", "maxItems": batch.size, "items": item} for name, item in items.items()}
    return _close({**lists, "success_rate": _FRACTION})


def _close(members: Mapping[str, Schema]) -> Schema:
    """Return the schema of an object with exactly these members."""
    return {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}


def _list_labels(contract: AgentContract) -> list[str]:
    """Return the labels of missing data."""
    return sorted({tool.if_missing.label for use in contract.uses for tool in use.tools if tool.if_missing})


def _describe_text(result: Schema, name: str) -> Schema:
    """Return the schema of a text in an item of `failed`, cut to the admitted length."""
    lengths = [each["maxLength"] for each in schemas_at(result, f"/failed/*/{name}") if "maxLength" in each]
    return {"type": "string", **({"maxLength": min(lengths)} if lengths else {})}


def _find_gaps(written: Schema, declared: Schema, path: str) -> Iterator[str]:
    """Yield sentences on the places below *path* that do not admit what is written."""
    if equal_json(written, declared):
        return
    inner = list(_find_inner_gaps(written, declared, path))
    yield from inner
    if not inner and not covers(declared, written):
        yield f"{path or 'it'} must admit what the library writes: {json.dumps(written)}"


def _find_inner_gaps(written: Schema, declared: Schema, path: str) -> Iterator[str]:
    """Yield the gaps below *path*; the library needs to find each member that it writes."""
    if written.get("type") == "array" and declared.get("type") == "array":
        most = written.get("maxItems", 0)
        if declared.get("maxItems", most) < most:
            yield f"{path} must admit {most} items"
        yield from _find_gaps(as_object(written.get("items")), as_object(declared.get("items")), f"{path}/*")
    members, admitted = (as_object(each.get("properties")) for each in (written, declared))
    for name, schema in members.items():
        if name in admitted:
            yield from _find_gaps(schema, admitted[name], f"{path}/{name}")
        else:
            yield f"{path}/{name} is missing; add it"
    for name in as_array(declared.get("required")):
        if name not in as_array(written.get("required")):
            yield f"{path}/{name} is not always written; do not require it"
