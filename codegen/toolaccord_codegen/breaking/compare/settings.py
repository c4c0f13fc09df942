"""Compare the settings that operators provide, and the values that refer to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord.contract.settings import Setting
from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_value
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.compare.schemas.texts import read_text, text_schema_changes
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue, SchemaNode

REFERRING = ("sources", "agent", "uses", "batch")
"""Keys of a contract whose values refer to settings."""


def setting_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the settings that operators provide."""
    before, after = contract.old.items("settings"), contract.new.items("settings")
    for name in {**before, **after}:
        setting = contract.at("settings", name, label=f"setting {name}")
        env = setting.values("env")
        if name not in after:
            yield setting.change("SETTING_REMOVED", f"{env[0]} is no longer read")
        elif name in before:
            yield from _one_setting_changes(setting)
        elif "required" in after[name].value:
            yield setting.change("SETTING_REQUIRED", f"{env[1]} must be set")
        else:
            yield setting.change("SETTING_ADDED", f"{env[1]} may be set")
    yield from _variable_changes(contract)


def _one_setting_changes(setting: ContractPair) -> Iterator[Change]:
    """Yield the changes of one setting."""
    yield from setting.value_change("SETTING_ENV_CHANGED", "env", noun="the variable")
    was_required, is_required = map(bool, setting.values("required"))
    if is_required and not was_required:
        default = format_value(setting.values("default")[0])
        message = f"{setting.values('env')[1]} must be set; the default was {default}"
        yield setting.change("SETTING_REQUIRED", message, "required")
    elif was_required and not is_required:
        default = format_value(setting.values("default")[1])
        yield setting.change(
            "SETTING_OPTIONAL", f"{setting.values('env')[1]} need not be set; the default is {default}", "default"
        )
    else:
        before, after = map(read_text, setting.values("default"))
        if before != after:
            yield from setting.value_change(
                "SETTING_DEFAULT_CHANGED", "default", noun="the default", describe=format_value
            )
    was_secret, is_secret = map(bool, setting.values("secret"))
    if is_secret and not was_secret:
        yield setting.change("SETTING_HIDDEN", "it is now secret", "secret")
    elif was_secret and not is_secret:
        yield setting.change("SETTING_EXPOSED", "it is no longer secret", "secret")
    yield from setting.text_change("DESCRIPTION_CHANGED", "description")
    topic = Topic(direction=Direction.INPUT, noun=setting.label, whole=setting.label, subject=setting.label)
    yield from text_schema_changes(topic, _setting_schema_node(setting.old), _setting_schema_node(setting.new))


def _setting_schema_node(setting: ContractValue) -> SchemaNode:
    """Return the schema of a setting's value."""
    return SchemaNode(setting.library, ((setting.place, read_record(Setting, setting.value, name="").schema),))


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
