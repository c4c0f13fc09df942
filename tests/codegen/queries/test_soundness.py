"""A search for columns that are wrongly proved never null, with random statements."""

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, reject, settings

from tests.codegen.queries.golden import SharedDatabases, prove_columns
from tests.codegen.queries.statements import TABLES, statements
from toolaccord.sources.postgresql.migration_files import Migration
from toolaccord_codegen.cli.queries.database import Database

EXAMPLES = 150


@pytest.fixture(scope="module")
def database(databases: SharedDatabases) -> Iterator[Database]:
    """Return a database with two small tables, an empty one and a view."""
    with databases.migrated("small", [Migration("small", "1", "SELECT 1"), Migration("small", "2", TABLES)]) as found:
        yield found


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sql=statements())
def test_a_column_that_is_proved_never_has_a_null(sql: str, database: Database) -> None:
    proved = prove_columns(sql, database)
    try:
        with database.connection.transaction(force_rollback=True):
            rows = database.connection.execute(sql.encode()).fetchall()
    except psycopg.errors.CardinalityViolation:  # a MERGE that changes a row twice
        reject()
    nulls = [any(row[index] is None for row in rows) for index in range(len(proved))]
    assert not any(is_proved and is_null for is_proved, is_null in zip(proved, nulls, strict=True)), sql
