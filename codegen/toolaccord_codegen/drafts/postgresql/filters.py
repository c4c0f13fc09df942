"""Filters and orders of searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolaccord_codegen.drafts.postgresql.catalogue import Relation
from toolaccord_codegen.drafts.postgresql.forms import fill
from toolaccord_codegen.drafts.postgresql.members import POSTGRES, Member, MemberNames
from toolaccord_codegen.naming import Identifier

Schema = dict[str, Any]
PAGE = ("limit", "offset", "sort")
"""Arguments that every search has, or may have."""
MOST_STATEMENTS = 32
"""Statements for which a drafted query may stand; each is proved."""
MOST_SORTED = 2
"""Members by which rows can be sorted, beside the primary key."""
_COMPARISONS = {
    "equal": (("", "=", "Only rows whose {words} is this"),),
    "range": (
        ("_from", ">=", "Only rows whose {words} is not before this"),
        ("_before", "<", "Only rows whose {words} is before this"),
    ),
    "bounds": (
        ("_min", ">=", "Only rows whose {words} is at least this"),
        ("_max", "<=", "Only rows whose {words} is at most this"),
    ),
}
"""The filters of a member by the comparisons of its form: suffix, operator and description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """An optional argument that leaves rows out."""

    name: str
    """Its name as an argument, and as a parameter of the query."""
    operator: str
    member: Member
    schema: Schema

    @property
    def line(self) -> str:
        """Return the condition that is left out with its line."""
        return f"t.{self.member.column.quoted} {self.operator} {fill(self.member.form.bind, f':{self.name}?')}"

    @property
    def condition(self) -> str:
        """Return the condition that holds for every row without a value."""
        value = self.member.form.typed(f":{self.name}")
        return f"({value} IS NULL OR t.{self.member.column.quoted} {self.operator} {value})"


@dataclass(frozen=True, slots=True)
class Order:
    """A choice of the order of rows."""

    name: str
    expressions: str


def draft_filters(relation: Relation, members: Sequence[Member], noun: str) -> list[Filter]:
    """Return the filters of a search: by indexes, foreign keys, listed values and booleans."""
    names = MemberNames(noun, {Identifier(name) for name in (*PAGE, POSTGRES)})
    return [each for member in members if _is_filtered(relation, member) for each in _make_filters(member, names)]


def _is_filtered(relation: Relation, member: Member) -> bool:
    """Return True for a member by which people look for rows."""
    name = member.column.name
    if not member.form.compared or relation.key == (name,):
        return False
    referring = {column for each in relation.constraints if each.kind == "f" for column in each.columns}
    is_listed = member.form.kind == "boolean" or "enum" in member.argument
    return is_listed or name in {*relation.leading, *referring, *relation.key}


def _make_filters(member: Member, names: MemberNames) -> Iterator[Filter]:
    """Yield the filters of one member."""
    words = member.name.replace("_", " ")
    bare = {key: value for key, value in member.argument.items() if key != "description"}
    if "enum" not in bare:  # a row that is there may break a constraint that was added later
        bare = {**member.form.schema, **{k: v for k, v in member.form.limits.items() if k != "maxLength"}}
    for suffix, operator, description in _COMPARISONS[member.form.compared]:
        schema = {**bare, "description": description.format(words=words)}
        yield Filter(name=names.take(f"{member.name}{suffix}"), operator=operator, member=member, schema=schema)


def draft_orders(relation: Relation, members: Sequence[Member]) -> list[Order]:
    """Return the orders of a search, the usual one first.

    Each tells all rows apart, as far as columns can.
    """
    by_name = {member.column.name: member for member in members}
    key = [by_name[name] for name in relation.key if name in by_name]
    last = key or [*members]
    orders: dict[str, str] = {}
    if key:
        name = key[0].name if len(key) == 1 else "key"
        orders[name] = _join([(member, "") for member in key])
        orders[f"{name}_desc"] = _join([(member, "DESC") for member in key])
    candidates = [each for each in members if each not in key and _is_sorted(relation, each)]
    sorted_by = sorted(candidates, key=lambda each: each.form.compared == "equal")[:MOST_SORTED]
    for member in sorted_by:
        rest = [(each, "") for each in last if each is not member]
        descending = "DESC" if member.column.is_not_null else "DESC NULLS LAST"
        orders.setdefault(member.name, _join([(member, ""), *rest]))
        orders.setdefault(f"{member.name}_desc", _join([(member, descending), *rest]))
    if not orders:
        orders["all"] = _join([(member, "") for member in last])
    return [Order(name, expressions) for name, expressions in orders.items()]


def _is_sorted(relation: Relation, member: Member) -> bool:
    """Return True for a member by which rows are worth sorting."""
    if not member.form.is_sortable or "enum" in member.argument or member.form.kind == "boolean":
        return False
    referring = {column for each in relation.constraints if each.kind == "f" for column in each.columns}
    name = member.column.name
    return name not in referring and (name in relation.leading or not relation.is_table)


def _join(parts: Sequence[tuple[Member, str]]) -> str:
    return ", ".join(f"{member.order} {direction}".rstrip() for member, direction in parts)
