"""The part of a database's catalogue that a draft needs, as PostgreSQL describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

PORTABLE_LANGUAGES = frozenset({"sql", "plpgsql"})
"""Languages whose functions every PostgreSQL can have."""
TABLES, VIEWS = frozenset("rp"), frozenset("vm")
"""Kinds of relations that have tools: tables, also partitioned; views, also materialised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A CHECK constraint of a domain."""

    oid: int
    name: str
    definition: str
    expression: str
    """Its condition, in which the value is called VALUE."""
    is_validated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """A type; every name is qualified and quoted."""

    oid: int
    name: str
    schema: str
    namespace: str
    """The schema, quoted."""
    kind: str
    """`b` of a base type, `c` of a composite, `d` of a domain, `e` of an enum, `r` of a range."""
    is_row: bool
    """True for the type of a table's rows."""
    is_array: bool
    item: int
    """The type of the items of an array, else 0."""
    base: int
    """The type behind a domain, else 0."""
    base_form: str
    """The same with its length."""
    subtype: int
    """The type that a range is made of, else 0."""
    is_not_null: bool
    """True for a domain that admits no null."""
    default: str | None
    labels: tuple[str, ...]
    members: tuple[str, ...]
    """The definitions of the members of a composite type."""
    member_types: tuple[int, ...]
    extension: str | None
    comment: str | None
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a relation."""

    number: int
    name: str
    quoted: str
    type: int
    form: str
    """The type with its length, as a definition has it."""
    length: int | None
    """The most characters of a text."""
    precision: int | None
    scale: int | None
    is_not_null: bool
    identity: str
    """`a` for one that is always generated, `d` for a default, else empty."""
    generated: str
    """`s` for a stored and `v` for a virtual generated column, else empty."""
    default: str | None
    default_oid: int
    collation: str | None
    """The collation, unless it is that of the type."""
    is_local: bool
    """False for a column that a parent alone has."""
    identity_options: str | None
    comment: str | None

    @property
    def is_automatic(self) -> bool:
        """Return True for a column that no INSERT may set."""
        return self.identity == "a" or bool(self.generated)

    @property
    def has_default(self) -> bool:
        """Return True for a column that an INSERT may leave out."""
        return self.default is not None or bool(self.identity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A constraint of a table."""

    oid: int
    name: str
    quoted: str
    kind: str
    """`p` of a primary key, `u` of UNIQUE, `f` of a foreign key, `c` of CHECK, `x` of EXCLUDE."""
    definition: str
    columns: tuple[str, ...]
    target: int
    """The table that a foreign key refers to, else 0."""
    expression: str | None
    """The condition of a check."""
    is_validated: bool
    is_local: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index that no constraint made."""

    oid: int
    quoted: str
    definition: str
    is_unique: bool
    is_whole: bool
    """True for an index of columns alone, without a condition."""
    is_portable: bool
    """True if it needs no operators of an extension."""
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A table or a view."""

    oid: int
    schema: str
    namespace: str
    """The schema, quoted."""
    name: str
    quoted: str
    """Its qualified name."""
    kind: str
    is_partition: bool
    bound: str | None
    """The bounds of a partition."""
    partition_key: str | None
    definition: str | None
    """The query of a view."""
    rule: int
    """The rule that a view is, else 0."""
    parents: tuple[int, ...]
    extension: str | None
    triggers: tuple[str, ...]
    policies: tuple[str, ...]
    comment: str | None
    columns: tuple[Column, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    indexes: tuple[Index, ...] = ()
    leading: frozenset[str] = frozenset()
    """The columns with which an index begins, that of a constraint included."""

    @property
    def key(self) -> tuple[str, ...]:
        """Return the columns of the primary key; none without one."""
        return next((each.columns for each in self.constraints if each.kind == "p"), ())

    @property
    def label(self) -> str:
        """Return its kind and name, as a report shows them."""
        return f"{'view' if self.kind in VIEWS else 'table'} {self.name}"

    @property
    def is_table(self) -> bool:
        """Return True for a table, which rows can be added to."""
        return self.kind in TABLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A sequence that a default reads."""

    oid: int
    namespace: str
    quoted: str
    options: str
    owner: str | None
    """The column that it ends with, as `table.column`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function that a definition calls."""

    oid: int
    namespace: str
    signature: str
    definition: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Something that a definition depends on."""

    kind: str
    """The catalogue that has it, such as `pg_proc`."""
    oid: int
    part: int
    """The number of the column that is meant, else 0."""
    extension: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The relations of a database, and what they are made of."""

    database: str
    comment: str | None
    schema: str | None
    """The first schema of the search path."""
    relations: Mapping[int, Relation]
    types: Mapping[int, Type]
    sequences: Mapping[int, Sequence]
    functions: Mapping[int, Function]
    needs: Mapping[tuple[str, int], tuple[Need, ...]] = field(default_factory=dict)
    """The things that definitions depend on, by catalogue and oid."""
    extension_schemas: Mapping[str, str] = field(default_factory=dict)
    """The schemas of the database's extensions."""
    extensions: frozenset[str] = frozenset()
    """The extensions that the PostgreSQL of the compiler has."""

    def needs_of(self, kind: str, oid: int) -> tuple[Need, ...]:
        """Return what one definition depends on."""
        return self.needs.get((kind, oid), ())

    def base(self, oid: int) -> Type:
        """Return the type behind any domains."""
        found = self.types[oid]
        while found.kind == "d":
            found = self.types[found.base]
        return found

    def domains(self, oid: int) -> Iterator[Type]:
        """Yield the domains around a type, the outermost first."""
        found = self.types[oid]
        while found.kind == "d":
            yield found
            found = self.types[found.base]

    def needs_of_type(self, each: Type) -> tuple[Need, ...]:
        """Return what a type and its checks depend on."""
        checks = [need for check in each.checks for need in self.needs_of("pg_constraint", check.oid)]
        return (*self.needs_of("pg_type", each.oid), *checks)

    def find_lack(self, kind: str, oid: int) -> str | None:
        """Return what a definition needs and the compiler's PostgreSQL cannot have, if anything."""
        for need in self.needs_of(kind, oid):
            if need.extension is not None and need.extension not in self.extensions:
                return f"the extension {need.extension}"
            function = self.functions.get(need.oid) if need.kind == "pg_proc" and not need.extension else None
            if function is not None and function.language not in PORTABLE_LANGUAGES:
                return f"the function {function.signature} in {function.language}"
        return None

    def find_type_lack(self, oid: int) -> str | None:
        """Return what a type needs and the compiler's PostgreSQL cannot have; None where it has all."""
        found = self.types[oid]
        if found.extension is not None and found.extension not in self.extensions:
            return f"the extension {found.extension}"
        if found.is_row:
            return f"the rows of {found.name}"
        if (found.kind in {"b", "m"}) and not (found.is_array or found.extension or found.schema == "pg_catalog"):
            return f"the type {found.name}"
        inner = [each for each in (found.item, found.base, found.subtype, *found.member_types) if each]
        return next(filter(None, map(self.find_type_lack, inner)), None)
