"""Compare the contracts of two folders: servers, settings, sources, dialects and tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.compare.contract_pair import ContractPair
from codegen.breaking.compare.keyword_change import describe_text_change, format_value
from codegen.breaking.compare.schema_pair import Topic
from codegen.breaking.compare.schemas import schema_changes
from codegen.breaking.compare.tools import format_optional, text_changes, tool_changes
from codegen.breaking.rule import Direction
from codegen.ir.settings import setting_schema
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import ContractValue, Place, SchemaNode
from codegen.snapshots import Snapshot


def folder_changes(old: Snapshot, new: Snapshot) -> Iterator[tuple[str, Change]]:
    """Yield every change with the path of its contract."""
    shared = {name for state in (old, new) for name in state.files if name not in state.contracts}
    is_shared_changed = any(old.files.get(name) != new.files.get(name) for name in shared)
    for name, document in old.contracts.items():
        if name in new.contracts and not is_shared_changed and old.files[name] == new.files[name]:
            continue
        if name in new.contracts:
            yield from ((name, change) for change in _contract_changes(old, new, name))
        else:
            message = f"{document.display_path} was removed with its server"
            yield name, Change(rule="SERVER_REMOVED", old=Place(document, "/server/name"), new=None, message=message)
    for name, document in new.contracts.items():
        if name not in old.contracts:
            message = f"{document.display_path} is a new server"
            yield name, Change(rule="SERVER_ADDED", old=None, new=Place(document, "/server/name"), message=message)


def _contract_changes(old: Snapshot, new: Snapshot, name: str) -> Iterator[Change]:
    """Yield every change of one contract."""
    contract = ContractPair(old=contract_value(old, name), new=contract_value(new, name))
    yield from _server_changes(contract.at("server"))
    yield from _dialect_changes(contract, old, new)
    yield from _setting_changes(contract)
    yield from _source_changes(contract)
    before, after = tools_by_name(contract.old), tools_by_name(contract.new)
    renamed = {tool: other for tool in before if tool not in after for other in _new_names(before[tool], before, after)}
    for tool, value in before.items():
        if tool in after:
            yield from tool_changes(ContractPair(old=value, new=after[tool], tool=tool))
        elif tool in renamed:
            places = value.place.at("name"), after[renamed[tool]].place.at("name")
            yield _whole_tool_change(
                "TOOL_RENAMED",
                tool,
                f"the tool was renamed to {renamed[tool]}",
                *places,
                lost_value=_example_call(value),
            )
        else:
            places = value.place.at("name"), contract.new.place.at("tools")
            yield _whole_tool_change(
                "TOOL_REMOVED", tool, "the tool was removed", *places, lost_value=_example_call(value)
            )
    for tool, value in after.items():
        if tool not in before and tool not in renamed.values():
            yield _whole_tool_change(
                "TOOL_ADDED", tool, "the tool was added", contract.old.place.at("tools"), value.place.at("name")
            )


def _whole_tool_change(rule: str, tool: str, message: str, old: Place, new: Place, *, lost_value: Any = None) -> Change:
    """Return a change of a tool as a whole."""
    return Change(rule=rule, old=old, new=new, message=message, tool=tool, lost_value=lost_value)


def _example_call(tool: ContractValue) -> dict[str, Any]:
    """Return a call with the arguments of the tool's first example."""
    examples = [as_object(example.value) for example in tool.listed("examples")]
    arguments = next((example.get("arguments") for example in examples), None)
    return {"name": as_object(tool.value).get("name"), "arguments": as_object(arguments)}


def contract_value(snapshot: Snapshot, name: str) -> ContractValue:
    """Return a contract of a snapshot."""
    document = snapshot.contracts[name]
    return ContractValue(snapshot.library, Place(document, ""), document.value)


def tools_by_name(contract: ContractValue) -> dict[str, ContractValue]:
    """Return the tools of a contract by name."""
    return {str(as_object(tool.value).get("name")): tool for tool in contract.listed("tools")}


def _new_names(
    tool: ContractValue, before: Mapping[str, ContractValue], after: Mapping[str, ContractValue]
) -> list[str]:
    """Return the new name of a removed tool.

    It is the only added tool with the same schemas.
    """
    removed = [other for name, other in before.items() if name not in after and _has_same_schemas(other, tool)]
    added = [name for name, other in after.items() if name not in before and _has_same_schemas(tool, other)]
    return added if len(added) == len(removed) == 1 else []


def _has_same_schemas(tool: ContractValue, other: ContractValue) -> bool:
    """Return True if two tools have the same parameters and returns."""
    return all(tool.node(key).constraints == other.node(key).constraints for key in ("parameters", "returns"))


def _server_changes(server: ContractPair) -> Iterator[Change]:
    """Yield changes of the server's name and texts."""
    before, after = server.values("name")
    if before != after:
        yield server.change("SERVER_RENAMED", f"the server was renamed from {before} to {after}", "name")
    yield from text_changes(server, "tool")


def _dialect_changes(contract: ContractPair, old: Snapshot, new: Snapshot) -> Iterator[Change]:
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


def _setting_changes(contract: ContractPair) -> Iterator[Change]:
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


def _source_changes(contract: ContractPair) -> Iterator[Change]:
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
