"""Compare the settings that operators provide, and the values that refer to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord.contract.settings import Setting
from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.fields import field_changes
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_value
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.compare.schemas.texts import read_text, text_schema_changes
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue, SchemaNode

REFERRING = ("sources", "agent", "uses", "batch")
"""Keys of a contract whose values refer to settings."""


def setting_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the settings that operators provide."""
    before, after = contract.old.items("settings"), contract.new.items("settings")
    for name in {**before, **after}:
        setting = contract.at("settings", name, label=f"setting {name}")
        old, new = setting.records(Setting)
        if name not in after:
            yield setting.change("SETTING_REMOVED", f"{old.env} is no longer read")
        elif name in before:
            yield from _one_setting_changes(setting, old, new)
        elif new.required:
            yield setting.change("SETTING_REQUIRED", f"{new.env} must be set")
        else:
            yield setting.change("SETTING_ADDED", f"{new.env} may be set")
    yield from _variable_changes(contract)


def _one_setting_changes(setting: ContractPair, old: Setting, new: Setting) -> Iterator[Change]:
    """Yield the changes of one setting."""
    yield from field_changes(setting, Setting)
    before, after = (format_value(side.default) for side in (old, new))
    if new.required and not old.required:
        yield setting.change("SETTING_REQUIRED", f"{new.env} must be set; the default was {before}", "required")
    elif old.required and not new.required:
        yield setting.change("SETTING_OPTIONAL", f"{new.env} need not be set; the default is {after}", "default")
    elif read_text(old.default) != read_text(new.default):
        yield setting.change("SETTING_DEFAULT_CHANGED", f"the default changed from {before} to {after}", "default")
    topic = Topic(direction=Direction.INPUT, noun=setting.label, whole=setting.label, subject=setting.label)
    nodes = (
        SchemaNode(side.library, ((side.place, record.schema),))
        for side, record in ((setting.old, old), (setting.new, new))
    )
    yield from text_schema_changes(topic, *nodes)


def _variable_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield values that refer to another setting, which is read from another variable."""
    before, after = (dict(_list_references(side)) for side in (contract.old, contract.new))
    for pointer in [pointer for pointer in before if pointer in after and before[pointer] != after[pointer]]:
        pair = contract.at(*split_pointer(pointer))
        was, now = (
            side.at("settings", name, "env").value
            for side, name in ((contract.old, before[pointer]), (contract.new, after[pointer]))
        )
        if was != now:
            message = f"{pointer} is read from {now}, and {was} is no longer heeded"
            yield pair.change("SETTING_ENV_CHANGED", message, "setting", detail=pointer)


def _list_references(contract: ContractValue) -> Iterator[tuple[str, str]]:
    """Yield the pointers of the references to settings, and the names of the settings."""
    todo = [(f"/{key}", as_object(contract.value).get(key)) for key in REFERRING]
    while todo:
        pointer, value = todo.pop(0)
        members = as_object(value)
        if is_reference(value):
            yield pointer, str(members["setting"])
        else:
            todo += [(join_pointer(pointer, name), part) for name, part in members.items()]


def is_reference(value: Any) -> bool:
    """Return True if a value refers to a setting."""
    return as_object(value).keys() == {"setting"}
