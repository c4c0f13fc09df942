"""Declaration of a command-line argument on the field of an options record."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_type_hints


def argument(description: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of `add_argument` for a field of an options record, as its metadata.

    Its flag is `--` and its name, with hyphens for underscores, unless the setting `flag` is false. A default that is a
    function returns the default.
    """
    return {"help": description, **settings}


def project_key(description: str, *, flag: bool = True, **settings: Any) -> dict[str, Any]:
    """Return the metadata of a field that is a key of [tool.toolaccord] and a flag.

    Without a `flag` it is a key only. The key has the field's name and a text, which the setting `type` converts, with
    `table` a table of texts, or with the action `store_true` true or false. A flag wins over the key.
    """
    return argument(description, **settings, project_key="flag" if flag else "key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The project that a command works on."""

    folder: Path = Path()
    """The folder of its pyproject.toml with [tool.toolaccord]; the current folder without one."""
    file: Path | None = None
    """That pyproject.toml."""
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """The converted values of the table's keys."""


@cache
def list_arguments(record: type) -> tuple[Field[Any], ...]:
    """Return the fields of a record and of the records in it that declare an argument or a key."""
    kinds, found = get_type_hints(record), list[Field[Any]]()
    for each in fields(record):
        if each.metadata:
            found.append(each)
        elif is_dataclass(kind := kinds[each.name]) and kind is not Project:
            found += list_arguments(kind)  # type: ignore[arg-type]
    return tuple(found)


def program_name() -> str:
    """Return the command that called the program: `toolaccord`, or Python's -m with the package."""
    return "toolaccord" if Path(sys.argv[0]).stem == "toolaccord" else "python -m toolaccord_codegen"
