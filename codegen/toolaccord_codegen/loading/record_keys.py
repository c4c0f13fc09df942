"""Keys of the contract language, as the fields of its records declare them."""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, TypeVar, Union, get_args, get_origin, get_type_hints

from toolaccord.contract import constraints, setting_schemas, texts
from toolaccord.contract.constraints import FromKey, Required, Resolved
from toolaccord.semantics.normalization import InstantUnit

LANGUAGE_NAMES = {**vars(constraints), **vars(texts), **vars(setting_schemas), "InstantUnit": InstantUnit}
"""Names in annotations that a running server does not import."""
Mark = TypeVar("Mark")


@dataclass(frozen=True, slots=True)
class Key:
    """A key of an object."""

    name: str
    hint: Any
    """The type of its values with its markers; without None, which no key admits."""
    is_required: bool
    default: Any
    """The value without the key; MISSING where there is none."""


@cache
def list_keys(record: type) -> tuple[Key, ...]:
    """List the keys of a record or of a typed mapping, in their order."""
    hints = get_type_hints(record, localns=LANGUAGE_NAMES, include_extras=True)
    if not is_dataclass(record):
        return tuple(_describe_member(record, name, hint) for name, hint in hints.items())
    return tuple(
        _describe_field(each, hints[each.name])
        for each in fields(record)
        if find_mark(hints[each.name], FromKey) is None and find_mark(hints[each.name], Resolved) is None
    )


def _describe_member(mapping: Any, name: str, hint: Any) -> Key:
    """Describe a key of a typed mapping."""
    is_optional = get_origin(hint) is NotRequired
    return Key(name, get_args(hint)[0] if is_optional else hint, mapping.__total__ and not is_optional, MISSING)


def _describe_field(field: Field[Any], hint: Any) -> Key:
    """Describe the key of a field."""
    has_default = field.default is not MISSING or field.default_factory is not MISSING
    inner = without_none(hint)
    is_required = find_mark(hint, Required) is not None or not (has_default or inner is not hint)
    return Key(field.name, inner, is_required, field.default)


def without_none(hint: Any) -> Any:
    """Return a type without None among its alternatives."""
    if get_origin(hint) not in {Union, UnionType} or NoneType not in get_args(hint):
        return hint
    return Union[tuple(each for each in get_args(hint) if each is not NoneType)]  # noqa: UP007 - made of a tuple


def list_alternatives(hint: Any) -> tuple[Any, ...]:
    """List the types of a union; any other type is its only alternative."""
    return get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)


def split_marks(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Split a type from its markers."""
    return (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def find_mark(hint: Any, kind: type[Mark]) -> Mark | None:
    """Return the first marker of a kind; None without one."""
    return next((mark for mark in split_marks(hint)[1] if isinstance(mark, kind)), None)


def list_kinds(union: Any) -> dict[str | None, type]:
    """List the records of a union by the value of their key `kind`; None stands for others."""
    return {
        get_args(base)[0] if get_origin(base) is Literal else None: record
        for record in list_alternatives(split_marks(union)[0])
        for key in list_keys(record)
        if key.name == "kind"
        for base in [split_marks(key.hint)[0]]
    }
