"""Random statements over two small tables, for a search for wrong proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from hypothesis import strategies as st

TABLES = """
CREATE TABLE a (id integer NOT NULL, x integer, s text NOT NULL);
CREATE TABLE b (id integer NOT NULL, x integer NOT NULL, s text);
CREATE TABLE nothing (id integer NOT NULL, x integer NOT NULL, s text NOT NULL);
CREATE INDEX ON b (id);
CREATE VIEW v AS SELECT a.id, b.x, upper(b.s) AS s FROM a LEFT JOIN b ON b.id = a.id;
INSERT INTO a VALUES (1, 1, 'one'), (2, NULL, 'two'), (3, 7, ''), (4, NULL, 'null');
INSERT INTO b VALUES (1, 2, 'b'), (1, 3, NULL), (3, 7, 'three'), (9, 9, NULL);
"""
_SOURCES = ("a", "b", "v", "nothing")
_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
_DEPTH = 3

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]


class Item(NamedTuple):
    """An item of FROM, with its columns by type."""

    sql: str
    numbers: tuple[str, ...]
    texts: tuple[str, ...]


def _name(sql: str, name: str, columns: str = "") -> Item:
    return Item(f"{sql} AS {name}{columns}", (f"{name}.id", f"{name}.x"), (f"{name}.s",))


@dataclass(slots=True)
class _Writer:
    """Writes a statement, and draws each choice."""

    draw: Draw
    names: list[str] = field(default_factory=list)
    """The common table expressions that a part may read."""
    count: int = 0

    def choose(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def name(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def write(self, *forms: Callable[[], str]) -> str:
        """Write one of several forms."""
        return str(self.choose(*forms)())

    def source(self) -> str:
        """Return the name of a table, of the view or of a common table expression."""
        return str(self.choose(*_SOURCES, *self.names))

    def item(self, depth: int) -> Item:
        """Return a table, a subquery, a list of values or a join."""
        forms = (self.table, self.join, self.join, self.merged, self.lateral, self.subquery, self.values)
        found: Item = self.choose(*forms)(depth - 1) if depth > 0 else self.table(0)
        return found

    def table(self, _: int) -> Item:
        return _name(self.source(), self.name())

    def subquery(self, depth: int) -> Item:
        return _name(f"({self.query(depth)})", self.name())

    def values(self, _: int) -> Item:
        rows = self.choose("(1, 2, 'v'), (3, NULL, 'w')", "(1, 2, 'v'), (2, 3, NULL)")
        return _name(f"(VALUES {rows})", self.name(), " (id, x, s)")

    def join(self, depth: int) -> Item:
        left, right = self.item(depth), self.item(depth)
        equal = f"{self.choose(*left.numbers)} = {self.choose(*right.numbers)}"
        kind = self.choose(*_JOINS)
        condition = equal if kind == "FULL JOIN" else self.choose(equal, equal, "false", "true", f"{equal} AND {equal}")
        sql = f"({left.sql} {kind} {right.sql} ON {condition})"
        return Item(sql, left.numbers + right.numbers, left.texts + right.texts)

    def merged(self, _: int) -> Item:
        """Return a join whose sides share a column."""
        sides = (f"{self.source()} AS {self.name()}" for _ in range(2))
        name = self.name()
        sql = f"({f' {self.choose(*_JOINS)} '.join(sides)} USING (id)) AS {name} (id, x, s, y, t)"
        return Item(sql, (f"{name}.id", f"{name}.x", f"{name}.y"), (f"{name}.s", f"{name}.t"))

    def lateral(self, depth: int) -> Item:
        left, name = self.item(depth), self.name()
        columns = f"{self.number(left, 1)} AS id, o.x, o.s"
        inner = f"SELECT {columns} FROM {self.source()} o WHERE o.id = {left.numbers[0]} LIMIT 1"
        sql = f"({left.sql} {self.choose('', 'LEFT ')}JOIN LATERAL ({inner}) {name} ON true)"
        return Item(sql, (*left.numbers, f"{name}.id", f"{name}.x"), (*left.texts, f"{name}.s"))

    def number(self, item: Item, depth: int = 2) -> str:
        """Return an expression for a number."""

        def column() -> str:
            return str(self.choose(*item.numbers))

        def part() -> str:
            return self.number(item, depth - 1)

        if not depth:
            return column()
        return self.write(
            column,
            column,
            lambda: "1",
            lambda: f"({part()} + {part()})",
            lambda: f"coalesce({part()}, {part()})",
            lambda: f"nullif({part()}, {part()})",
            lambda: f"greatest({part()}, {part()})",
            lambda: f"CASE WHEN {column()} > 1 THEN {part()} ELSE {part()} END",
            lambda: f"CASE WHEN {column()} > 1 THEN {part()} END",
            lambda: f"({part()})::bigint::int",
            lambda: f"to_jsonb({part()})::int",
            lambda: f"length({self.choose(*item.texts)})",
            lambda: f"(SELECT {part()})",
            lambda: f"(SELECT count(*)::int FROM {self.source()} i WHERE i.id = {part()})",
            lambda: f"(SELECT count(*)::int FROM {self.source()} i HAVING count(*) > 1)",
            lambda: f"(SELECT max(i.x) FROM {self.source()} i)",
            lambda: f"(SELECT coalesce(sum(i.x), 0)::int FROM {self.source()} i WHERE i.x = {part()})",
            lambda: f"(SELECT i.id FROM {self.source()} i WHERE i.id = {part()} LIMIT 1)",
        )

    def text(self, item: Item) -> str:
        """Return an expression for a text."""

        def column() -> str:
            return str(self.choose(*item.texts))

        def number() -> str:
            return self.number(item, 1)

        return self.write(
            column,
            column,
            lambda: "'text'",
            lambda: f"({column()} || 'x')",
            lambda: f"coalesce({column()}, 'x')",
            lambda: f"upper({column()})",
            lambda: f"({number()})::text",
            lambda: f"concat({column()}, {number()})",
            lambda: f"CASE WHEN {number()} IN (1, 2) THEN {column()} ELSE 'x' END",
            lambda: f"(SELECT max(i.s) FROM {self.source()} i WHERE i.id = {number()})",
        )

    def query(self, depth: int) -> str:
        """Return a query with the columns id, x and s."""
        forms = (self.rows, self.rows, self.all_rows, self.groups, self.sets, self.union)
        return str(self.choose(*forms)(depth - 1) if depth > 0 else self.rows(0))

    def where(self, item: Item) -> str:
        number, text = self.choose(*item.numbers), self.choose(*item.texts)
        return f"FROM {item.sql} {self.choose('', '', f'WHERE {number} > 1', f'WHERE {text} <> 0::text', f'WHERE {number} IS NULL')}"

    def rows(self, depth: int) -> str:
        item = self.item(depth)
        number = self.choose("row_number() OVER ()", "lag({}) OVER ()", "count({}) OVER ()", "{}", "{}")
        columns = f"{number.format(self.number(item))}::int AS id, {self.number(item)} AS x, {self.text(item)} AS s"
        return f"SELECT {self.choose('', '', 'DISTINCT')} {columns} {self.where(item)}"

    def all_rows(self, depth: int) -> str:
        item = self.item(depth)
        first = f"{self.choose('count', 'max', 'sum')}({self.choose(*item.numbers)})::int"
        return f"SELECT {first} AS id, count(*)::int AS x, max({self.choose(*item.texts)}) AS s {self.where(item)}"

    def groups(self, depth: int) -> str:
        return self._group(depth, lambda key, text: f"{key}, {text}")

    def sets(self, depth: int) -> str:
        def write(key: str, text: str) -> str:
            every = (
                f"ROLLUP ({key}, {text})",
                f"GROUPING SETS (({key}), ({text}), ())",
                f"GROUPING SETS (({key}, {text}))",
            )
            return str(self.choose(*every))

        return self._group(depth, write)

    def _group(self, depth: int, write: Callable[[str, str], str]) -> str:
        item = self.item(depth)
        key, text = self.choose(*item.numbers), self.choose(*item.texts)
        aggregate = f"{self.choose('max', 'count', 'sum')}({self.choose(*item.numbers)})::int"
        columns = (
            f"{self.choose('', 'coalesce')}({key}) AS id, {aggregate} AS x, {self.choose('', 'coalesce')}({text}) AS s"
        )
        return f"SELECT {columns} {self.where(item)} GROUP BY {write(key, text)}"

    def union(self, depth: int) -> str:
        return f"({self.query(depth)}) {self.choose('UNION', 'UNION ALL', 'EXCEPT')} ({self.query(depth)})"

    def recursive(self) -> str:
        """Return a common table expression that reads itself, for a few rounds."""
        join = f"r JOIN {self.source()} o ON o.id {self.choose('=', '>=')} r.id"
        first, second = self.choose(("r.x", "r.id"), ("r.id", "r.x")), self.choose("o.x", "coalesce(r.x, o.x)", "r.x")
        x, s = self.choose(first[0], second), self.choose("r.s", "o.s", "coalesce(r.s, o.s)", "upper(r.s)")
        rows = f"SELECT {self.choose('r.id', first[1])} + 1, {x}, {s} FROM {join} WHERE r.id < 4 AND {first[1]} < 4"
        return f"r AS ({self.query(1)} UNION {rows})"

    def change(self) -> str:
        """Return a statement that changes a table, and returns its rows."""
        kinds = ("INSERT", "UPDATE", "DELETE", *(() if "r" in self.names else ("MERGE",)))
        kind, item, name = self.choose(*kinds), self.item(1), self.name()
        rows = ("old", "new", name)
        numbers, texts = [f"{row}.{column}" for row in rows for column in ("id", "x")], [f"{row}.s" for row in rows]
        condition = f"{name}.id = {self.choose(*item.numbers)}"
        found = Item("", tuple(numbers), tuple(texts))
        if kind != "INSERT":
            found = Item("", found.numbers + item.numbers, found.texts + item.texts)
        values = f"SELECT 5, {item.numbers[0]}, coalesce({item.texts[0]}, 'x') FROM {item.sql}"
        forms = {
            "INSERT": f"INSERT INTO a AS {name} {values}",
            "UPDATE": f"UPDATE a AS {name} SET x = {item.numbers[0]} FROM {item.sql} WHERE {condition}",
            "DELETE": f"DELETE FROM a AS {name} USING {item.sql} WHERE {condition}",
            "MERGE": f"MERGE INTO a AS {name} USING {item.sql} ON {condition} {self.cases()}",
        }
        columns = f"{self.number(found)} AS id, {self.number(found)} AS x, {self.text(found)} AS s"
        return f"{forms[kind]} RETURNING {columns}"

    def cases(self) -> str:
        """Return what a MERGE does."""
        matched = self.choose("UPDATE SET x = NULL", "DELETE", "DO NOTHING")
        missing = self.choose("", "WHEN NOT MATCHED THEN INSERT VALUES (6, NULL, 'm')")
        return f"WHEN MATCHED THEN {matched} {missing} {self.choose('', 'WHEN NOT MATCHED BY SOURCE THEN DELETE')}"

    def statement(self) -> str:
        """Return a statement, perhaps with common table expressions."""
        tables = []
        is_recursive = self.choose(*[False] * 3, True)
        for _ in range(self.choose(0, 0, 1, 2)):
            name = self.choose("c", "d" if is_recursive else "a")
            if name not in self.names:
                tables.append(f"{name} AS {self.choose('', 'MATERIALIZED ')}({self.query(1)})")
                self.names.append(name)
        if is_recursive:
            tables.append(self.recursive())
            self.names.append("r")
        clause = f"WITH {'RECURSIVE ' * is_recursive}{', '.join(tables)} " if tables else ""
        last = self.choose(self.change, *[lambda: self.query(_DEPTH)] * 4)
        return f"{clause}{last()}"


@st.composite
def statements(draw: Draw) -> str:
    """Draw a statement with the columns id, x and s."""
    return _Writer(draw).statement()
