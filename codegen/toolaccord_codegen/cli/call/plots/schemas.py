"""The charts of a tool without a view: dates and numbers that its output schema has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord_codegen.cli.call.plots.charts import ANY_ITEM, CandlesChart, Chart, Column, LinesChart, Plan
from toolaccord_codegen.diagnostics import escape_unprintable

_DEEPEST = 8
_MOST_CHARTS = 4
_TIMES = ("date-time", "date")
_NUMBERS = ("number", "integer")
_PRICES = ("open", "high", "low", "close")


def find_plan(schema: Any) -> Plan | None:
    """Return the charts of the first list with dates and numbers in an output *schema*.

    None without one.
    """
    lists: dict[str, list[Column]] = {}
    for column in _list_columns(schema, schema, "", 0):
        path, star, _ = column.pointer.rpartition(f"/{ANY_ITEM}")
        if star and f"/{ANY_ITEM}" not in path:
            lists.setdefault(path, []).append(column)
    for columns in lists.values():
        time = next((each for each in columns if each.is_time), None)
        numbers = {each.pointer: each for each in columns if each.is_number and not _is_key(each.label)}
        if time and numbers:
            return _plan(time, _tell_apart([*numbers.values()]))
    return None


def _tell_apart(columns: Sequence[Column]) -> list[Column]:
    """Return columns with their paths in an item as labels, where names repeat."""
    counts = Counter(each.label for each in columns)
    return [replace(each, label=_path(each.pointer)) if counts[each.label] > 1 else each for each in columns]


def _path(pointer: str) -> str:
    below = pointer.rpartition(f"/{ANY_ITEM}")[2]
    return escape_unprintable(".".join(split_pointer(below)))


def _plan(time: Column, numbers: Sequence[Column]) -> Plan:
    """Return a chart of candles if there are their prices, else one of each number.

    Scales of numbers may differ.
    """
    names = {each.label.lower(): each for each in numbers}
    if names.keys() >= set(_PRICES):
        prices = [names[each] for each in _PRICES]
        volume = names.get("volume")
        rest = [each.label for each in numbers if each not in {*prices, volume}]
        return Plan([CandlesChart(title="", time=time, prices=prices, volume=volume)], rest)
    charts: list[Chart] = [LinesChart(title="", x=time, lines=[each]) for each in numbers[:_MOST_CHARTS]]
    return Plan(charts, [each.label for each in numbers[_MOST_CHARTS:]])


def _is_key(label: str) -> bool:
    return label.lower().rpartition("_")[2] == "id"


def _list_columns(root: Any, schema: Any, pointer: str, depth: int) -> Iterator[Column]:
    """Yield the dates and numbers of a schema and of those in it.

    A schema of a stranger may have any form.
    """
    for each in _list_variants(root, schema, depth):
        kinds = each.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        label = escape_unprintable(split_pointer(pointer)[-1]) if pointer else ""
        if number := next((kind for kind in _NUMBERS if kind in kinds), None):
            yield Column(pointer, label, number)
        elif "string" in kinds and each.get("format") in _TIMES:
            yield Column(pointer, label, each["format"])
        if "items" in each:
            yield from _list_columns(root, each["items"], f"{pointer}/{ANY_ITEM}", depth + 1)
        members = each.get("properties")
        for name, member in members.items() if isinstance(members, Mapping) else ():
            yield from _list_columns(root, member, join_pointer(pointer, name), depth + 1)


def _list_variants(root: Any, schema: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield a schema with the schemas that it refers to or combines, to a depth."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return
    yield schema
    inner = [_resolve(root, schema["$ref"])] if "$ref" in schema else []
    for keyword in ("allOf", "anyOf", "oneOf"):
        found = schema.get(keyword)
        inner += found if isinstance(found, list) else []
    for each in inner:
        yield from _list_variants(root, each, depth + 1)


def _resolve(root: Any, reference: Any) -> Any:
    """Return the schema that a reference inside of the document names; None for any other."""
    value = root if isinstance(reference, str) and reference.startswith("#") else None
    for key in split_pointer(reference[1:]) if value is not None else ():
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
