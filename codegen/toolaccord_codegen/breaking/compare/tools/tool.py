"""Compare two states of a tool, except for its schemas, errors and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toolaccord.contract.tools import Tool
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.asks import asking_changes
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.fields import field_changes
from toolaccord_codegen.breaking.compare.rate_limits import rate_limit_changes
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.compare.tools.conditions import condition_changes
from toolaccord_codegen.breaking.compare.tools.content import content_changes
from toolaccord_codegen.breaking.compare.tools.effects import effect_changes
from toolaccord_codegen.breaking.compare.tools.errors import error_changes
from toolaccord_codegen.breaking.compare.tools.older_versions import (
    is_kept,
    older_version_changes,
    release_change,
    version_of,
)
from toolaccord_codegen.breaking.compare.tools.tasks import task_changes
from toolaccord_codegen.breaking.compare.tools.translations import translation_changes
from toolaccord_codegen.breaking.rule import Direction


def tool_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield all changes of a tool."""
    kept_version = version_of(tool.old) if is_kept(tool) else ""
    translated = list(translation_changes(tool))
    units = {(each.direction, each.pointer) for each in translated if each.rule == "UNIT_CHANGED"}
    seen = set[tuple[Direction | None, str]]()
    for topic, key in _schema_topics(tool):
        if None in tool.values(key):  # ANSWER_FORM_CHANGED says that there is no result
            continue
        for change in schema_changes(topic, tool.old.node(key), tool.new.node(key)):
            is_copied = change.rule == "UNIT_CHANGED" and (change.direction, change.pointer) in units
            seen |= {(change.direction, change.pointer)} if is_copied else set()
            yield replace(change, kept_version="" if is_copied else kept_version)
    yield from (
        each for each in translated if each.rule != "UNIT_CHANGED" or (each.direction, each.pointer) not in seen
    )
    yield from older_version_changes(tool)
    yield from release_change(tool)
    yield from field_changes(tool, Tool)
    for changes in (
        error_changes,
        condition_changes,
        content_changes,
        rate_limit_changes,
        _derived_key_changes,
        effect_changes,
        asking_changes,
        task_changes,
    ):
        yield from changes(tool)


def _schema_topics(tool: ContractPair) -> Iterator[tuple[Topic, str]]:
    """Yield the topics of a tool's schemas with their keys."""
    is_paginated = None not in tool.values("pagination")
    for key, direction, noun, whole, example in (
        ("parameters", Direction.INPUT, "argument", "arguments", "arguments"),
        ("returns", Direction.OUTPUT, "result", "result", "returns"),
    ):
        hint = tool.example_value(example)
        paginated = is_paginated and direction is Direction.INPUT
        yield Topic(direction=direction, noun=noun, whole=whole, tool=tool.tool, paginated=paginated, hint=hint), key


def _derived_key_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield keys that the library derives now, so that equal calls are one."""
    old, new = (side.idempotency.key_from if side.idempotency else () for side in tool.records(Tool))
    if "derived" in new and "derived" not in old:
        text = "equal calls within the window now act once"
        yield tool.change("IDEMPOTENCY_DERIVED_ADDED", text, "idempotency", "key_from")
