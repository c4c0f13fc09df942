"""Compare the environment of a server: dialect, settings and sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord.semantics.replays import omit_replayed
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.errors import number_changes, retryable_changes
from toolaccord_codegen.breaking.compare.keyword_change import format_optional, format_value
from toolaccord_codegen.breaking.compare.schema_pair import Topic
from toolaccord_codegen.breaking.compare.schemas import schema_changes
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.ir.contract import DEFAULT_DETAILS
from toolaccord_codegen.ir.settings import setting_schema
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue, SchemaNode
from toolaccord_codegen.snapshots import Snapshot

REFERRING = ("sources", "agent", "uses", "batch")
"""Keys of a contract whose values refer to settings."""


def dialect_changes(contract: ContractPair, old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """Yield changes of the envelope: another dialect, or a changed one."""
    yield from contract.value_change("DIALECT_CHANGED", "dialect", noun="the dialect", detail="dialect")
    before, after = contract.values("dialect")
    if before == after and before in old.dialects and after in new.dialects:
        sides = (ContractValue(state.library, *state.dialects[before]) for state in (old, new))
        dialect = ContractPair(old=next(sides), new=next(sides), label=f"dialect {before}")
        yield from _envelope_changes(dialect)
        takes_keys = any("idempotency" in as_object(tool) for tool in as_array(contract.new.value.get("tools")))
        if takes_keys and dialect.differs("success") and _marks_replays(dialect):
            yield dialect.change("REPLAYS_MARKED", "answers to repeated calls say so", "success")


def _envelope_changes(dialect: ContractPair) -> Iterator[Change]:
    """Yield changes of a dialect that a contract uses."""
    for key in ("success", "failure", "errors_in_output_schema"):
        if dialect.differs(key) and not (key == "success" and _marks_replays(dialect)):
            yield dialect.change("DIALECT_CHANGED", f"{key} changed", key, detail=key)
    message = "protocol errors no longer have the failure as data"
    if tuple(map(bool, dialect.values("failure_in_protocol_errors"))) == (True, False):
        yield dialect.change("DIALECT_CHANGED", message, "failure_in_protocol_errors", detail="protocol_errors")
    for key, value in (("occasions", ()), ("codes", ("http",))):
        for name in dialect.old.items(key):
            yield from dialect.value_change(
                "DIALECT_CODE_CHANGED",
                *(key, name, *value),
                noun=name,
                describe=format_optional,
                detail=f"{key}/{name}",
            )
    for occasion in ("handler", "result"):
        message = f"{occasion} has a code of its own, {{}}"
        yield from dialect.presence_change("DIALECT_CODE_CHANGED", message, "occasions", occasion, is_added=True)
    yield from _code_changes(dialect)
    yield from _detail_changes(dialect)


def _marks_replays(dialect: ContractPair) -> bool:
    """Return True if the new envelope is the old one, but for the mark of replays."""
    before, after = dialect.values("success")
    return bool(before == omit_replayed(after))


def _code_changes(dialect: ContractPair) -> Iterator[Change]:
    """Yield standard codes with another number, and those that turn retryable, or not retryable.

    A dialect that did not say it promised nothing.
    """
    for code in dialect.old.items("codes"):
        pair = dialect.at("codes", code, label=f"{dialect.label}, {code}")
        yield from number_changes(pair)
        before, after = pair.values("retryable")
        if isinstance(before, bool) and isinstance(after, bool):
            yield from retryable_changes(pair, before, after)


def _detail_changes(dialect: ContractPair) -> Iterator[Change]:
    """Yield changes of the details of errors outside the handlers."""
    for occasion in {**DEFAULT_DETAILS, **dialect.old.items("details"), **dialect.new.items("details")}:
        default = DEFAULT_DETAILS.get(occasion, ())
        old, new = (default if names is None else as_array(names) for names in dialect.values("details", occasion))
        for rule, verb, names in (
            ("ERROR_DETAIL_REMOVED", "no longer", [name for name in old if name not in new]),
            ("ERROR_DETAIL_ADDED", "now", [name for name in new if name not in old]),
        ):
            for name in names:
                message = f'the details on the occasion {occasion} {verb} have "{name}"'
                yield dialect.change(rule, message, "details", occasion, detail=f"details/{occasion}/{name}")


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
        yield from setting.value_change("SETTING_DEFAULT_CHANGED", "default", noun="the default", describe=format_value)
    was_secret, is_secret = map(bool, setting.values("secret"))
    if is_secret and not was_secret:
        yield setting.change("SETTING_HIDDEN", "it is now secret", "secret")
    elif was_secret and not is_secret:
        yield setting.change("SETTING_EXPOSED", "it is no longer secret", "secret")
    yield from setting.text_change("DESCRIPTION_CHANGED", "description")
    topic = Topic(direction=Direction.INPUT, noun=setting.label, whole=setting.label, subject=setting.label)
    yield from schema_changes(topic, _setting_schema_node(setting.old), _setting_schema_node(setting.new))


def _setting_schema_node(setting: ContractValue) -> SchemaNode:
    """Return the schema of a setting's value."""
    return SchemaNode(setting.library, ((setting.place, setting_schema(setting.value)),))


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
        if _is_reference(value):
            yield pointer, str(members["setting"])
        else:
            todo += [(join_pointer(pointer, name), part) for name, part in members.items()]


def _is_reference(value: Any) -> bool:
    """Return True if a value refers to a setting."""
    return as_object(value).keys() == {"setting"}


def source_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the systems behind the server."""
    before, after = contract.old.items("sources"), contract.new.items("sources")
    for name in {**before, **after}:
        source = contract.at("sources", name, label=f"source {name}")
        was, now = source.values("kind")
        if name not in after:
            yield source.change("SOURCE_REMOVED", "the source was removed")
        elif name not in before:
            yield source.change("SOURCE_ADDED", "the source was added")
        elif was != now:
            yield from source.value_change("SOURCE_KIND_CHANGED", "kind", noun="the kind")
        else:
            for key in {**source.old.value, **source.new.value}:
                if all(map(_is_reference, source.values(key))):
                    continue  # _variable_changes compares what they refer to
                yield from source.value_change("SOURCE_LIMIT_CHANGED", key, describe=format_optional, detail=key)
