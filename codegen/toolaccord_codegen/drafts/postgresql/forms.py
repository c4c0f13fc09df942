"""Forms of PostgreSQL's types: their JSON, and the way to and from it in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord_codegen.drafts.postgresql.catalogue import Catalogue, Column, Type

Schema = dict[str, Any]
ANY_JSON = ["object", "array", "string", "number", "boolean"]
"""The types of a value of JSON that is not null."""
MOST_DIGITS = 15
"""Decimal digits that a number of JSON keeps."""
LARGEST_REAL = 3.4028234e38
DATE_TIME = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$"
TIME = r"^\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$"
BASE64 = r"^[A-Za-z0-9+/]*={0,2}$"
AS_TEXT = "its values have no form in JSON; they are the texts that PostgreSQL writes and reads"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The form of a type's values."""

    schema: Schema
    """The schema of a value in a result."""
    limits: Schema
    """Further keywords of an argument."""
    select: str = "{}"
    """The expression that a query selects, of that of a column."""
    bind: str = "{}"
    """The expression that a value has in a statement, of that of a parameter."""
    cast: str
    """The type to which a parameter is cast where nothing tells its type."""
    compared: str = ""
    """The comparisons of a filter: `equal`, `range` for times, `bounds` for measures, or none."""
    is_sortable: bool = True
    is_parsed: bool = False
    """True if PostgreSQL reads a text, and may reject it."""
    empty: str = "''"
    """A value of the selected expression that is not null."""
    change: str = ""
    """The difference from the type; empty without one."""

    @property
    def kind(self) -> str:
        """Return the type of JSON; empty for several."""
        kind = self.schema.get("type")
        return kind if isinstance(kind, str) else ""

    @property
    def is_json(self) -> bool:
        """Return True for JSON of any type."""
        return self.schema.get("type") == ANY_JSON

    def typed(self, parameter: str) -> str:
        """Return the expression of a parameter whose type nothing else tells."""
        return f"{parameter}::{self.cast}" if self.bind == "{}" else fill(self.bind, parameter)


def fill(expression: str, operand: str) -> str:
    """Return an expression with an operand in its only place; names in both may have braces."""
    return expression.replace("{}", operand, 1)


def find_form(catalogue: Catalogue, column: Column) -> Form:
    """Return the form of a column's values."""
    base = catalogue.base(column.type)
    if not base.is_array:
        return _scalar(base, column)
    item = catalogue.types[base.item]
    inner = _scalar(item, None)
    schema = {**inner.schema, "type": [inner.kind, "null"]} if inner.kind and "enum" not in inner.schema else {}
    if "enum" in inner.schema:
        schema = {"anyOf": [inner.schema, {"type": "null"}]}
    is_text = inner.select != "{}" or inner.is_json or item.kind == "d"
    if is_text:
        schema, inner = {"type": ["string", "null"]}, _text(item, AS_TEXT)
    bind = f"{{}}::text[]::{base.name}" if is_text else "{}"
    if not is_text and inner.bind != "{}":
        bind = f"{inner.bind.split('::')[0]}::double precision[]::{base.name}"
    return Form(
        schema={"type": "array", "items": schema},
        limits={"items": {**inner.schema, **inner.limits}},
        select="{}::text[]" if is_text else "{}",
        bind=bind,
        cast=base.name,
        is_sortable=False,
        is_parsed=is_text,
        empty="'{}'",
        change=inner.change if is_text else "",
    )


def _scalar(base: Type, column: Column | None) -> Form:
    """Return the form of one value, of a *column* or of an array."""
    if base.kind == "e":
        return Form(schema={"type": "string", "enum": [*base.labels]}, limits={}, cast=base.name, compared="equal")
    if base.name == "numeric":
        return _numeric(column)
    if base.name in _TEXTS or (base.name == "public.citext" and base.kind == "b"):
        length = column.length if column is not None else None
        return Form(
            schema={"type": "string"},
            limits={"maxLength": length} if length else {},
            cast="text" if base.name in _TEXTS else base.name,
            compared="equal",
        )
    return _FORMS.get(base.name) or _text(base, AS_TEXT)


def _text(base: Type, change: str) -> Form:
    """Return the form of a type whose values are texts for PostgreSQL to read."""
    return Form(
        schema={"type": "string"},
        limits={},
        select="{}::text",
        bind=f"{{}}::text::{base.name}",
        cast=base.name,
        is_sortable=False,
        is_parsed=True,
        change=change,
    )


def _numeric(column: Column | None) -> Form:
    """Return the form of a decimal number."""
    limits: Schema = {}
    precision = column.precision if column is not None else None
    if column is not None and precision is not None:
        largest = 10 ** (precision - (column.scale or 0)) if precision >= (column.scale or 0) else 1
        limit = largest if largest < 10**18 else float(largest)
        limits = {"exclusiveMinimum": -limit, "exclusiveMaximum": limit}
    is_exact = precision is not None and precision <= MOST_DIGITS
    return Form(
        schema={"type": "number"},
        limits=limits,
        bind="{}::double precision::numeric",
        cast="numeric",
        compared="bounds",
        change="" if is_exact else f"a number of JSON keeps about {MOST_DIGITS} digits",
    )


def _native(kind: str, cast: str, compared: str = "", limits: Schema | None = None, **keys: Any) -> Form:
    """Return the form of a type that JSON has."""
    return Form(schema={"type": kind, **keys}, limits=limits or {}, cast=cast, compared=compared)


def _integer(bits: int, cast: str) -> Form:
    return _native("integer", cast, "equal", {"minimum": -(2 ** (bits - 1)), "maximum": 2 ** (bits - 1) - 1})


def _parsed(cast: str, pattern: str, change: str, compared: str = "") -> Form:
    """Return the form of a time without a zone, which JSON has no format for."""
    return Form(
        schema={"type": "string"},
        limits={"pattern": pattern},
        select="{}::text",
        bind=f"{{}}::text::{cast}",
        cast=cast,
        compared=compared,
        is_parsed=True,
        change=change,
    )


_TEXTS = frozenset({"text", "character varying", "character", "name"})
_JSON = Form(schema={"type": ANY_JSON}, limits={}, cast="jsonb", is_sortable=False)
_FORMS: Mapping[str, Form] = {
    "smallint": _integer(16, "smallint"),
    "integer": _integer(32, "integer"),
    "bigint": _native("integer", "bigint", "equal"),
    "oid": _native("integer", "oid", "equal", {"minimum": 0, "maximum": 2**32 - 1}),
    "real": _native("number", "real", "bounds", {"minimum": -LARGEST_REAL, "maximum": LARGEST_REAL}),
    "double precision": _native("number", "double precision", "bounds"),
    "boolean": _native("boolean", "boolean", "equal"),
    "uuid": _native("string", "uuid", "equal", format="uuid"),
    "date": _native("string", "date", "range", format="date"),
    "timestamp with time zone": _native("string", "timestamp with time zone", "range", format="date-time"),
    "timestamp without time zone": _parsed(
        "timestamp without time zone",
        DATE_TIME,
        "a time without a zone is a text, such as 2026-01-31 12:00:00",
        "range",
    ),
    "time without time zone": Form(
        schema={"type": "string", "pattern": TIME},
        limits={},
        select="{}::text",
        bind="{}::text::time without time zone",
        cast="time without time zone",
        is_parsed=True,
        change="a time of day is a text, such as 12:00:00",
    ),
    "jsonb": _JSON,
    "xml": Form(schema={"type": "string"}, limits={}, cast="xml", is_sortable=False, is_parsed=True),
    "json": Form(schema={"type": ANY_JSON}, limits={}, cast="json", is_sortable=False),
    "bytea": Form(
        schema={"type": "string"},
        limits={"pattern": BASE64},
        select=r"replace(encode({}, 'base64'), E'\n', '')",
        bind="decode({}, 'base64')",
        cast="bytea",
        is_sortable=False,
        is_parsed=True,
        change="bytes are a text in base64",
    ),
}
"""The forms of PostgreSQL's own types, by their names."""
