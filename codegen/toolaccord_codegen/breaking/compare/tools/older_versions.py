"""Compare the older versions of a tool, which are promises to callers who name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from toolaccord.contract.tools import Tool
from toolaccord.semantics.json_pointers import split_pointer
from toolaccord.semantics.versions import find_answering
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.loading.json_equality import canonical_json, equal_json
from toolaccord_codegen.loading.references import as_array, as_object, convert_children
from toolaccord_codegen.loading.scalars import parse_date
from toolaccord_codegen.loading.schema_nodes import CONSTRAINTS, ContractValue, Schema, select_keywords
from toolaccord_codegen.schema_sets.containment import covers
from toolaccord_codegen.schema_sets.samples import distinguishing_values, minimal_value
from toolaccord_codegen.schema_sets.validators import admits
from toolaccord_codegen.versions.schema_mapping import schemas_at

VERSION_KEYWORDS = CONSTRAINTS | {"default", "x-unit"}
"""Keywords that decide the meaning of a call."""
SETS = ("enum", "required", "type")
"""Keywords whose lists have no order."""


def older_version_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of the versions that are answered beside the newest."""
    before, after = (side.listed_by("versions", "version") for side in (tool.old, tool.new))
    newest = version_of(tool.old)
    for name, older in before.items():
        if name in after:
            pair = tool.pair(older, after[name], tool=tool.tool, label=f"version {name}")
            yield from _older_version_changes(pair, tool)
        elif name != version_of(tool.new):
            yield _removal(tool, name, older)
    for name, added in after.items():
        if name == newest and not equal_json(_promise(added), _promise(tool.old)):
            pair = tool.pair(tool.old, added, tool=tool.tool, label=f"version {name}")
            message = "its parameters or returns differ from the published ones"
            yield pair.change("OLDER_VERSION_CHANGED", message, lost_value=_rejected_request(pair))
        elif name not in before and not is_past(added, tool.around.today):
            message = f"{name} is {'still ' if name == newest else ''}answered beside {version_of(tool.new)}"
            place = added.place.at("version")
            yield tool.change("OLDER_VERSION_KEPT", message, "version", detail=f"version {name}", new=place)


def is_kept(tool: ContractPair) -> bool:
    """Return True if callers that name the previous newest version are still answered as before."""
    found = _find_answering(tool, version_of(tool.old))
    return found is not None and found.place != tool.new.place and _fulfils(found, tool.old)


def _find_answering(tool: ContractPair, name: str) -> ContractValue | None:
    """Return the version of the new state that answers callers of a version."""
    older = tool.new.listed_by("versions", "version")
    alive = {each: value for each, value in older.items() if not is_past(value, tool.around.today)}
    offered = {version_of(tool.new): tool.new, **alive}
    return offered.get(find_answering(name, list(offered)) or "")


def _fulfils(version: ContractValue, promise: ContractValue) -> bool:
    """Return True if a version provably answers the calls of another one as promised."""
    if equal_json(_promise(version), _promise(promise)):
        return True
    taken, given = ([side.node(key).constraints for side in (version, promise)] for key in ("parameters", "returns"))
    return covers(*taken) and covers(*given[::-1])


def is_past(version: ContractValue, today: date | None) -> bool:
    """Return True if the last day of a version is past."""
    last = parse_date(version.at("sunset_on").value)
    return last is not None and today is not None and last < today


def version_of(side: ContractValue) -> str:
    """Return the version of a tool or of an older version."""
    return str(side.at("version").value)


def _promise(version: ContractValue) -> list[Any]:
    """Return the parameters and returns of a version without annotations."""
    return [_meaning(version.node(key).inlined) for key in ("parameters", "returns")]


def _meaning(schema: Schema) -> dict[str, Any]:
    """Return a schema without annotations, with its sets in one order."""
    return _sort_sets(select_keywords(schema, VERSION_KEYWORDS))


def _sort_sets(schema: Schema) -> dict[str, Any]:
    """Return a schema, and the schemas inside it, with sets in one order."""
    sets: Schema = {key: sorted(schema[key], key=canonical_json) for key in SETS if isinstance(schema.get(key), list)}
    return {key: convert_children(key, value, _sort_sets) for key, value in {**schema, **sets}.items()}


def _rejected_request(version: ContractPair) -> Any:
    """Return arguments that a version no longer accepts, or None."""
    old, new = version.old.node("parameters").constraints, version.new.node("parameters").constraints
    return next(distinguishing_values(old, new), None)


def _next_version(tool: ContractValue, name: str) -> ContractValue:
    """Return the next newer version."""
    versions = {version_of(tool): tool, **tool.listed_by("versions", "version")}
    names = [*versions]
    return versions[names[names.index(name) - 1]]


def _step_changes(version: ContractPair, tool: ContractPair) -> Iterator[Change]:
    """Yield the change of a version's steps, except for what the next version's schemas require."""
    name = version_of(version.old)
    following = ContractPair(old=_next_version(tool.old, name), new=_next_version(tool.new, name))
    for key in ("parameters", "returns"):
        schemas = [side.node(key).inlined for side in (following.old, following.new)]
        is_same = equal_json(*map(_meaning, schemas))
        before, after = (_steps_by_place(side.at("to_next", key).value or ()) for side in (version.old, version.new))
        for places in {**before, **after}:
            steps = before.get(places), after.get(places)
            is_allowed = None in steps and not _is_equally_required(schemas, places[1])
            is_settled = is_same or (not is_allowed and _is_unchanged_at(schemas, places[1]))
            if is_settled and not equal_json(*steps):
                yield version.change("OLDER_VERSION_CHANGED", "its steps to the next version changed", "to_next")
                return


def _steps_by_place(steps: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Any]:
    """Return steps by their pointers in the older and in the newer version, empty for none."""
    return {
        (str(step.get("move", step.get("drop", ""))), str(step.get("to", step.get("add", "")))): step for step in steps
    }


def _is_unchanged_at(schemas: Sequence[Schema], pointer: str) -> bool:
    """Return True if two schemas have equal parts at a pointer. An empty pointer leads to none."""
    old, new = (schemas_at(schema, split_pointer(pointer)) if pointer else [] for schema in schemas)
    return equal_json(*(list(map(_meaning, parts)) for parts in (old, new)))


def _is_equally_required(schemas: Sequence[Schema], pointer: str) -> bool:
    """Return True if two schemas have a member at a pointer, which both require or neither."""
    *around, name = split_pointer(pointer) or ("",)
    parents = (schemas_at(schema, (*around,)) for schema in schemas)
    members = [[part for part in parts if name in as_object(part.get("properties"))] for parts in parents]
    old, new = ([name in as_array(part.get("required")) for part in parts] for parts in members)
    return bool(old) and old == new


def _older_version_changes(version: ContractPair, tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of an older version.

    Its steps may change with the schemas of the next version.
    """
    if not equal_json(_promise(version.old), _promise(version.new)):
        message = "its parameters or returns changed"
        yield version.change("OLDER_VERSION_CHANGED", message, lost_value=_rejected_request(version))
    else:
        yield from _step_changes(version, tool)
    had_ended, has_ended = (is_past(side, tool.around.today) for side in (version.old, version.new))
    for key in ("deprecated_on", "sunset_on"):
        was, now = version.values(key)
        if key == "sunset_on" and had_ended and has_ended:
            continue  # nobody is answered in either state
        is_closer = (was is not None and now is not None and now < was) or (key == "sunset_on" and has_ended)
        rule = "CLOSER" if is_closer else "NAMED" if was is None else "LATER"
        yield from version.value_change(f"OLDER_VERSION_DAY_{rule}", key, detail=key)
    yield from release_change(version)


def release_change(part: ContractPair) -> Iterator[Change]:
    """Yield a change of the release date of the same version."""
    if len(set(part.values("version"))) == 1:
        yield from part.value_change("RELEASE_DAY_CHANGED", "released_on")


def _removal(tool: ContractPair, name: str, older: ContractValue) -> Change:
    """Return the change of a version that is no longer answered."""
    sunset = older.at("sunset_on").value
    stand_in = _find_answering(tool, name)
    ends = stand_in and parse_date(stand_in.at("sunset_on").value)
    is_long_enough = not ends or (sunset is not None and ends >= (parse_date(sunset) or ends))
    if stand_in and is_long_enough and _fulfils(stand_in, older):
        message = f"{name} was removed, and {version_of(stand_in)} answers the callers who name it"
        place, detail = older.place.at("version"), f"version {name}"
        return tool.change("OLDER_VERSION_REPLACED", message, "version", detail=detail, old=place)
    return tool.change(
        "OLDER_VERSION_REMOVED",
        f"{name} {f'was promised until {sunset}' if sunset else 'had no last day'} and was removed",
        "version",
        detail=f"version {name}",
        old=older.place.at("version"),
        lost_value=accepted_call(tool.old, older),
        promised_until=parse_date(sunset),
    )


def accepted_call(tool: ContractValue, version: ContractValue) -> dict[str, Any] | None:
    """Return a call that a version of a tool accepts, or None if none is known."""
    newest, name = version_of(tool), version_of(version)
    schema = version.node("parameters").constraints
    examples = [each for each in tool.read(Tool).examples if (each.version or newest) == name and each.error is None]
    calls = (*(each.arguments for each in examples), minimal_value(schema))
    accepted = [each for each in calls if isinstance(each, dict) and admits(schema, each)]
    version_argument = {} if name == newest else {"version": name}
    return {"name": tool.at("name").value, **version_argument, "arguments": accepted[0]} if accepted else None
