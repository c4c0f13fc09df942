"""The functions of PostgreSQL on which proofs rest, called with unusual values."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from tests.codegen.queries.golden import SharedDatabases, prove_columns
from toolaccord.sources.postgresql.migration_files import Migration
from toolaccord_codegen.cli.queries.database import Database

CALLS = 15
"""Calls of each function, at most."""
TRY = """
CREATE TYPE letter AS ENUM ('x', 'y');
CREATE FUNCTION try(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE is_null boolean;
BEGIN
    EXECUTE 'SELECT (' || call || ') IS NULL' INTO is_null;
    RETURN CASE WHEN is_null THEN 'null' ELSE 'value' END;
EXCEPTION WHEN OTHERS THEN RETURN 'error';
END $$
"""
MOMENTS = ("'infinity'", "'-infinity'", "'2024-02-29 12:00'")
VALUES = {
    "bool": ("true", "false"),
    "int2": ("0", "-3", "7"),
    "int4": ("0", "-3", "7", "70000"),
    "int8": ("0", "-3", "99"),
    "float4": ("0", "'NaN'", "'Infinity'", "-1.5"),
    "float8": ("0", "'NaN'", "'-Infinity'", "2.5"),
    "numeric": ("0", "'NaN'", "'Infinity'", "2.5", "-7"),
    "oid": ("0", "1"),
    "text": ("''", "'a'", "'UTC'", "'day'", "'a%_\\'", "'hex'", "'1'"),
    "varchar": ("''", "'abc'"),
    "bpchar": ("''", "'abc  '"),
    "name": ("''", "'abc'"),
    "bytea": ("''", "'\\x00ff'"),
    "date": MOMENTS,
    "time": ("'24:00'", "'00:00'"),
    "timetz": ("'12:00+01'",),
    "timestamp": MOMENTS,
    "timestamptz": MOMENTS,
    "interval": ("'infinity'", "'0'", "'-1 day'", "'1 month 2 s'"),
    "uuid": ("'00000000-0000-0000-0000-000000000000'",),
}
ANY = {
    "anyarray": ("'{}'::int[]", "'{1,NULL}'::int[]", "'{{1,2}}'::int[]"),
    "anycompatible": ("5::int",),
    "anycompatiblearray": ("'{}'::int[]", "'{1,NULL}'::int[]"),
    "anyenum": ("'x'::letter", "'y'::letter"),
    "anynonarray": ("5::int", "''::text", "point(1,2)", "'null'::jsonb"),
}
ARGUMENTS = {**{kind: [f"{value}::{kind}" for value in values] for kind, values in VALUES.items()}, **ANY}
SIGNATURES = """
SELECT p.proname, ARRAY(
    SELECT t.typname::text FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a (type, place)
    JOIN pg_type t ON t.oid = a.type ORDER BY a.place
)
FROM pg_proc p WHERE p.oid = ANY (%s::oid[])
"""


@pytest.fixture(scope="module")
def database(databases: SharedDatabases) -> Iterator[Database]:
    """Return a database with a function that tries a call."""
    with databases.migrated("tried", [Migration("tried", "1", "SELECT 1"), Migration("tried", "2", TRY)]) as found:
        yield found


def choose(calls: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return some of the arguments of a function, the same ones in each run."""
    return Random(1).sample(calls, min(CALLS, len(calls)))


def test_a_function_that_is_trusted_gives_a_value_for_values(database: Database) -> None:
    calls = [
        f'pg_catalog."{name}"({", ".join(arguments)})'
        for name, types in database.connection.execute(SIGNATURES, [[*database.facts.strict]])
        for arguments in choose([*product(*(ARGUMENTS[kind] for kind in types))])
    ]
    rows = database.connection.execute("SELECT call, try(call) FROM unnest(%s::text[]) AS call", [calls]).fetchall()
    assert [call for call, outcome in rows if outcome == "null"] == []
    assert sum(outcome == "value" for _, outcome in rows) > len(rows) / 2


@pytest.mark.parametrize(
    "call",
    [
        "'infinity'::timestamp::time",
        "substring('a' FROM '[0-9]')",
        "array_length('{}'::int[], 1)",
        "lower('[,5)'::int4range)",
        "extract(day FROM 'infinity'::timestamp)",
        "to_char('infinity'::timestamp, 'YYYY')",
        "concat(VARIADIC NULL::text[])",
        "jsonb_build_object(VARIADIC NULL::text[])",
        "'{\"a\": null}'::jsonb ->> 'a'",
        "'(1,1)'::path + '[(1,1)]'::path",
    ],
)
def test_a_function_that_gives_null_for_values_is_not_trusted(database: Database, call: str) -> None:
    assert database.connection.execute("SELECT try(%s)", [call]).fetchone() == ("null",)
    assert prove_columns(f"SELECT {call} AS called", database) == [False]
