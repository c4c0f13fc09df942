"""The migration that makes the tables and views of a draft, where they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.postgresql.catalogue import (
    PORTABLE_LANGUAGES,
    Catalogue,
    Column,
    Constraint,
    Index,
    Relation,
    Type,
)
from toolaccord_codegen.drafts.postgresql.members import find_missing
from toolaccord_codegen.drafts.postgresql.sql_text import literal, when

HEADER = """\
-- The tables and views of a database that was there before, drafted by `toolaccord import`.
-- Whatever exists already stays as it is: on that database, this file changes nothing.
"""
INDENT = "    "
PROVIDED = frozenset({"public", "pg_catalog"})
"""Schemas that every database has."""
NOT_MADE = "the migration lacks it; the database has it"


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationWriter:
    """Writes the definitions of relations, and of what they need."""

    catalogue: Catalogue
    relations: Sequence[Relation]
    """The relations in an order in which they can be made."""
    losses: Losses

    def write(self) -> str:
        """Return the migration; note what it lacks."""
        types = [*self._order_types()]
        needs = [need for each in types for need in self.catalogue.needs_of_type(each)]
        of_types = {need.oid for need in needs if need.kind == "pg_proc" and not need.extension}
        tables = [each for each in self.relations if each.is_table]
        parts = [
            *self._write_schemas(types),
            *self._write_extensions(),
            *(self._write_type(each) for each in types if each.kind == "e"),
            *self._write_functions(of_types),
            *(self._write_type(each) for each in types if each.kind != "e"),
            *self._write_functions(self._list_functions() - of_types),
            *self._write_sequences(),
            *(self._write_table(each) for each in tables),
            *(each for table in tables for each in self._write_references(table)),
            *(self._write_view(each) for each in self.relations if not each.is_table),
        ]
        setting = ["SET LOCAL check_function_bodies = off;\n"] if of_types | self._list_functions() else []
        return "\n".join([HEADER, *setting, *parts])

    def _write_schemas(self, types: Iterable[Type]) -> Iterator[str]:
        found = {each.namespace for each in self.relations} | {each.namespace for each in types}
        found |= {
            self.catalogue.functions[oid].namespace for oid in self._list_functions() & {*self.catalogue.functions}
        }
        found |= {self.catalogue.sequences[oid].namespace for oid in self._list_sequences()}
        found |= {self.catalogue.extension_schemas[name] for name in self._list_extensions()}
        for name in sorted(found - PROVIDED):
            yield when(f"to_regnamespace({literal(name)}) IS NULL", [f"CREATE SCHEMA {name}"])

    def _write_extensions(self) -> Iterator[str]:
        for name in self._list_extensions():
            schema = self.catalogue.extension_schemas.get(name)
            place = f" WITH SCHEMA {schema}" if schema and schema != "pg_catalog" else ""
            quoted = '"' + name.replace('"', '""') + '"'
            test = f"NOT EXISTS (SELECT FROM pg_extension WHERE extname = {literal(name)})"
            yield when(test, [f"CREATE EXTENSION {quoted}{place}"])

    def _list_extensions(self) -> list[str]:
        """Return the extensions that the relations need."""
        oids = {column.type for each in self.relations for column in each.columns}
        found = {each.extension for each in self._close_types(oids) if each.extension}
        for kind, oid in self._list_definitions():
            found |= {need.extension for need in self.catalogue.needs_of(kind, oid) if need.extension}
        return sorted(found & self.catalogue.extensions)

    def _list_definitions(self) -> Iterator[tuple[str, int]]:
        """Yield the catalogue and the oid of each definition of the relations that calls something."""
        for each in self.relations:
            yield "pg_rewrite", each.rule
            yield from (("pg_attrdef", column.default_oid) for column in each.columns)
            yield from (("pg_constraint", constraint.oid) for constraint in each.constraints)
            yield from (("pg_class", index.oid) for index in each.indexes)

    def _list_functions(self) -> set[int]:
        """Return the functions that definitions of the relations call."""
        needs = [need for kind, oid in self._list_definitions() for need in self.catalogue.needs_of(kind, oid)]
        return {need.oid for need in needs if need.kind == "pg_proc" and not need.extension}

    def _close_types(self, oids: Iterable[int]) -> Iterator[Type]:
        """Yield types, each after those that it is made of."""
        seen: set[int] = set()

        def visit(oid: int) -> Iterator[Type]:
            if oid in seen or oid not in self.catalogue.types:
                return
            seen.add(oid)
            found = self.catalogue.types[oid]
            for inner in (found.item, found.base, found.subtype, *found.member_types):
                yield from visit(inner)
            yield found

        for oid in sorted(oids):
            yield from visit(oid)

    def _order_types(self) -> Iterator[Type]:
        """Yield the types that the migration makes."""
        oids = {
            column.type
            for each in self.relations
            for column in each.columns
            if find_missing(self.catalogue, column) is None
        }
        for kind, oid in self._list_definitions():
            oids |= {need.oid for need in self.catalogue.needs_of(kind, oid) if need.kind == "pg_type"}
        for each in self._close_types(oids):
            is_made = each.kind in {"e", "d", "c", "r"} and not each.is_row and not each.extension
            if is_made and each.schema != "pg_catalog" and self.catalogue.find_type_lack(each.oid) is None:
                yield each

    def _write_type(self, each: Type) -> str:
        """Return the definition of a type."""
        if each.kind == "e":
            definition = f"CREATE TYPE {each.name} AS ENUM ({', '.join(map(literal, each.labels))})"
        elif each.kind == "c":
            definition = f"CREATE TYPE {each.name} AS ({', '.join(each.members)})"
        elif each.kind == "r":
            definition = f"CREATE TYPE {each.name} AS RANGE (SUBTYPE = {self.catalogue.types[each.subtype].name})"
        else:
            default = f" DEFAULT {each.default}" if each.default is not None else ""
            checks = "".join(f"\n{INDENT}CONSTRAINT {check.name} {check.definition}" for check in each.checks)
            definition = f"CREATE DOMAIN {each.name} AS {each.base_form}{default}{' NOT NULL' if each.is_not_null else ''}{checks}"
        kind = "DOMAIN" if each.kind == "d" else "TYPE"
        comments = [f"COMMENT ON {kind} {each.name} IS {literal(each.comment)}"] if each.comment else []
        return when(f"to_regtype({literal(each.name)}) IS NULL", [definition, *comments])

    def _write_functions(self, oids: Iterable[int]) -> Iterator[str]:
        for oid in sorted(oids):
            function = self.catalogue.functions.get(oid)
            if function is not None and function.language in PORTABLE_LANGUAGES:
                test = f"to_regprocedure({literal(function.signature)}) IS NULL"
                yield when(test, [function.definition.rstrip()])

    def _write_sequences(self) -> Iterator[str]:
        for oid in sorted(self._list_sequences()):
            sequence = self.catalogue.sequences[oid]
            definition = f"CREATE SEQUENCE {sequence.quoted} {sequence.options}"
            yield when(f"to_regclass({literal(sequence.quoted)}) IS NULL", [definition])

    def _list_sequences(self) -> set[int]:
        """Return the sequences that defaults read."""
        columns = [column for each in self.relations for column in each.columns]
        return {oid for each in columns for oid in self._sequences_of(each)}

    def _sequences_of(self, column: Column) -> Iterator[int]:
        for need in self.catalogue.needs_of("pg_attrdef", column.default_oid):
            if need.kind == "pg_class" and need.oid in self.catalogue.sequences:
                yield need.oid

    def _write_table(self, table: Relation) -> str:
        """Return the definition of a table with its indexes and comments."""
        with self.losses.of(f"table {table.name}"):
            for key, names in (("triggers", table.triggers), ("policies", table.policies)):
                for name in names:
                    self.losses.drop(join_pointer(f"/{key}", name), key, Effect.SAME, NOT_MADE)
            head, lines = self._open_table(table), [*self._list_lines(table)]
            body = "\n" + ",\n".join(f"{INDENT}{line}" for line in lines) + "\n"
            inner = f" ({body})" if lines or not table.is_partition else ""
            partitions = f" PARTITION BY {table.partition_key}" if table.partition_key else ""
            parents = [self.catalogue.relations[oid].quoted for oid in table.parents if not table.is_partition]
            inherits = f" INHERITS ({', '.join(parents)})" if parents else ""
            bound = f" {table.bound}" if table.is_partition and table.bound else ""
            statements = [f"{head}{inner}{bound}{inherits}{partitions}"]
            statements += [each.definition for each in table.indexes if self._is_made(each, table)]
            statements += [*self._list_owners(table), *_list_comments("TABLE", table, self._list_known(table))]
        return when(f"to_regclass({literal(table.quoted)}) IS NULL", statements)

    def _list_known(self, table: Relation) -> list[Column]:
        """Return the columns that can be made."""
        return [each for each in table.columns if find_missing(self.catalogue, each) is None]

    def _open_table(self, table: Relation) -> str:
        if not table.is_partition:
            return f"CREATE TABLE {table.quoted}"
        return f"CREATE TABLE {table.quoted} PARTITION OF {self.catalogue.relations[table.parents[0]].quoted}"

    def _list_lines(self, table: Relation) -> Iterator[str]:
        """Yield the columns and the constraints of a table that no parent has."""
        known = {each.name for each in self._list_known(table)}
        for column in table.columns:
            if column.name in known and column.is_local and not table.is_partition:
                yield self._write_column(column)
        for constraint in table.constraints:
            if constraint.kind != "f" and constraint.is_local and self._is_kept(constraint, known):
                yield f"CONSTRAINT {constraint.quoted} {constraint.definition.removesuffix(' NOT VALID')}"

    def _is_kept(self, constraint: Constraint, known: set[str]) -> bool:
        """Return True for a constraint that can be made; note any other."""
        lack = self.catalogue.find_lack("pg_constraint", constraint.oid)
        if lack is None and {*constraint.columns} <= known:
            return True
        reason = f"it needs {lack or 'a column that is dropped'}; {NOT_MADE}"
        self.losses.drop(join_pointer("/constraints", constraint.name), "constraint", Effect.SAME, reason)
        return False

    def _write_column(self, column: Column) -> str:
        parts = [column.quoted, column.form]
        if column.collation is not None and column.collation.startswith("pg_catalog."):
            parts.append(f"COLLATE {column.collation}")
        elif column.collation is not None:
            at = join_pointer("/columns", column.name, "collation")
            self.losses.drop(at, "COLLATE", Effect.SAME, NOT_MADE)
        if column.generated:
            stored = "STORED" if column.generated == "s" else "VIRTUAL"
            parts.append(f"GENERATED ALWAYS AS ({column.default}) {stored}")
        elif column.identity:
            always = "ALWAYS" if column.identity == "a" else "BY DEFAULT"
            options = f" ({column.identity_options})" if column.identity_options else ""
            parts.append(f"GENERATED {always} AS IDENTITY{options}")
        elif column.default is not None and self._is_default_made(column):
            parts.append(f"DEFAULT {column.default}")
        return " ".join([*parts, *(["NOT NULL"] if column.is_not_null else [])])

    def _is_default_made(self, column: Column) -> bool:
        """Return True for a default that can be made; note any other."""
        lack = self.catalogue.find_lack("pg_attrdef", column.default_oid)
        if lack is not None:
            at = join_pointer("/columns", column.name, "default")
            self.losses.drop(at, "DEFAULT", Effect.SAME, f"it needs {lack}; {NOT_MADE}")
        return lack is None

    def _is_made(self, index: Index, table: Relation) -> bool:
        """Return True for an index that can be made; note any other."""
        dropped = {each.number for each in table.columns if find_missing(self.catalogue, each) is not None}
        needs = self.catalogue.needs_of("pg_class", index.oid)
        is_whole = not any(need.oid == table.oid and need.part in dropped for need in needs)
        if index.is_portable and is_whole and self.catalogue.find_lack("pg_class", index.oid) is None:
            return True
        self.losses.drop(join_pointer("/indexes", index.quoted), "index", Effect.SAME, NOT_MADE)
        return False

    def _list_owners(self, table: Relation) -> Iterator[str]:
        """Yield the columns that sequences end with."""
        for oid in sorted({oid for each in table.columns for oid in self._sequences_of(each)}):
            sequence = self.catalogue.sequences[oid]
            if sequence.owner is not None and sequence.owner.startswith(f"{table.quoted}."):
                yield f"ALTER SEQUENCE {sequence.quoted} OWNED BY {sequence.owner}"

    def _write_references(self, table: Relation) -> Iterator[str]:
        """Yield the foreign keys of a table, which may form a circle."""
        known = {each.name for each in self._list_known(table)}
        for each in table.constraints:
            if each.kind == "f" and each.is_local and {*each.columns} <= known:
                test = (
                    f"NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass({literal(table.quoted)})"
                    f" AND conname = {literal(each.name)})"
                )
                definition = each.definition.removesuffix(" NOT VALID")
                yield when(test, [f"ALTER TABLE {table.quoted} ADD CONSTRAINT {each.quoted} {definition}"])

    def _write_view(self, view: Relation) -> str:
        kind = "MATERIALIZED VIEW" if view.kind == "m" else "VIEW"
        names = ", ".join(each.quoted for each in view.columns)
        query = (view.definition or "").strip().rstrip(";")
        statements = [f"CREATE {kind} {view.quoted} ({names}) AS\n{query}"]
        with self.losses.of(f"view {view.name}"):
            statements += [each.definition for each in view.indexes if self._is_made(each, view)]
        statements += [*_list_comments(kind, view, view.columns)]
        return when(f"to_regclass({literal(view.quoted)}) IS NULL", statements)


def _list_comments(kind: str, relation: Relation, columns: Iterable[Column]) -> Iterator[str]:
    """Yield the comments on a relation and columns of it."""
    if relation.comment:
        yield f"COMMENT ON {kind} {relation.quoted} IS {literal(relation.comment)}"
    for column in columns:
        if column.comment:
            yield f"COMMENT ON COLUMN {relation.quoted}.{column.quoted} IS {literal(column.comment)}"
