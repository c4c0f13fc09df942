"""Reading of JSON into the records of the contract language, once its shape is right."""

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
    for name, make, is_beside in _list_makers(record):  # type: ignore[arg-type] # a class is hashable
        if is_beside:
            known[name] = make(value)
        elif name in value:
            known[name] = make(value[name])
    return record(**known)


def extend_record(record: Any, extended: type[Record], **others: Any) -> Record:
    """Return a record of a class derived from that of *record*, with its fields and *others*."""
    return extended(**{each.name: getattr(record, each.name) for each in fields(record)} | others)


@cache
def _list_makers(record: Any) -> tuple[tuple[str, Maker, bool], ...]:
    """List the fields with the functions that make them; True for members beside other keys."""
    taken = {key.name for key in list_keys(record)}
    return tuple(
        (key.name, _make_members(beside.members), True)
        if (beside := find_mark(key.hint, Beside))
        else (key.name, lambda value: {name: value[name] for name in value if name not in taken}, True)
        if find_mark(key.hint, Others)
        else (key.name, _choose_maker(key.hint), False)
        for key in list_keys(record)
    )


def _choose_maker(hint: Any) -> Maker:
    """Return the function that makes a value of a type from JSON."""
    base, marks = split_marks(hint)
    make = _choose_named(base) if any(isinstance(mark, ByName) for mark in marks) else _choose_base(base)
    within = next((mark.key for mark in marks if isinstance(mark, Within)), None)
    return make if within is None else lambda value: make(value[within])


def _choose_base(base: Any) -> Maker:
    if isinstance(base, type) and is_dataclass(base):
        return partial(read_record, base)
    if get_origin(base) is tuple:
        make_item = _choose_maker(get_args(base)[0])
        return lambda value: tuple(map(make_item, value))
    if get_origin(base) is AbstractMapping:
        make_member = _choose_maker(get_args(base)[1])
        return (
            make_member
            if make_member is _keep
            else lambda value: {key: make_member(each) for key, each in value.items()}
        )
    if is_dataclass(list_alternatives(base)[0]):
        kinds = list_kinds(base)
        return lambda value, **known: read_record(kinds.get(value["kind"]) or kinds[None], value, **known)
    return int if base is int else _keep


def _choose_named(base: Any) -> Maker:
    """Return the function that makes records from an object that has each under its name."""
    make = _choose_maker(get_args(base)[0])
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
