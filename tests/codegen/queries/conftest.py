"""Share one throw-away PostgreSQL among all cases of queries."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.codegen.queries.golden import SharedDatabases
from toolaccord.testing.postgresql import temporary


@pytest.fixture(scope="session")
def databases() -> Iterator[SharedDatabases]:
    """Return the databases of a server that the first test starts."""
    with temporary() as cluster, ExitStack() as stack:
        yield SharedDatabases(cluster, stack)
