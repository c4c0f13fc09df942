"""Fixtures and options that pytest finds in every project with toolpact."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # pytest loads the plugin in every project of its environment
    from toolpact.pytest.contract_coverage import Observations
    from toolpact.pytest.databases import Database, Migrate, NewDatabase
    from toolpact.pytest.serve import Serve
    from toolpact.testing import ManualClock


@pytest.fixture(scope="session")
def contract_observations() -> Observations:
    """The promises of contracts that calls through `serve` have shown in this run."""
    from toolpact.pytest.contract_coverage import Observations  # noqa: PLC0415 - see above

    return Observations()


@pytest.fixture(scope="module")
def serve(contract_observations: Observations, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Runs servers for the block of an `async with`: in memory, over stdio or over HTTP."""
    from toolpact.pytest.processes import HttpProcesses  # noqa: PLC0415 - see above
    from toolpact.pytest.serve import Serve  # noqa: PLC0415

    processes = HttpProcesses(tmp_path_factory.mktemp("servers"))
    yield Serve(contract_observations, processes)
    processes.end_all()


@pytest.fixture
def manual_clock() -> ManualClock:
    """A clock for `serve` that moves only by `manual_clock.advance(seconds)`."""
    from toolpact.testing import ManualClock  # noqa: PLC0415 - see above

    return ManualClock()


@pytest.fixture(scope="session")
def postgresql_server_url() -> Iterator[str]:
    """The URL of a real PostgreSQL: of TEST_POSTGRES_DSN, or of a throw-away one."""
    if given := os.environ.get("TEST_POSTGRES_DSN"):
        yield given
        return
    from toolpact.testing import postgresql  # noqa: PLC0415 - see above

    with postgresql.temporary() as cluster:
        yield cluster.url()


@pytest.fixture(scope="session")
def postgresql_migrate() -> Migrate:
    """Brings the database at a URL to its newest form; override it with your migrations."""

    async def leave_empty(_url: str) -> None:
        """Add nothing."""

    return leave_empty


@pytest.fixture(scope="session")
def new_postgresql(postgresql_server_url: str, postgresql_migrate: Migrate) -> Iterator[NewDatabase]:
    """Makes databases such as `postgresql`, for fixtures of a wider scope."""
    from toolpact.pytest.databases import Databases, run_apart  # noqa: PLC0415 - see above

    databases = Databases(postgresql_server_url)
    with databases.new() as template:
        run_apart(postgresql_migrate(template.url))
        yield partial(databases.new, template)


@pytest.fixture
def postgresql(new_postgresql: NewDatabase) -> Iterator[Database]:
    """A new PostgreSQL database with the project's migrations.

    It has a `url`, runs a statement by `fetch(sql, *values)`, and gives handlers' source by `open()`.
    """
    with new_postgresql() as database:
        yield database


@pytest.fixture
def postgresql_url(postgresql: Database) -> str:
    """The URL of the database `postgresql`."""
    return postgresql.url
