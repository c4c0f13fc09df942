"""The table [tool.toolaccord] of a project's pyproject.toml: defaults of flags."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import Field
from pathlib import Path
from typing import Any

from toolaccord_codegen.cli.options.arguments import Project
from toolaccord_codegen.diagnostics import CommandError, suggest
from toolaccord_codegen.loading.documents import display_path

NAME = "pyproject.toml"
TABLE = "[tool.toolaccord]"


def read_project(keys: Mapping[str, Field[Any]]) -> Project:
    """Read the nearest pyproject.toml with [tool.toolaccord], from the current folder upwards.

    Paths in it are relative to its folder. Raises CommandError for keys other than *keys*, and for wrong values.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        file = folder / NAME
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if "toolaccord" in text and (table := _read_table(file, text)) is not None:
            root = Path() if folder == here else folder
            settings = dict(_read_settings(file, text, table, keys))
            paths = {key: root / value for key, value in settings.items() if isinstance(value, Path)}
            return Project(folder=root, file=file, settings=settings | paths)
    return Project()


def _read_table(file: Path, text: str) -> Mapping[str, Any] | None:
    """Return the table; None in a file without one."""
    try:
        table = tomllib.loads(text).get("tool", {}).get("toolaccord")
    except tomllib.TOMLDecodeError as error:
        raise CommandError(f"{display_path(file)} is no TOML: {error}") from error
    if table is not None and not isinstance(table, dict):
        raise CommandError(f"{display_path(file)}: tool.toolaccord must be a table; begin it with the line {TABLE}")
    return table


def _read_settings(
    file: Path, text: str, table: Mapping[str, Any], keys: Mapping[str, Field[Any]]
) -> Iterator[tuple[str, Any]]:
    """Yield each key with its converted value. Raises CommandError with all faults."""
    faults: list[str] = []
    for key, value in table.items():
        at = f"{display_path(file)}{_line_of(key, text)}"
        if key not in keys:
            faults.append(f'{at}: {TABLE} has no key "{key}"; {suggest(key, keys)}')
            continue
        try:
            yield key, _convert(keys[key], value)
        except argparse.ArgumentTypeError as error:
            faults.append(f"{at}: {key} of {TABLE}: {error}")
    if faults:
        raise CommandError("\n".join(faults))


def _convert(key: Field[Any], value: object) -> Any:
    """Return the value of a key as its flag would have it. Raises ArgumentTypeError."""
    if key.metadata.get("table"):
        if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
            raise argparse.ArgumentTypeError("this is no table of texts")
        return value
    if key.metadata.get("action") == "store_true":
        if not isinstance(value, bool):
            raise argparse.ArgumentTypeError("this is neither true nor false")
        return value
    if not isinstance(value, str):
        raise argparse.ArgumentTypeError("this is no text; write it in quotation marks")
    choices = key.metadata.get("choices")
    if choices and value not in choices:
        raise argparse.ArgumentTypeError(f'"{value}" is unknown; {suggest(value, choices)}')
    return key.metadata.get("type", str)(value)


def _line_of(key: str, text: str) -> str:
    """Return `:` and the line of a key below the line [tool.toolaccord]; nothing without them."""
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if line.split("#")[0].strip() == TABLE), len(lines))
    pattern = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*[.=]""")
    found = (at for at, line in enumerate(lines[first:], first + 1) if pattern.match(line))
    return "".join(f":{at}" for at in list(found)[:1])
