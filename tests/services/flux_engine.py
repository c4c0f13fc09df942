"""Run the functions of Flux that candle queries use, as InfluxData documents them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.services.candles import Candle

SECONDS: dict[str, int] = {"m": 60, "h": 3600, "d": 86_400}
FIELDS = ("open", "high", "low", "close", "volume")
Row = dict[str, Any]
Node = dict[str, Any]


class RefusedError(Exception):
    """A function or argument that the double does not support."""


@dataclass
class Table:
    """Rows that share the values of a group key."""

    key: Row
    rows: list[Row]


Stream = list[Table]


class Flux:
    """Runs a syntax tree over the candles in *buckets*, function by function as documented."""

    def __init__(self, buckets: dict[str, list[Candle]]) -> None:
        self._buckets = buckets
        self._names: dict[str, Stream] = {}
        self._results: dict[str, Stream] = {}

    def run(self, tree: Node) -> dict[str, Stream]:
        """Return the tables of each yield; one that has no name is `_result`."""
        for statement in tree["body"]:
            if statement["type"] == "VariableAssignment":
                self._names[statement["id"]["name"]] = self._value(statement["init"])
                continue
            last = statement["expression"]
            value = self._value(last)
            if last["call"]["callee"]["name"] != "yield":
                self._results["_result"] = value
        return self._results

    def _value(self, node: Node) -> Any:
        kind = node["type"]
        if kind in LITERALS:
            return LITERALS[kind](node)
        match kind:
            case "ArrayExpression":
                return [self._value(element) for element in node["elements"]]
            case "ObjectExpression":
                return {each["key"]["name"]: self._value(each["value"]) for each in node["properties"]}
            case "Identifier":
                return (CONSTANTS | self._names).get(node["name"], node["name"])
            case "CallExpression":
                return self._call(node, None)
            case "PipeExpression":
                return self._call(node["call"], self._value(node["argument"]))
            case _:
                raise RefusedError(f"the double knows no {kind}")

    def _call(self, node: Node, stream: Stream | None) -> Any:
        name = node["callee"]["name"]
        given: Row = self._value(node["arguments"][0]) if node.get("arguments") else {}
        function = getattr(self, f"_{name}", None)
        if function is None:
            raise RefusedError(f"the double knows no {name}()")
        return function(**given) if stream is None else function(stream, **given)

    def _from(self, bucket: str) -> Stream:
        if bucket not in self._buckets:
            raise RefusedError(f'could not find bucket "{bucket}"')
        tables: dict[tuple[str, str], Table] = {}
        for pair, time_ms, *values in sorted(self._buckets[bucket], key=lambda row: row[1]):
            for name, value in zip(FIELDS, values, strict=True):
                key = {"_measurement": "candles", "currency_pair": pair, "_field": name}
                table = tables.setdefault((pair, name), Table(key, []))
                table.rows.append(key | {"_time": datetime.fromtimestamp(time_ms / 1000, UTC), "_value": value})
        return list(tables.values())

    def _range(self, stream: Stream, start: datetime, stop: datetime) -> Stream:
        if start >= stop:
            raise RefusedError("cannot query an empty range")
        bounds = {"_start": start, "_stop": stop}
        return _kept(
            Table(table.key | bounds, [row | bounds for row in table.rows if start <= row["_time"] < stop])
            for table in stream
        )

    def _filter(self, stream: Stream, fn: Callable[[Row], bool]) -> Stream:
        return _kept(Table(table.key, [row for row in table.rows if fn(row)]) for table in stream)

    def _aggregateWindow(self, stream: Stream, every: int, fn: str, timeSrc: str, **more: bool) -> Stream:  # noqa: N802, N803 - Flux's names
        if more != {"createEmpty": False}:
            raise RefusedError("the double makes no empty windows")
        found = []
        for table in stream:
            windows: dict[int, list[Row]] = {}
            for row in table.rows:
                windows.setdefault(int(row["_time"].timestamp()) // every, []).append(row)
            rows = []
            for number, inside in windows.items():
                start, stop = (datetime.fromtimestamp((number + more) * every, UTC) for more in (0, 1))
                bounds = {"_start": max(start, table.key["_start"]), "_stop": min(stop, table.key["_stop"])}
                (one,) = getattr(self, f"_{fn}")([Table(table.key, inside)])[0].rows
                rows.append(table.key | {"_time": bounds[timeSrc], "_value": one["_value"]})
            found.append(Table(table.key, rows))
        return found

    def _union(self, tables: list[Stream]) -> Stream:
        return _merged(table for stream in tables for table in stream)

    def _keep(self, stream: Stream, columns: list[str]) -> Stream:
        return _merged(
            Table(_only(table.key, columns), [_only(row, columns) for row in table.rows]) for table in stream
        )

    def _pivot(self, stream: Stream, rowKey: list[str], columnKey: list[str], valueColumn: str) -> Stream:  # noqa: N803
        gone = {*columnKey, valueColumn}
        found: dict[str, Table] = {}
        for table in stream:
            key = {name: value for name, value in table.key.items() if name not in gone}
            into = found.setdefault(repr(key), Table(key, []))
            rows = {tuple(row[name] for name in rowKey): row for row in into.rows}
            for row in table.rows:
                place = tuple(row[name] for name in rowKey)
                if place not in rows:
                    rows[place] = key | dict(zip(rowKey, place, strict=True))
                rows[place]["_".join(row[name] for name in columnKey)] = row[valueColumn]
            into.rows = list(rows.values())
        return list(found.values())

    def _group(self, stream: Stream) -> Stream:
        return _merged(Table({}, table.rows) for table in stream)

    def _distinct(self, stream: Stream, column: str) -> Stream:
        return [
            Table(
                table.key, [table.key | {"_value": value} for value in dict.fromkeys(row[column] for row in table.rows)]
            )
            for table in stream
        ]

    def _sort(self, stream: Stream, columns: list[str], desc: bool = False) -> Stream:  # noqa: FBT001, FBT002
        return [
            Table(table.key, sorted(table.rows, key=lambda row: tuple(row[name] for name in columns), reverse=desc))
            for table in stream
        ]

    def _limit(self, stream: Stream, n: int, offset: int = 0) -> Stream:
        return [Table(table.key, table.rows[offset : offset + n]) for table in stream]

    def _rename(self, stream: Stream, columns: dict[str, str]) -> Stream:
        def renamed(row: Row) -> Row:
            return {columns.get(name, name): value for name, value in row.items()}

        return [Table(renamed(table.key), [renamed(row) for row in table.rows]) for table in stream]

    def _yield(self, stream: Stream, name: str = "_result") -> Stream:
        if name in self._results:
            raise RefusedError(f"{name} is yielded twice")
        self._results[name] = stream
        return stream

    def _first(self, stream: Stream) -> Stream:
        return [Table(table.key, [min(table.rows, key=lambda row: row["_time"])]) for table in stream if table.rows]

    def _last(self, stream: Stream) -> Stream:
        return [Table(table.key, [max(table.rows, key=lambda row: row["_time"])]) for table in stream if table.rows]

    def _max(self, stream: Stream) -> Stream:
        return [Table(table.key, [max(table.rows, key=lambda row: row["_value"])]) for table in stream if table.rows]

    def _min(self, stream: Stream) -> Stream:
        return [Table(table.key, [min(table.rows, key=lambda row: row["_value"])]) for table in stream if table.rows]

    def _sum(self, stream: Stream) -> Stream:
        return [_one(table, sum(row["_value"] for row in table.rows)) for table in stream]

    def _count(self, stream: Stream) -> Stream:
        return [_one(table, len(table.rows)) for table in stream]


def _truth(node: Node, row: Row) -> Any:
    """Return the value of a filter's body for a row."""
    match node["type"]:
        case "LogicalExpression" if node["operator"] == "and":
            return _truth(node["left"], row) and _truth(node["right"], row)
        case "BinaryExpression" if node["operator"] == "==":
            return _truth(node["left"], row) == _truth(node["right"], row)
        case "MemberExpression":
            return row[node["property"]["name"]]
        case "StringLiteral":
            return node["value"]
        case other:
            raise RefusedError(f"the double knows no {other} in a filter")


def _kept(tables: Iterable[Table]) -> Stream:
    """Tables that have rows; the rest is dropped."""
    return [table for table in tables if table.rows]


def _merged(tables: Iterable[Table]) -> Stream:
    """Tables of one key become one."""
    found: dict[str, Table] = {}
    for table in tables:
        key = repr(sorted(table.key.items()))
        found.setdefault(key, Table(table.key, [])).rows.extend(table.rows)
    return list(found.values())


def _only(row: Row, columns: list[str]) -> Row:
    return {name: value for name, value in row.items() if name in columns}


def _one(table: Table, value: float) -> Table:
    """A table of one row: its key and a value."""
    return Table(table.key, [table.key | {"_value": value}])


LITERALS: dict[str, Callable[[Node], Any]] = {
    "StringLiteral": lambda node: node["value"],
    "IntegerLiteral": lambda node: int(node["value"]),
    "DateTimeLiteral": lambda node: datetime.fromisoformat(node["value"]),
    "DurationLiteral": lambda node: sum(part["magnitude"] * SECONDS[part["unit"]] for part in node["values"]),
    "FunctionExpression": lambda node: lambda row: _truth(node["body"], row),
}
"""The value of a node of the syntax tree; a duration in seconds."""
CONSTANTS = {"true": True, "false": False}
