"""Reading of JSON into the records of the contract language, once its shape is right.

Documents of an older language lack what it did not have. `read_incomplete` puts the empty value of a field there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Mapping as AbstractMapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar, get_args, get_origin

from toolaccord.contract.constraints import Beside, ByName, Constraint, Others, Within
from toolaccord_codegen.loading.record_keys import find_mark, list_alternatives, list_keys, list_kinds, split_marks

Record = TypeVar("Record")
Maker: TypeAlias = Callable[..., Any]


def read_record(record: type[Record], value: Mapping[str, Any], **known: Any) -> Record:
    """Return the record of an object whose shape is right; *known* are fields that no key has."""
    return record(**known, **_read_fields(record, read_record, value))


def read_incomplete(record: type[Record], value: Any, **known: Any) -> Record:
    """Return the record of an object that may lack required keys, or is missing itself."""
    found = _read_fields(record, read_incomplete, value if isinstance(value, dict) else {})
    return record(**{**_list_empty_values(record), **known, **found})  # type: ignore[arg-type] # a class is hashable


def _read_fields(record: Any, read: Maker, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that the keys of an object have; *read* makes the records inside it."""
    return {
        name: make(value if is_beside else value[name])
        for name, make, is_beside in _list_makers(record, read)
        if is_beside or name in value
    }


@cache
def _list_empty_values(record: Any) -> Mapping[str, Any]:
    """Return the values of required fields where their keys are missing."""
    required = {key.name: _choose_empty(key.hint) for key in list_keys(record) if key.is_required}
    return {**dict.fromkeys((each.name for each in fields(record) if each.name == "name"), ""), **required}


def _choose_empty(hint: Any) -> Any:
    """Return the value of a type for a key that is missing."""
    base, _ = split_marks(hint)
    first = list_alternatives(base)[0]
    if is_dataclass(first):
        return read_incomplete(first, {})  # type: ignore[arg-type] # never an instance
    if get_origin(base) is tuple:
        return ()
    return base() if base in {str, int, float, bool} else {} if get_origin(base) is AbstractMapping else None


def extend_record(record: Any, extended: type[Record], **others: Any) -> Record:
    """Return a record of a class derived from that of *record*, with its fields and *others*."""
    return extended(**{each.name: getattr(record, each.name) for each in fields(record)} | others)


@cache
def _list_makers(record: Any, read: Maker) -> tuple[tuple[str, Maker, bool], ...]:
    """List the fields with the functions that make them; True for members beside other keys."""
    taken = {key.name for key in list_keys(record)}
    return tuple(
        (key.name, _make_members(beside.members), True)
        if (beside := find_mark(key.hint, Beside))
        else (key.name, lambda value: {name: value[name] for name in value if name not in taken}, True)
        if find_mark(key.hint, Others)
        else (key.name, _choose_maker(key.hint, read), False)
        for key in list_keys(record)
    )


def _choose_maker(hint: Any, read: Maker) -> Maker:
    """Return the function that makes a value of a type from JSON."""
    base, marks = split_marks(hint)
    make = _choose_named(base, read) if any(isinstance(mark, ByName) for mark in marks) else _choose_base(base, read)
    within = next((mark.key for mark in marks if isinstance(mark, Within)), None)
    return make if within is None else lambda value: make(value.get(within))


def _choose_base(base: Any, read: Maker) -> Maker:
    if isinstance(base, type) and is_dataclass(base):
        return partial(read, base)
    if get_origin(base) is tuple:
        make_item = _choose_maker(get_args(base)[0], read)
        return lambda value: tuple(map(make_item, value))
    if get_origin(base) is AbstractMapping:
        make_member = _choose_maker(get_args(base)[1], read)
        return (
            make_member
            if make_member is _keep
            else lambda value: {key: make_member(each) for key, each in value.items()}
        )
    if is_dataclass(list_alternatives(base)[0]):
        kinds = list_kinds(base)
        others = kinds.get(None, list_alternatives(base)[0])
        return lambda value, **known: read(kinds.get(value.get("kind")) or others, value, **known)
    return int if base is int else _keep


def _choose_named(base: Any, read: Maker) -> Maker:
    """Return the function that makes records from an object that has each under its name."""
    make = _choose_maker(get_args(base)[0], read)
    return lambda value: tuple(make(each, name=name) for name, each in value.items())


def _make_members(members: type) -> Maker:
    """Return the function that selects the members of a typed mapping from an object."""
    constraints = {key.name: find_mark(key.hint, Constraint) for key in list_keys(members)}
    defaults = {
        name: found.keywords["default"] for name, found in constraints.items() if found and "default" in found.keywords
    }
    return lambda value: defaults | {name: value[name] for name in constraints if name in value}


def _keep(value: Any) -> Any:
    """Return a value as it is."""
    return value
