"""Lint rules for steps between versions: conversions that lose what callers sent or get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from toolaccord.contract.tools import DeclaredStep
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.schema_walk import ARGUMENTS, RESULT, LintedTool
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue, Schema


def check_steps(subject: LintedTool) -> Iterator[Issue]:
    """Yield issues with the steps of a tool's older versions."""
    for newer, older in pairwise((subject.tool, *subject.tool.listed("versions"))):
        for key in (ARGUMENTS, RESULT):
            steps = older.at("to_next").listed(key)
            if key == ARGUMENTS:
                yield from _check_dropped(older, steps)
            source, target = (older, newer) if key == ARGUMENTS else (newer, older)
            yield from _check_overwritten(key, source, target, steps)


def _check_dropped(older: ContractValue, steps: Sequence[ContractValue]) -> Iterator[Issue]:
    """Yield dropped arguments that callers must give.

    Without them, different calls become the same.
    """
    from toolaccord.semantics.version_steps import drop  # noqa: PLC0415
    from toolaccord_codegen.versions.schema_edits import extract  # noqa: PLC0415 - few tools have versions

    schema = older.node(ARGUMENTS).inlined
    for step in steps:
        pointer = as_object(step.value).get("drop")
        if not isinstance(pointer, str):
            continue
        _, part = extract(schema, drop(pointer).source)
        if part.required and not _has_one_value(as_object(part.schema)):
            version = older.at("version").value
            message = (
                f"calls of {version} that differ in {pointer} become the same, although they must give it; "
                '"move" it, or accept this if the answer does not depend on it'
            )
            yield Issue("STEP_MERGES_CALLS", step.at("drop").place, message, (pointer,))


def _has_one_value(schema: Schema) -> bool:
    """Return True if a schema admits one value only."""
    return "const" in schema or len(as_array(schema.get("enum"))) == 1 or schema.get("type") == "null"


def _check_overwritten(
    key: str, source: ContractValue, target: ContractValue, steps: Sequence[ContractValue]
) -> Iterator[Issue]:
    """Yield steps that fill a member of an object in which the other version admits any name."""
    from toolaccord.semantics.version_steps import StepMapping, invert  # noqa: PLC0415
    from toolaccord_codegen.ir.shared_records import build_step  # noqa: PLC0415 - few tools have versions
    from toolaccord_codegen.versions.schema_mapping import schemas_at  # noqa: PLC0415

    built = tuple(build_step(read_record(DeclaredStep, step.value)) for step in steps)
    conversion = built if key == ARGUMENTS else invert(built)
    back = StepMapping(invert(conversion))
    schema = source.node(key).inlined
    for step, own in zip(steps, conversion, strict=True):
        origin = back.map_path(own.target[:-1]) if own.target else None
        if origin is None or not any(_admits_unnamed(part, own.target[-1]) for part in schemas_at(schema, origin)):
            continue
        pointer, (of, to) = join_pointer("", *own.target), (each.at("version").value for each in (source, target))
        noun = "arguments" if key == ARGUMENTS else "results"
        message = (
            f"{noun} of {of} may have a member of any name at {pointer}, and the conversion to {to} overwrites it; "
            "close that object, or accept this if nobody uses the name"
        )
        yield Issue("STEP_OVERWRITES", step.place, message, (pointer,))


def _admits_unnamed(schema: Schema, name: str) -> bool:
    """Return True if an object admits a member that it does not name."""
    is_named = name in as_object(schema.get("properties"))
    return schema.get("type") == "object" and schema.get("additionalProperties") is not False and not is_named
