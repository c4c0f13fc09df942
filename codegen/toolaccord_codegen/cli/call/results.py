"""Answers of tools for people: tables, records, texts and files."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from toolaccord.client.connection import ToolResponse
from toolaccord_codegen.diagnostics import CommandError, escape_lines, escape_unprintable
from toolaccord_codegen.reporting.json_report import dump_json

if TYPE_CHECKING:
    from toolaccord_codegen.cli.call.plots.plot import Plot

_WIDEST_CELL = 40
_LONGEST_FRACTION = 10
"""Characters of a fraction that a table does not round."""
_ROUNDED_BELOW = 1e15
_GAP = 2
"""Columns between those of a table."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer of a tool."""

    body: Any
    """The structured result or the error, else JSON of the text; None without either."""
    blocks: Sequence[Mapping[str, Any]]
    """The blocks of content, without a text that repeats the body."""


def read_answer(response: ToolResponse) -> ReadAnswer:
    """Return the parts of a response."""
    blocks = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in response.blocks]
    text = blocks[0].get("text") if blocks and blocks[0].get("type") == "text" else None
    try:
        parsed = None if text is None else json.loads(text)
    except ValueError:
        parsed = None
    body = parsed if response.structured is None else response.structured
    if not isinstance(body, dict | list):
        return ReadAnswer(None, blocks)
    repeated = [body, body.get("result")] if isinstance(body, dict) else [body]  # the SDK wraps a plain value so
    return ReadAnswer(body, blocks[1:] if text is not None and (parsed in repeated or text in repeated) else blocks)


def print_response(
    response: ToolResponse, tool: str, *, as_json: bool, out: Path | None, plot: Plot | None = None
) -> int:
    """Print an answer of a *tool*, and return the exit status: 1 for an error.

    In a pipe, it is always JSON, except for a *plot* of a result that has something to draw. Raises CommandError if
    *out* is to have content that there is not.
    """
    answer = read_answer(response)
    if out is not None and not response.is_error:
        answer = save_content(answer, out)
    if response.is_error:
        print_error(tool, answer)
    elif plot is not None and plot.print(answer.body):
        return 0
    if (as_json or not sys.stdout.isatty()) and (answer.body is not None or answer.blocks):
        print_json(answer)
    elif not response.is_error:
        print_answer(answer)
    return int(response.is_error)


def print_json(answer: ReadAnswer) -> None:
    """Print an answer as JSON: its body alone if there is no other content."""
    value = answer.body
    if answer.blocks:
        value = {"content": answer.blocks} | ({} if answer.body is None else {"result": answer.body})
    is_unicode = sys.stdout.encoding.lower().startswith("utf")
    print(dump_json(value) if is_unicode else json.dumps(value, indent=2))


def print_answer(answer: ReadAnswer) -> None:
    """Print an answer for people."""
    console = Console(highlight=False, soft_wrap=False)
    if answer.body is not None:
        _print_value(console, "", *_unwrap(answer.body))
    for block in answer.blocks:
        console.print(Text(_describe_block(block)), soft_wrap=True)


def print_error(tool: str, answer: ReadAnswer) -> None:
    """Print the error of an answer on standard error: its code, its message, and its details."""
    console = Console(stderr=True, highlight=False)
    error = answer.body.get("error", answer.body) if isinstance(answer.body, dict) else None
    if isinstance(error, str):
        error = {"message": error}
    if not isinstance(error, dict):
        texts = [_describe_block(each) for each in answer.blocks] or [json.dumps(answer.body)]
        console.print(Text(f"{tool}: {' '.join(texts)}"), soft_wrap=True)
        return
    code = escape_lines(str(error.get("code") or error.get("type") or "error"))
    message = escape_lines(str(error.get("message") or error.get("detail") or ""))
    console.print(Text.assemble((code, "bold red"), f": {message}" if message else ""), soft_wrap=True)
    details = error.get("details") or error.get("data")
    if details:
        _print_value(console, "", details, {})


def save_content(answer: ReadAnswer, path: Path) -> ReadAnswer:
    """Write the images, audio and files of an answer, and return the rest.

    One is written to *path*, several are numbered beside it. Raises CommandError if there is nothing to save.
    """
    files = [(block, data) for block in answer.blocks if (data := _data_of(block)) is not None]
    if not files:
        raise CommandError("the answer has no image, audio or file that --out could save")
    for number, (block, data) in enumerate(files, 1):
        target = path if len(files) == 1 else path.with_stem(f"{path.stem}-{number}")
        target.write_bytes(data)
        print(f"saved {target}: {_describe_data(block, data)}", file=sys.stderr)
    saved = [id(block) for block, _ in files]
    return ReadAnswer(answer.body, [each for each in answer.blocks if id(each) not in saved])


def _data_of(block: Mapping[str, Any]) -> bytes | None:
    """Return the bytes of a block that is no text; None of any other."""
    encoded = block.get("data") or block.get("resource", {}).get("blob")
    return base64.b64decode(encoded) if isinstance(encoded, str) else None


def _describe_data(block: Mapping[str, Any], data: bytes) -> str:
    kind = block.get("mimeType") or block.get("resource", {}).get("mimeType") or block.get("type", "content")
    return f"{escape_unprintable(str(kind))}, {len(data):,} bytes"


def _describe_block(block: Mapping[str, Any]) -> str:
    """Return a text as it is, and a line about any other content."""
    data = _data_of(block)
    if data is not None:
        return f"[{_describe_data(block, data)}; save it with --out FILE]"
    found = block.get("text") or block.get("resource", {}).get("text") or block.get("uri") or block
    return escape_lines(found if isinstance(found, str) else json.dumps(found))


def _unwrap(body: Any) -> tuple[Any, Mapping[str, Any]]:
    """Return the value inside an envelope, and the members that begin with an underscore."""
    metadata: dict[str, Any] = {}
    while isinstance(body, dict):
        metadata |= {name: value for name, value in body.items() if name.startswith("_")}
        shown = {name: value for name, value in body.items() if not name.startswith("_")}
        [*values] = shown.values()
        if len(values) != 1 or not isinstance(values[0], dict | list) or not values[0]:
            return shown, metadata
        body = values[0]
    return body, metadata


def _print_value(console: Console, title: str, value: Any, metadata: Mapping[str, Any]) -> None:
    """Print a value: records as a table, members as lines, and metadata below."""
    if title:
        console.print(Text(title, style="bold"))
    if _are_records(value):
        _print_records(console, value)
    elif isinstance(value, list):
        console.print(Text("\n".join(map(_format, value)) or "nothing"), soft_wrap=True)
    elif isinstance(value, dict):
        _print_members(console, value)
    flat = dict(_flatten({name.lstrip("_"): each for name, each in metadata.items()}))
    if flat:
        line = "  ".join(
            f"{name.rpartition('.')[2]}={_format(each)}" for name, each in flat.items() if each is not None
        )
        console.print(Text(f"\n{line}", style="dim"), soft_wrap=True)


def _print_members(console: Console, record: Mapping[str, Any]) -> None:
    """Print the members of a record in their order; those that hold records as tables."""
    for number, (holds_records, members) in enumerate(groupby(_flatten(record), lambda each: _are_records(each[1]))):
        if number:
            console.print()
        if not holds_records:
            _print_lines(console, members)
            continue
        for name, value in members:
            is_only = sum(map(_are_records, record.values())) == 1
            _print_value(console, "" if is_only else escape_unprintable(name), value, {})


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _print_lines(console: Console, members: Iterable[tuple[str, Any]]) -> None:
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in members:
        shown = ", ".join(map(_format, value)) if isinstance(value, list) else _format(value)
        table.add_row(Text(escape_unprintable(name), style="bold"), Text(shown))
    console.print(table)


def _flatten(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the members of a record, inner ones with names such as `pagination.total`."""
    for name, value in record.items():
        if isinstance(value, dict) and value:
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _print_records(console: Console, records: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of the columns that fit the terminal, and name the others."""
    rows = [dict(_flatten(each)) for each in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = {name: [_format(_round(row.get(name))) for row in rows] for name in names}
    shown = list(_fitting(cells, console.width))
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for name in shown:
        is_number = all(isinstance(row.get(name), int | float | None) for row in rows)
        table.add_column(
            Text(escape_unprintable(name)),
            justify="right" if is_number else "left",
            max_width=_WIDEST_CELL,
            overflow="fold",
        )
    for index in range(len(rows)):
        table.add_row(*(Text(cells[name][index]) for name in shown))
    console.print(table)
    if rest := [escape_unprintable(name) for name in names if name not in shown]:
        console.print(Text(f"\nnot shown: {', '.join(rest)}; see them with --json", style="dim"))


def _fitting(cells: Mapping[str, Sequence[str]], width: int) -> Iterator[str]:
    """Yield the first columns, as many as fit into a *width*, but at least one."""
    used = 0
    for index, (name, column) in enumerate(cells.items()):
        used += min(_WIDEST_CELL, max(len(each) for each in (name, *column))) + _GAP
        if index and used - _GAP > width:
            return
        yield name


def _round(value: Any) -> Any:
    """Return a fraction with many digits as a shorter one, so that more columns fit."""
    if not isinstance(value, float) or len(repr(value)) <= _LONGEST_FRACTION or abs(value) >= _ROUNDED_BELOW:
        return value
    return round(value, 4) if abs(value) >= 1 else float(f"{value:.4g}")


def _format(value: Any) -> str:
    """Return a value in one line."""
    if value is None:
        return ""
    return escape_unprintable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
