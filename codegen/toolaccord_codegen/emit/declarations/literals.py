"""Records that stand in generated code as literals, and the imports that these need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, cast

from toolaccord_codegen.naming import NameReference

Record = TypeVar("Record")


def refer(expression: str) -> Any:
    """Return a Python expression that stands in a record instead of the value that it has."""
    return NameReference(expression)


def fill_record(kind: type[Record], known: Any, /, **others: Any) -> Record:
    """Return a record whose members are those of *known* with the same names, and *others*."""
    names = (each.name for each in fields(cast("Any", kind)))
    return kind(
        **{name: getattr(known, name) for name in names if name not in others and hasattr(known, name)} | others
    )


def list_imports(value: Any) -> Iterator[str]:
    """List the lines that import the classes of the records in a value."""
    if is_dataclass(value):
        yield f"from {type(value).__module__} import {type(value).__name__}"
        yield from list_imports([getattr(value, each.name) for each in fields(value)])
    elif isinstance(value, Mapping):
        yield from list_imports(value.values())
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for item in value:
            yield from list_imports(item)
