"""Named queries of a SQL file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolaccord.semantics.sql_templates import parse_template
from toolaccord_codegen.drafts.postgresql.catalogue import Relation
from toolaccord_codegen.drafts.postgresql.filters import MOST_STATEMENTS, Filter, Order
from toolaccord_codegen.drafts.postgresql.forms import fill
from toolaccord_codegen.drafts.postgresql.members import Member

INDENT = "    "


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A value that a row is added with."""

    name: str
    member: Member
    is_required: bool

    @property
    def has_value(self) -> bool:
        """Return True where every call has a value."""
        return self.is_required or self.member.default is not None

    @property
    def expression(self) -> str:
        """Return its expression in the statement; where a call has no value, that of the table."""
        column, form = self.member.column, self.member.form
        if column.default is None or self.has_value:
            return fill(form.bind, f":{self.name}")
        return f"coalesce({form.typed(f':{self.name}')}, {column.default})"


def is_repeatable(default: str) -> bool:
    """Return True for a default that can stand in a query, where colons have a meaning."""
    return "\n" not in default and not parse_template(default).parameters


def write_search(
    name: str, relation: Relation, members: Sequence[Member], filters: Sequence[Filter], orders: Sequence[Order]
) -> str:
    """Return the query of a search.

    Lines of filters are left out as long as the query stands for few statements; the others hold for any row.
    """
    lines, variants = [], len(orders)
    left_out: set[str] = set()
    for each in filters:
        if variants * 2 <= MOST_STATEMENTS:
            variants *= 2
            left_out.add(each.name)
            lines.append(f"  AND {each.line}")
        else:
            lines.append(f"  AND {each.condition}")
    nullable = [each.name for each in filters if each.name not in left_out]
    where = ["WHERE true", *lines] if lines else []
    whens = [f" -- when :sort = {order.name}" for order in orders] if len(orders) > 1 else [""]
    ordering = [f"ORDER BY {order.expressions}{when}" for order, when in zip(orders, whens, strict=True)]
    body = [_select(members), f"FROM {relation.quoted} AS t", *where, *ordering]
    return _write(name, "page", nullable, f"Return rows for {name}, page by page.", body)


def write_get(name: str, relation: Relation, members: Sequence[Member], key: Sequence[tuple[str, Member]]) -> str:
    """Return the query of one row by its key."""
    conditions = [f"t.{member.column.quoted} = {fill(member.form.bind, f':{name}')}" for name, member in key]
    where = ["WHERE " + "\n  AND ".join(conditions)]
    body = [_select(members), f"FROM {relation.quoted} AS t", *where]
    return _write(name, "one", [], f"Return the row for {name}; none without one.", body)


def write_add(name: str, relation: Relation, members: Sequence[Member], parameters: Sequence[Parameter]) -> str:
    """Return the query that adds a row."""
    columns = ", ".join(each.member.column.quoted for each in parameters)
    values = ",\n".join(f"{INDENT}{each.expression}" for each in parameters)
    nullable = [each.name for each in parameters if not each.has_value]
    head = [f"INSERT INTO {relation.quoted} AS t ({columns})", f"VALUES (\n{values}\n)"]
    if not parameters:
        head = [f"INSERT INTO {relation.quoted} AS t DEFAULT VALUES"]
    returning = "RETURNING\n" + ",\n".join(f"{INDENT}{member.select}" for member in members)
    return _write(
        name,
        "one",
        nullable,
        f"Add the row of {name}, and return it; none if a trigger keeps it out.",
        [*head, returning],
    )


def _select(members: Sequence[Member]) -> str:
    return "SELECT\n" + ",\n".join(f"{INDENT}{member.select}" for member in members)


def _write(name: str, kind: str, nullable: Sequence[str], sentence: str, body: Sequence[str]) -> str:
    """Return a query with its header; no text of the database is in a comment."""
    head = [f"-- name: {name} :{kind}", f"-- returns: {name}"]
    head += [f"-- null: {', '.join(nullable)}"] if nullable else []
    statement = "\n".join(body)
    end = "\n;" if body[-1].startswith("ORDER BY") else ";"  # its comment would hold it
    return "\n".join([*head, f"-- {sentence}", f"{statement}{end}"]) + "\n"
