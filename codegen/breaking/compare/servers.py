"""Two states of a contracts folder: servers, their settings, sources and dialects, and which tool is which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.compare.contract_pair import Both
from codegen.breaking.compare.keyword_change import shown, worded
from codegen.breaking.compare.schema_pair import Topic
from codegen.breaking.compare.schemas import schema_changes
from codegen.breaking.compare.tools import texts, told, tool_changes
from codegen.breaking.rule import Direction
from codegen.ir.settings import setting_schema
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import ContractValue, Place, SchemaNode
from codegen.snapshots import Snapshot


def folder_changes(old: Snapshot, new: Snapshot) -> Iterator[tuple[str, Change]]:
    """Every change of every contract, with the path of the contract in the folder."""
    shared = {name for state in (old, new) for name in state.files if name not in state.contracts}
    moved = any(old.files.get(name) != new.files.get(name) for name in shared)
    for name, document in old.contracts.items():
        if name in new.contracts and not moved and old.files[name] == new.files[name]:
            continue
        if name in new.contracts:
            yield from ((name, change) for change in room_changes(old, new, name))
        else:
            said = f"{document.display_path} is gone, and its server with it"
            yield name, Change(rule="SERVER_REMOVED", old=Place(document, "/server/name"), new=None, message=said)
    for name, document in new.contracts.items():
        if name not in old.contracts:
            said = f"{document.display_path} is a new server"
            yield name, Change(rule="SERVER_ADDED", old=None, new=Place(document, "/server/name"), message=said)


def room_changes(old: Snapshot, new: Snapshot, name: str) -> Iterator[Change]:
    """Every change of one contract."""
    room = Both(old=side(old, name), new=side(new, name))
    yield from server_changes(room.at("server"))
    yield from dialect_changes(room, old, new)
    yield from setting_changes(room)
    yield from source_changes(room)
    before, after = tools(room.old), tools(room.new)
    renamed = {tool: other for tool in before if tool not in after for other in renamings(before[tool], before, after)}
    for tool, part in before.items():
        if tool in after:
            yield from tool_changes(Both(old=part, new=after[tool], tool=tool))
        elif tool in renamed:
            both = part.place.at("name"), after[renamed[tool]].place.at("name")
            yield tool_change("TOOL_RENAMED", tool, f"it is called {renamed[tool]} now", *both, shown_by=call(part))
        else:
            places = part.place.at("name"), room.new.place.at("tools")
            yield tool_change("TOOL_REMOVED", tool, "the tool is gone", *places, shown_by=call(part))
    for tool, part in after.items():
        if tool not in before and tool not in renamed.values():
            yield tool_change("TOOL_ADDED", tool, "the tool is new", room.old.place.at("tools"), part.place.at("name"))


def tool_change(rule: str, tool: str, message: str, old: Place, new: Place, *, shown_by: Any = None) -> Change:
    """A change of a tool as a whole."""
    return Change(rule=rule, old=old, new=new, message=message, tool=tool, shown_by=shown_by)


def call(tool: ContractValue) -> dict[str, Any]:
    """A call of a tool, as its first example has it."""
    examples = [as_object(example.value) for example in tool.listed("examples")]
    arguments = next((example.get("arguments") for example in examples), None)
    return {"name": as_object(tool.value).get("name"), "arguments": as_object(arguments)}


def side(snapshot: Snapshot, name: str) -> ContractValue:
    """A contract of a snapshot."""
    document = snapshot.contracts[name]
    return ContractValue(snapshot.library, Place(document, ""), document.value)


def tools(room: ContractValue) -> dict[str, ContractValue]:
    """The tools of a contract, by name."""
    return {str(as_object(tool.value).get("name")): tool for tool in room.listed("tools")}


def renamings(
    tool: ContractValue, before: Mapping[str, ContractValue], after: Mapping[str, ContractValue]
) -> list[str]:
    """The new name of a tool that is gone: of the only new tool that takes and gives the same."""
    gone = [other for name, other in before.items() if name not in after and alike(other, tool)]
    come = [name for name, other in after.items() if name not in before and alike(tool, other)]
    return come if len(come) == len(gone) == 1 else []


def alike(tool: ContractValue, other: ContractValue) -> bool:
    """Whether two tools take and give the same."""
    return all(tool.node(key).constraints == other.node(key).constraints for key in ("parameters", "returns"))


def server_changes(server: Both) -> Iterator[Change]:
    """Who the server is."""
    before, after = server.values("name")
    if before != after:
        yield server.change("SERVER_RENAMED", f"the server was called {before} and is {after}", "name")
    yield from texts(server, "tool")


def dialect_changes(room: Both, old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """The envelope of answers: another one, or another form of the same."""
    before, after = room.values("dialect")
    if before != after:
        yield room.change("DIALECT_CHANGED", f"the dialect was {before} and is {after}", "dialect", detail="dialect")
    elif before in old.dialects and after in new.dialects:
        sides = (ContractValue(state.library, *state.dialects[before]) for state in (old, new))
        dialect = Both(old=next(sides), new=next(sides), about=f"dialect {before}")
        yield from envelope_changes(dialect)


def envelope_changes(dialect: Both) -> Iterator[Change]:
    """What differs in a dialect that a contract uses."""
    for key in ("success", "failure", "errors_in_output_schema"):
        before, after = dialect.values(key)
        if before != after:
            yield dialect.change("DIALECT_CHANGED", f"{key} is another", key, detail=key)
    for key, part in (("occasions", ()), ("codes", ("http",))):
        for name in dialect.old.items(key):
            before, after = dialect.values(key, name, *part)
            if before != after:
                said = f"{name} was {told(before)} and is {told(after)}"
                yield dialect.change("DIALECT_CODE_CHANGED", said, key, name, *part, detail=f"{key}/{name}")


def setting_changes(room: Both) -> Iterator[Change]:
    """What whoever runs the server has to give."""
    before, after = room.old.items("settings"), room.new.items("settings")
    for name in before:
        setting = room.at("settings", name, about=f"setting {name}")
        if name in after:
            yield from one_setting(setting)
        else:
            yield setting.change("SETTING_REMOVED", f"{setting.old.value.get('env')} is not heeded any more")
    for name in after:
        if name not in before:
            setting = room.at("settings", name, about=f"setting {name}")
            required = "required" in setting.new.value
            said = f"{setting.new.value.get('env')} {'must' if required else 'may'} be given"
            yield setting.change("SETTING_REQUIRED" if required else "SETTING_ADDED", said)


def one_setting(setting: Both) -> Iterator[Change]:
    """What differs in a setting."""
    before, after = setting.values("env")
    if before != after:
        yield setting.change("SETTING_ENV_CHANGED", f"it was read from {before} and is from {after}", "env")
    required = tuple(bool(value) for value in setting.values("required"))
    old, new = setting.values("default")
    if required[1] and not required[0]:
        yield setting.change("SETTING_REQUIRED", f"{after} must be given; the default was {shown(old)}", "required")
    elif old != new and not any(required):
        yield setting.change("SETTING_DEFAULT_CHANGED", f"the default was {shown(old)} and is {shown(new)}", "default")
    secret = tuple(bool(value) for value in setting.values("secret"))
    if secret[0] != secret[1]:
        rule, said = ("SETTING_HIDDEN", "it is a secret now") if secret[1] else ("SETTING_EXPOSED", "it was a secret")
        yield setting.change(rule, said, "secret")
    text = setting.values("description")
    if text[0] != text[1]:
        yield setting.change("DESCRIPTION_CHANGED", worded("description", *text), "description")
    topic = Topic(direction=Direction.INPUT, noun=setting.about, inlined=setting.about, subject=setting.about)
    nodes = (node_of(part) for part in (setting.old, setting.new))
    yield from schema_changes(topic, next(nodes), next(nodes))


def node_of(setting: ContractValue) -> SchemaNode:
    """The schema of a setting's value."""
    return SchemaNode(setting.library, ((setting.place, setting_schema(setting.value)),))


def source_changes(room: Both) -> Iterator[Change]:
    """The systems behind the server."""
    before, after = room.old.items("sources"), room.new.items("sources")
    for name in [*before, *(name for name in after if name not in before)]:
        source = room.at("sources", name, about=f"source {name}")
        if name not in after:
            yield source.change("SOURCE_REMOVED", f"{name} is gone")
        elif name not in before:
            yield source.change("SOURCE_ADDED", f"{name} is new")
        elif source.values("kind")[0] != source.values("kind")[1]:
            was, now = source.values("kind")
            yield source.change("SOURCE_KIND_CHANGED", f"the kind was {was} and is {now}", "kind")
        else:
            for key in dict.fromkeys([*source.old.value, *source.new.value]):
                was, now = source.values(key)
                if was != now:
                    yield source.change(
                        "SOURCE_LIMIT_CHANGED", f"{key} was {told(was)} and is {told(now)}", key, detail=key
                    )
