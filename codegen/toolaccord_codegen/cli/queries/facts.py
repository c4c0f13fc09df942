"""Facts of a database's catalog on which proofs rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord_codegen.queries.nulls import Facts

if TYPE_CHECKING:
    import psycopg

_NOT_NULL = """
WITH RECURSIVE declared AS (
    SELECT a.attrelid, a.attnum, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attnotnull AND a.attnum > 0 AND c.relkind IN ('r', 'p') AND NOT EXISTS (
        SELECT FROM pg_constraint k
        WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND k.conkey = ARRAY[a.attnum]
          AND NOT k.convalidated
    )
), below AS (
    SELECT inhparent AS above, inhrelid AS part FROM pg_inherits
    UNION SELECT below.above, i.inhrelid FROM below JOIN pg_inherits i ON i.inhparent = below.part
)
SELECT d.attrelid::bigint, d.attnum FROM declared d WHERE NOT EXISTS (
    SELECT FROM below LEFT JOIN declared p ON p.attrelid = below.part AND p.attname = d.attname
    WHERE below.above = d.attrelid AND p.attnum IS NULL
)
"""
"""The columns that are never null, also in tables that inherit, and of no foreign table."""
_OPERATORS = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "||",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "~~",
    "!~~",
    "~~*",
    "!~~*",
    "@>",
    "<@",
    "&&",
]
_TYPES = (
    *(
        "bool",
        "int2",
        "int4",
        "int8",
        "float4",
        "float8",
        "numeric",
        "oid",
        "text",
        "varchar",
        "bpchar",
        "name",
        "bytea",
    ),
    *("date", "time", "timetz", "timestamp", "timestamptz", "interval", "uuid"),
    *("anyarray", "anycompatible", "anycompatiblearray", "anyenum", "anynonarray"),
)
"""Types whose functions below give a value for values, unlike JSON, ranges and shapes."""
_STRICT_NAMES = (
    *(
        "abs",
        "ascii",
        "btrim",
        "cardinality",
        "ceil",
        "ceiling",
        "char_length",
        "character_length",
        "chr",
        "date_trunc",
    ),
    *("decode", "div", "encode", "exp", "floor", "initcap", "left", "length", "ln", "lower", "lpad", "ltrim", "md5"),
    *("mod", "octet_length", "position", "power", "repeat", "replace", "reverse", "right", "round", "rpad", "rtrim"),
    *("sign", "split_part", "sqrt", "starts_with", "strpos", "substr", "timezone", "translate", "trunc", "upper"),
)
_STRICT = """
SELECT p.oid::bigint FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384 AND p.prokind = 'f' AND NOT p.proretset
  AND (p.proisstrict OR p.oid IN (SELECT oprcode FROM pg_operator WHERE oprname = '||'))
  AND (SELECT bool_and(each = ANY (%(types)s::regtype[])) FROM unnest(p.proargtypes::oid[]) AS each)
  AND (
      p.proname = ANY (%(names)s)
      OR p.oid IN (SELECT oprcode FROM pg_operator WHERE oid < 16384 AND oprname = ANY (%(operators)s))
      OR p.oid IN (SELECT castfunc FROM pg_cast WHERE oid < 16384 AND casttarget NOT IN ('time'::regtype, 'timetz'::regtype))
      OR (p.proname = 'substring' AND p.proargtypes[1] = 'int4'::regtype)
  )
"""
"""Functions that give a value for values.

A time of an infinite timestamp is null, and so is a pattern's substring.
"""
_CERTAIN = """
SELECT oid::bigint FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND oid < 16384 AND prokind = 'f' AND NOT proretset AND (
    (pronargs = 0 AND proname IN (
        'clock_timestamp', 'gen_random_uuid', 'now', 'pi', 'random', 'statement_timestamp', 'transaction_timestamp',
        'uuidv4', 'uuidv7'
    ))
    OR proname IN ('concat', 'json_build_array', 'json_build_object', 'jsonb_build_array', 'jsonb_build_object')
)
"""
_COUNTING = """
SELECT oid::bigint FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND oid < 16384 AND (
    (prokind = 'a' AND proname = 'count')
    OR (prokind = 'w' AND proname IN ('row_number', 'rank', 'dense_rank', 'percent_rank', 'cume_dist'))
)
"""
_GATHERING = """
SELECT oid::bigint FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND oid < 16384 AND prokind = 'a' AND proname IN (
    'array_agg', 'avg', 'bool_and', 'bool_or', 'every', 'json_agg', 'jsonb_agg', 'max', 'min', 'string_agg', 'sum'
)
"""


def read_facts(connection: psycopg.Connection[Any]) -> Facts:
    """Return what a database knows of its tables and functions."""

    def read(sql: str, **values: object) -> frozenset[int]:
        return frozenset(row[0] for row in connection.execute(sql.encode(), values or None))

    names = {"types": [*_TYPES], "names": [*_STRICT_NAMES], "operators": _OPERATORS}
    return Facts(
        not_null=frozenset((row[0], row[1]) for row in connection.execute(_NOT_NULL)),
        strict=read(_STRICT, **names),
        certain=read(_CERTAIN),
        counting=read(_COUNTING),
        gathering=read(_GATHERING),
    )
