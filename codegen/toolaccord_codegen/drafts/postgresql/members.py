"""Members of rows and arguments of tools, drafted of the columns of a relation."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.contract import as_text
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.postgresql.catalogue import Catalogue, Column, Relation
from toolaccord_codegen.drafts.postgresql.conditions import (
    Keywords,
    merge_keywords,
    read_condition,
    read_constant,
    tighten,
)
from toolaccord_codegen.drafts.postgresql.forms import Form, fill, find_form
from toolaccord_codegen.naming import Identifier
from toolaccord_codegen.rules.schema import violations

Schema = dict[str, Any]
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
_TYPE_NAMES = frozenset({"str", "int", "float", "bool", "list", "dict", "bytes", "object"})
"""Names that annotations of models need."""
POSTGRES = "postgres"
"""The first parameter of each query's coroutine, which no other one can be called."""
LINE_END = re.compile(r"[\r\n]")
"""Characters that no name in a SQL file may have, whose lines have a meaning."""
RENAMED = "a member has a name that Python and JSON admit, and that no other one has"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A column as a member of a row, and as an argument."""

    column: Column
    form: Form
    name: str
    """Its name in JSON."""
    result: Schema
    argument: Schema
    default: Any = None
    """The constant default of an argument; None without one."""

    @property
    def select(self) -> str:
        """Return the expression that a query selects."""
        own = f"t.{self.column.quoted}"
        if self.form.select == "{}":
            return own if self.column.name == self.name else f"{own} AS {_quote(self.name)}"
        selected = fill(self.form.select, own)
        whole = f"coalesce({selected}, {self.form.empty})" if self.column.is_not_null else selected
        return f"{whole} AS {_quote(self.name)}"

    @property
    def is_required(self) -> bool:
        """Return True for a member that every row has; null in JSON counts as absent."""
        return self.column.is_not_null and not self.form.is_json

    @property
    def order(self) -> str:
        """Return the expression by which rows can be sorted, whatever the type."""
        own = f"t.{self.column.quoted}"
        return own if self.form.is_sortable else f"{own}::text"


def _quote(name: str) -> str:
    """Return a plain name as SQL has it; quotes keep its case."""
    return name if name.islower() else f'"{name}"'


@dataclass(slots=True)
class MemberNames:
    """Names of members or of parameters, which differ for JSON, for Python and for SQL."""

    noun: str
    """The name of one row, with which a reserved name begins."""
    taken: set[str] = field(default_factory=set)
    """Names as Python has them."""

    def choose(self, name: str) -> str:
        """Return the name for a column, and take it."""
        plain = name if _PLAIN.fullmatch(name) else _fold(name)
        is_reserved = keyword.iskeyword(plain) or plain in _TYPE_NAMES or hasattr(BaseModel, plain)
        return self.take(f"{self.noun}_{plain}"[:60] if is_reserved else plain)

    def take(self, wished: str) -> str:
        """Return a name or that with a number, and take it."""
        longer = f"{self.noun}_{wished}"[:60]
        candidates = [wished, longer, *(f"{longer}_{number}" for number in range(2, len(self.taken) + 3))]
        chosen = next(each for each in candidates if Identifier(each) not in self.taken)
        self.taken.add(Identifier(chosen))
        return chosen


def _fold(name: str) -> str:
    """Return a name in the letters of ASCII."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "_", ascii_name).strip("_0123456789")[:60].rstrip("_") or "column"


def draft_members(catalogue: Catalogue, relation: Relation, noun: str, losses: Losses) -> list[Member]:
    """Return the members of a relation's rows; note what they lack.

    *noun* names one row.
    """
    names = MemberNames(noun, {Identifier(POSTGRES)})
    return [*_draft(catalogue, relation, names, losses)]


def find_missing(catalogue: Catalogue, column: Column) -> str | None:
    """Return the reason why a draft has no place for a column; None if it has."""
    if LINE_END.search(column.name):
        return "its name has a line break, and lines of a SQL file have a meaning"
    lack = catalogue.find_type_lack(column.type)
    if lack is None and column.generated:
        lack = catalogue.find_lack("pg_attrdef", column.default_oid)
    if lack is not None:
        return f"it needs {lack}, which the PostgreSQL of the compiler lacks"
    return None


def _draft(catalogue: Catalogue, relation: Relation, names: MemberNames, losses: Losses) -> Iterator[Member]:
    """Yield the members."""
    for column in relation.columns:
        at = join_pointer("/columns", column.name)
        if reason := find_missing(catalogue, column):
            losses.drop(at, "column", Effect.NARROWER, reason)
            continue
        form, name = find_form(catalogue, column), names.choose(column.name)
        if name != column.name:
            losses.change(at, "name", Effect.SAME, RENAMED, name)
        if form.change:
            losses.change(join_pointer(at, "type"), _shown_type(catalogue, column), Effect.SAME, form.change)
        conditions, listed = _read_conditions(catalogue, relation, column, form, losses)
        description = {"description": as_text(column.comment, _describe(name, names.noun))}
        argument = tighten(merge_keywords(conditions, {**form.schema, **form.limits} if form.kind else {}))
        argument = {**form.schema, **argument} if form.kind != "array" else {**argument, "type": "array"}
        if "enum" in argument and form.kind:
            argument = {"type": form.kind, "enum": argument["enum"]}
        argument = {**argument, **description}
        result = {**form.schema, **({"enum": listed} if listed else {}), **description}
        yield Member(
            column=column,
            form=form,
            name=name,
            result=result,
            argument=argument,
            default=_find_default(column, form, argument),
        )


def _shown_type(catalogue: Catalogue, column: Column) -> str:
    """Return a type's name as a report shows it."""
    return catalogue.base(column.type).name


def _read_conditions(
    catalogue: Catalogue, relation: Relation, column: Column, form: Form, losses: Losses
) -> tuple[Keywords, list[Any]]:
    """Return the keywords of the checks on a column, and the values that they list.

    Only those of validated constraints hold for rows that are there.
    """
    found: Keywords = {}
    listed: list[Any] = []
    checks = [
        (join_pointer("/constraints", each.name), each.expression or "", column.name, each.is_validated)
        for each in relation.constraints
        if each.kind == "c" and each.columns == (column.name,)
    ]
    for domain in catalogue.domains(column.type):
        place = join_pointer("/columns", column.name, "type")
        checks += [(place, each.expression, "VALUE", each.is_validated) for each in domain.checks]
    for place, expression, name, is_validated in checks:
        condition = read_condition(expression, name, "" if form.is_parsed and form.kind != "array" else form.kind)
        repeats = "pattern" in found and "pattern" in condition.keywords
        if not condition.is_whole or repeats:
            reason = "a schema cannot say all of it; PostgreSQL rejects what it does not admit"
            losses.drop(place, "CHECK", Effect.WIDER, reason)
        found = merge_keywords(found, condition.keywords)
        if is_validated and condition.is_whole and "enum" in condition.keywords:
            listed = listed or condition.keywords["enum"]
    return found, listed


def _find_default(column: Column, form: Form, argument: Schema) -> Any:
    """Return the constant default of a column as JSON, if its argument admits it."""
    if column.default is None or column.is_automatic or form.kind not in {"string", "integer", "number", "boolean"}:
        return None
    value = read_constant(column.default)
    if value is None or isinstance(value, bool) != (form.kind == "boolean") or any(violations(argument, value)):
        return None
    return value


def _describe(name: str, noun: str) -> str:
    """Return a plain sentence on a member."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).replace("_", " ").strip().lower()
    words = {"id": "identifier"}.get(words, words)
    return f"The {words} of the {noun.replace('_', ' ')}"
