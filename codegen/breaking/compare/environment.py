"""Compare the environment of a server: dialect, settings and sources."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.changes import Change
from codegen.breaking.compare.contract_pair import ContractPair
from codegen.breaking.compare.keyword_change import describe_text_change, format_optional, format_value
from codegen.breaking.compare.schema_pair import Topic
from codegen.breaking.compare.schemas import schema_changes
from codegen.breaking.rule import Direction
from codegen.ir.settings import setting_schema
from codegen.loading.schema_nodes import ContractValue, SchemaNode
from codegen.snapshots import Snapshot


def dialect_changes(contract: ContractPair, old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """Yield changes of the envelope: another dialect, or a changed one."""
    before, after = contract.values("dialect")
    if before != after:
        yield contract.change(
            "DIALECT_CHANGED", f"the dialect changed from {before} to {after}", "dialect", detail="dialect"
        )
    elif before in old.dialects and after in new.dialects:
        sides = (ContractValue(state.library, *state.dialects[before]) for state in (old, new))
        dialect = ContractPair(old=next(sides), new=next(sides), label=f"dialect {before}")
        yield from _envelope_changes(dialect)


def _envelope_changes(dialect: ContractPair) -> Iterator[Change]:
    """Yield changes of a dialect that a contract uses."""
    for key in ("success", "failure", "errors_in_output_schema"):
        before, after = dialect.values(key)
        if before != after:
            yield dialect.change("DIALECT_CHANGED", f"{key} changed", key, detail=key)
    for key, value in (("occasions", ()), ("codes", ("http",))):
        for name in dialect.old.items(key):
            before, after = dialect.values(key, name, *value)
            if before != after:
                message = f"{name} changed from {format_optional(before)} to {format_optional(after)}"
                yield dialect.change("DIALECT_CODE_CHANGED", message, key, name, *value, detail=f"{key}/{name}")


def setting_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the settings that operators provide."""
    before, after = contract.old.items("settings"), contract.new.items("settings")
    for name in before:
        setting = contract.at("settings", name, label=f"setting {name}")
        if name in after:
            yield from _one_setting_changes(setting)
        else:
            yield setting.change("SETTING_REMOVED", f"{setting.old.value.get('env')} is no longer read")
    for name in after:
        if name not in before:
            setting = contract.at("settings", name, label=f"setting {name}")
            required = "required" in setting.new.value
            message = f"{setting.new.value.get('env')} {'must' if required else 'may'} be set"
            yield setting.change("SETTING_REQUIRED" if required else "SETTING_ADDED", message)


def _one_setting_changes(setting: ContractPair) -> Iterator[Change]:
    """Yield the changes of one setting."""
    before, after = setting.values("env")
    if before != after:
        yield setting.change("SETTING_ENV_CHANGED", f"the variable changed from {before} to {after}", "env")
    required = tuple(bool(value) for value in setting.values("required"))
    old, new = setting.values("default")
    if required[1] and not required[0]:
        yield setting.change(
            "SETTING_REQUIRED", f"{after} must be set; the default was {format_value(old)}", "required"
        )
    elif old != new and not any(required):
        yield setting.change(
            "SETTING_DEFAULT_CHANGED", f"the default changed from {format_value(old)} to {format_value(new)}", "default"
        )
    secret = tuple(bool(value) for value in setting.values("secret"))
    if secret[0] != secret[1]:
        rule, message = (
            ("SETTING_HIDDEN", "it is now secret") if secret[1] else ("SETTING_EXPOSED", "it is no longer secret")
        )
        yield setting.change(rule, message, "secret")
    text = setting.values("description")
    if text[0] != text[1]:
        yield setting.change("DESCRIPTION_CHANGED", describe_text_change("description", *text), "description")
    topic = Topic(direction=Direction.INPUT, noun=setting.label, whole=setting.label, subject=setting.label)
    nodes = (_setting_schema_node(value) for value in (setting.old, setting.new))
    yield from schema_changes(topic, next(nodes), next(nodes))


def _setting_schema_node(setting: ContractValue) -> SchemaNode:
    """Return the schema of a setting's value."""
    return SchemaNode(setting.library, ((setting.place, setting_schema(setting.value)),))


def source_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the systems behind the server."""
    before, after = contract.old.items("sources"), contract.new.items("sources")
    for name in [*before, *(name for name in after if name not in before)]:
        source = contract.at("sources", name, label=f"source {name}")
        if name not in after:
            yield source.change("SOURCE_REMOVED", "the source was removed")
        elif name not in before:
            yield source.change("SOURCE_ADDED", "the source was added")
        elif source.values("kind")[0] != source.values("kind")[1]:
            was, now = source.values("kind")
            yield source.change("SOURCE_KIND_CHANGED", f"the kind changed from {was} to {now}", "kind")
        else:
            for key in dict.fromkeys([*source.old.value, *source.new.value]):
                was, now = source.values(key)
                if was != now:
                    yield source.change(
                        "SOURCE_LIMIT_CHANGED",
                        f"{key} changed from {format_optional(was)} to {format_optional(now)}",
                        key,
                        detail=key,
                    )
