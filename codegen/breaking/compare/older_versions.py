"""The older versions of a tool, before and now: they are promises to callers who name them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.compare.contract_pair import Both
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import CONSTRAINTS, ContractValue, Place, select_keywords
from codegen.schema_sets.samples import distinguishing_values

CARRIED = CONSTRAINTS | {"default"}
"""What of a schema decides what a call means."""


def older_version_changes(tool: Both) -> Iterator[Change]:
    """Everything that differs in the versions that are answered beside the newest."""
    before, after = versions(tool.old), versions(tool.new)
    newest = version_of(tool.old)
    for name, older in before.items():
        if name in after:
            yield from changes_of(Both(old=older, new=after[name], tool=tool.tool, about=f"version {name}"), tool)
        elif name != version_of(tool.new):
            yield removal(tool, name, older)
    for name, added in after.items():
        if name == newest and not is_kept(tool):
            both = Both(old=tool.old, new=added, tool=tool.tool, about=f"version {name}")
            change = both.change("OLDER_VERSION_CHANGED", "it was published with other parameters or returns")
            yield replace(change, shown_by=refused_request(both))
        elif name not in before:
            said = f"{name} is answered{' still' if name == newest else ''}, beside {version_of(tool.new)}"
            yield whole_change(
                "OLDER_VERSION_KEPT", tool, name, tool.old.place.at("version"), added.place.at("version"), said
            )


def is_kept(tool: Both) -> bool:
    """Whether the version that was the newest is answered still, as it was."""
    kept = versions(tool.new).get(version_of(tool.old))
    return kept is not None and promised(kept) == promised(tool.old)


def versions(tool: ContractValue) -> dict[str, ContractValue]:
    """The older versions of a tool."""
    return {version_of(version): version for version in tool.listed("versions")}


def version_of(side: ContractValue) -> str:
    """What a tool, or an older version, says its version is."""
    return str(as_object(side.value).get("version"))


def promised(version: ContractValue) -> list[Any]:
    """What a version takes and gives, words aside."""
    return [select_keywords(version.node(key).inlined, CARRIED) for key in ("parameters", "returns")]


def refused_request(version: Both) -> Any:
    """Arguments that a version took and takes no more; None where none are known."""
    old, new = version.old.node("parameters").constraints, version.new.node("parameters").constraints
    return next(distinguishing_values(old, new), None)


def successor(tool: ContractValue, name: str) -> str:
    """The next newer version."""
    names = [version_of(tool), *versions(tool)]
    return names[names.index(name) - 1]


def changes_of(version: Both, tool: Both) -> Iterator[Change]:
    """What differs in an older version; how it maps to the next may differ where the next is another one."""
    name = version_of(version.old)
    if promised(version.old) != promised(version.new):
        change = version.change("OLDER_VERSION_CHANGED", "its parameters or returns are others")
        yield replace(change, shown_by=refused_request(version))
    elif successor(tool.old, name) == successor(tool.new, name) and len(set(map(str, version.values("to_next")))) > 1:
        yield version.change("OLDER_VERSION_CHANGED", "calls are carried otherwise to the same version", "to_next")
    for key in ("deprecated_on", "sunset_on"):
        yield from day_change(version, key)
    yield from release_change(version)


def release_change(part: Both) -> Iterator[Change]:
    """Another day of release for the same version."""
    was, now = part.values("released_on")
    if was != now and len(set(part.values("version"))) == 1:
        said = f"released_on was {was or 'not said'} and is {now or 'not said'}"
        yield part.change("RELEASE_DAY_CHANGED", said, "released_on")


def day_change(version: Both, key: str) -> Iterator[Change]:
    """A day that callers were told, or are told now."""
    was, now = version.values(key)
    if was == now:
        return
    rule = "OLDER_VERSION_DAY_LATER"
    if was is None:
        rule = "OLDER_VERSION_DAY_NAMED"
    elif now is not None and now < was:
        rule = "OLDER_VERSION_DAY_CLOSER"
    yield version.change(rule, f"{key} was {was or 'not said'} and is {now or 'not said'}", key, detail=key)


def removal(tool: Both, name: str, older: ContractValue) -> Change:
    """A version that is not answered any more, until whichever day it was to be."""
    until = as_object(older.value).get("sunset_on")
    said = f"{name} was to be answered until {until}" if until else f"{name} was to be answered, and named no last day"
    call = {"name": tool.tool, "version": name, "arguments": example(tool.old, name)}
    places = older.place.at("version"), tool.new.place.at("version")
    change = whole_change("OLDER_VERSION_REMOVED", tool, name, *places, f"{said}; it is gone")
    return replace(change, shown_by=call, until=day(until))


def day(text: Any) -> date | None:
    """A day as the contract writes it; None where it is none."""
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        return None


def example(tool: ContractValue, version: str) -> dict[str, Any]:
    """The arguments of an example of a version."""
    examples = [as_object(each.value) for each in tool.listed("examples")]
    return next((as_object(each.get("arguments")) for each in examples if each.get("version") == version), {})


def whole_change(rule: str, tool: Both, version: str, old: Place, new: Place, message: str) -> Change:
    """A change of an older version as a whole."""
    return Change(rule=rule, old=old, new=new, message=message, tool=tool.tool, subject=f"version {version}")
