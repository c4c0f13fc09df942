"""Compare the older versions of a tool, which are promises to callers who name them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.compare.contract_pair import ContractPair
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import CONSTRAINTS, ContractValue, Place, select_keywords
from codegen.schema_sets.samples import distinguishing_values

VERSION_KEYWORDS = CONSTRAINTS | {"default"}
"""Keywords that decide the meaning of a call."""


def older_version_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of the versions that are answered beside the newest."""
    before, after = _older_versions(tool.old), _older_versions(tool.new)
    newest = version_of(tool.old)
    for name, older in before.items():
        if name in after:
            yield from _older_version_changes(
                ContractPair(old=older, new=after[name], tool=tool.tool, label=f"version {name}"), tool
            )
        elif name != version_of(tool.new):
            yield _removal(tool, name, older)
    for name, added in after.items():
        if name == newest and not is_kept(tool):
            pair = ContractPair(old=tool.old, new=added, tool=tool.tool, label=f"version {name}")
            change = pair.change("OLDER_VERSION_CHANGED", "its parameters or returns differ from the published ones")
            yield replace(change, lost_value=_rejected_request(pair))
        elif name not in before:
            message = f"{name} is {'still ' if name == newest else ''}answered beside {version_of(tool.new)}"
            yield _version_change(
                "OLDER_VERSION_KEPT", tool, name, tool.old.place.at("version"), added.place.at("version"), message
            )


def is_kept(tool: ContractPair) -> bool:
    """Return True if the previous newest version is still answered unchanged."""
    older = _older_versions(tool.new).get(version_of(tool.old))
    return older is not None and _promise(older) == _promise(tool.old)


def _older_versions(tool: ContractValue) -> dict[str, ContractValue]:
    """Return the older versions of a tool by version."""
    return {version_of(version): version for version in tool.listed("versions")}


def version_of(side: ContractValue) -> str:
    """Return the version of a tool or of an older version."""
    return str(as_object(side.value).get("version"))


def _promise(version: ContractValue) -> list[Any]:
    """Return the parameters and returns of a version without annotations."""
    return [select_keywords(version.node(key).inlined, VERSION_KEYWORDS) for key in ("parameters", "returns")]


def _rejected_request(version: ContractPair) -> Any:
    """Return arguments that a version no longer accepts, or None."""
    old, new = version.old.node("parameters").constraints, version.new.node("parameters").constraints
    return next(distinguishing_values(old, new), None)


def _next_version(tool: ContractValue, name: str) -> str:
    """Return the next newer version."""
    names = [version_of(tool), *_older_versions(tool)]
    return names[names.index(name) - 1]


def _older_version_changes(version: ContractPair, tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of an older version.

    Its steps may change if the next version is another one.
    """
    name = version_of(version.old)
    if _promise(version.old) != _promise(version.new):
        change = version.change("OLDER_VERSION_CHANGED", "its parameters or returns changed")
        yield replace(change, lost_value=_rejected_request(version))
    elif (
        _next_version(tool.old, name) == _next_version(tool.new, name)
        and len(set(map(str, version.values("to_next")))) > 1
    ):
        yield version.change("OLDER_VERSION_CHANGED", "its steps to the same version changed", "to_next")
    for key in ("deprecated_on", "sunset_on"):
        yield from _date_change(version, key)
    yield from release_change(version)


def release_change(part: ContractPair) -> Iterator[Change]:
    """Yield a change of the release date of the same version."""
    was, now = part.values("released_on")
    if was != now and len(set(part.values("version"))) == 1:
        message = f"released_on changed from {was or 'none'} to {now or 'none'}"
        yield part.change("RELEASE_DAY_CHANGED", message, "released_on")


def _date_change(version: ContractPair, key: str) -> Iterator[Change]:
    """Yield a change of an announced date."""
    was, now = version.values(key)
    if was == now:
        return
    rule = "OLDER_VERSION_DAY_LATER"
    if was is None:
        rule = "OLDER_VERSION_DAY_NAMED"
    elif now is not None and now < was:
        rule = "OLDER_VERSION_DAY_CLOSER"
    yield version.change(rule, f"{key} changed from {was or 'none'} to {now or 'none'}", key, detail=key)


def _removal(tool: ContractPair, name: str, older: ContractValue) -> Change:
    """Return the change of a version that is no longer answered."""
    sunset = as_object(older.value).get("sunset_on")
    promise = f"was promised until {sunset}" if sunset else "had no last day"
    call = {"name": tool.tool, "version": name, "arguments": _example_arguments(tool.old, name)}
    places = older.place.at("version"), tool.new.place.at("version")
    change = _version_change("OLDER_VERSION_REMOVED", tool, name, *places, f"{name} {promise} and was removed")
    return replace(change, lost_value=call, promised_until=_date_of(sunset))


def _date_of(text: Any) -> date | None:
    """Return the date in a text, or None."""
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        return None


def _example_arguments(tool: ContractValue, version: str) -> dict[str, Any]:
    """Return the arguments of an example of a version."""
    examples = [as_object(each.value) for each in tool.listed("examples")]
    return next((as_object(each.get("arguments")) for each in examples if each.get("version") == version), {})


def _version_change(rule: str, tool: ContractPair, version: str, old: Place, new: Place, message: str) -> Change:
    """Return a change of an older version as a whole."""
    return Change(rule=rule, old=old, new=new, message=message, tool=tool.tool, subject=f"version {version}")
