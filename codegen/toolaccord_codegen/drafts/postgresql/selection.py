"""The relations of a draft, and those that its migration needs beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.postgresql.catalogue import TABLES, VIEWS, Catalogue, Relation
from toolaccord_codegen.drafts.postgresql.members import LINE_END, find_missing

OWN_TABLES = frozenset({"idempotency_keys", "toolaccord_migrations"})
"""Tables of the library."""


def choose_relations(catalogue: Catalogue, names: Sequence[str], losses: Losses) -> list[Relation]:
    """Return the relations that get tools: those of these *names*, or all of the first schema.

    Raises ValueError for a name that no relation has, and where nothing is left.
    """
    if names:
        wanted = [_find(catalogue, name) for name in names]
    else:
        wanted = [each for each in catalogue.relations.values() if _is_usual(catalogue, each)]
    chosen = []
    for each in dict.fromkeys(wanted):
        with losses.of(each.label):
            reason = find_unusable(catalogue, each)
            if reason is None and each.is_table and not each.key and not names:
                reason = "it has no primary key; name it with --table"
            if reason is None:
                chosen.append(each)
            else:
                losses.drop("", "relation", Effect.NARROWER, reason)
    if not chosen:
        raise ValueError(f"it has no table with a primary key and no view in the schema {catalogue.schema}")
    return chosen


def _find(catalogue: Catalogue, name: str) -> Relation:
    """Return a relation by its name, with or without its schema. Raises ValueError."""
    found = [
        each
        for each in catalogue.relations.values()
        if name in {f"{each.schema}.{each.name}", each.quoted}
        or (each.name == name and each.schema == catalogue.schema)
    ]
    if not found:
        known = sorted(f"{each.schema}.{each.name}" for each in catalogue.relations.values() if each.name == name)
        hint = f"; there is {', '.join(known)}" if known else ""
        raise ValueError(f"it has no table or view {name}{hint}")
    return found[0]


def _is_usual(catalogue: Catalogue, relation: Relation) -> bool:
    """Return True for a relation that is drafted unasked."""
    is_own = relation.schema == catalogue.schema and relation.name not in OWN_TABLES
    return is_own and relation.extension is None and not relation.is_partition


def find_unusable(catalogue: Catalogue, relation: Relation, above: frozenset[int] = frozenset()) -> str | None:
    """Return the reason why a relation cannot be made anew; None if it can.

    *above* are the views that are being looked at.
    """
    reasons = {
        "its rows are on a foreign server, which a migration does not have": relation.kind not in TABLES | VIEWS,
        f"it belongs to the extension {relation.extension}": relation.extension is not None,
        "its name has a line break, and lines of a SQL file have a meaning": bool(LINE_END.search(relation.quoted)),
        "it has no column that a draft has a place for": all(
            find_missing(catalogue, each) for each in relation.columns
        ),
    }
    found = next((reason for reason, holds in reasons.items() if holds), None)
    return found if found or relation.is_table else _find_lack_of_view(catalogue, relation, above)


def _find_lack_of_view(catalogue: Catalogue, view: Relation, above: frozenset[int]) -> str | None:
    """Return the reason why the query of a view cannot run; None if it can."""
    if lack := catalogue.find_lack("pg_rewrite", view.rule):
        return f"it needs {lack}, which the PostgreSQL of the compiler lacks"
    for oid, part in _sources(catalogue, view):
        source = catalogue.relations[oid]
        lost = next((each for each in source.columns if each.number == part and find_missing(catalogue, each)), None)
        if lost is not None:
            return f"it needs the column {lost.name} of {source.name}, which is dropped"
        if oid not in above and (reason := find_unusable(catalogue, source, above | {view.oid})):
            return f"it needs {source.name}, and {reason}"
    return None


def _sources(catalogue: Catalogue, view: Relation) -> Iterator[tuple[int, int]]:
    """Yield the relations that a view reads, each with the number of a column."""
    for need in catalogue.needs_of("pg_rewrite", view.rule):
        if need.kind == "pg_class" and need.oid in catalogue.relations and need.oid != view.oid:
            yield need.oid, need.part


def order_relations(catalogue: Catalogue, chosen: Iterable[Relation]) -> list[Relation]:
    """Return relations and all that they refer to, each after those that its definition needs."""
    ordered: dict[int, Relation] = {}
    seen: set[int] = set()
    waiting = [*chosen]
    while waiting:
        relation = waiting.pop(0)
        _place(catalogue, relation, ordered, seen)
        members = {*ordered}
        waiting += [
            each
            for each in catalogue.relations.values()
            if each.oid not in members
            and ((each.is_partition and members & {*each.parents}) or _is_referred_to(each, ordered.values()))
        ]
    return [*ordered.values()]


def _place(catalogue: Catalogue, relation: Relation, ordered: dict[int, Relation], seen: set[int]) -> None:
    """Put a relation behind its parents and, for a view, behind what it reads."""
    if relation.oid in seen:
        return
    seen.add(relation.oid)
    before = [*relation.parents]
    before += [] if relation.is_table else [oid for oid, _ in _sources(catalogue, relation)]
    for oid in dict.fromkeys(before):
        _place(catalogue, catalogue.relations[oid], ordered, seen)
    ordered[relation.oid] = relation


def _is_referred_to(relation: Relation, others: Iterable[Relation]) -> bool:
    """Return True for the target of a foreign key of other relations."""
    return any(each.target == relation.oid for other in others for each in other.constraints if each.kind == "f")
