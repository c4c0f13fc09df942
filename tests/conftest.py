"""Provide databases and reports to several folders of tests."""

import asyncio
import gc
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg
import psycopg
import pytest
import pytest_asyncio
from playwright.async_api import Browser
from psycopg import sql

from sandbox.tradestream.database import SCHEMA
from tests import fork_server, quick_run
from tests.services import influxd
from tests.services.browser import open_browser
from tests.services.fetched import fetched
from tests.services.flux_parser import FluxParser
from tests.toolaccord.compilation import compile_servers
from toolaccord.testing import postgresql

NewDatabase = Callable[[], AbstractContextManager[str]]
"""Makes an empty database, drops it at the end, and gives its URL."""

Say = Callable[[str], None]
"""Takes a sentence for the end of the run."""

SENTENCES = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    quick_run.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SENTENCES] = []
    config.pluginmanager.register(quick_run.QuickRun(config))
    if not hasattr(config, "workerinput"):  # the first process compiles for all
        compile_servers()
    fork_server.install()
    gc.disable()  # Collection makes little garbage; looking for it would take a fifth of the time.


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let pytest-rerunfailures send at once.

    It sends two messages in a row for each test, and TCP holds the second one back for 40 ms (RFC 896).
    """
    connection = getattr(getattr(session.config, "failures_db", None), "sock", None)
    if connection is not None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def pytest_collection_finish() -> None:
    """Freeze the objects of test modules, so that `nothing_is_left_open` takes milliseconds."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # Looking for the garbage of a module, which comes last, took a tenth of the time.


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over the sentences, in one of several processes that share the run."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["sentences"] = session.config.stash[SENTENCES]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over the sentences of one of those processes, unless it died."""
    node.config.stash[SENTENCES].extend(getattr(node, "workeroutput", {}).get("sentences", []))


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Escape lone surrogates, which cannot be sent to another process."""
    return _encodable((yield))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for sentence in config.stash[SENTENCES]:
        terminalreporter.write_line(sentence)


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_open() -> Iterator[None]:
    """Collect garbage after each module, so that its own tests fail for what they left open."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def say(pytestconfig: pytest.Config) -> Say:
    """Stores a sentence for the end of the run."""
    return pytestconfig.stash[SENTENCES].append


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a real PostgreSQL: that of TEST_POSTGRES_DSN, or a temporary one."""
    if given := os.environ.get("TEST_POSTGRES_DSN"):
        yield given
        return
    with postgresql.temporary() as cluster:
        yield cluster.url()


@pytest.fixture(scope="session")
def new_database(postgres_server: str) -> NewDatabase:
    """Makes empty databases in the PostgreSQL of this run."""

    @contextmanager
    def make() -> Iterator[str]:
        name = f"toolaccord_test_{secrets.token_hex(6)}"
        _apart(_administer(postgres_server, f"CREATE DATABASE {name}"))
        yield urlsplit(postgres_server)._replace(path=f"/{name}").geturl()
        _apart(_administer(postgres_server, f"DROP DATABASE {name} WITH (FORCE)"))

    return make


@pytest.fixture(scope="module")
def one_postgresql(postgres_server: str) -> Iterator[None]:
    """Lets the compiler use this PostgreSQL where it would start another one."""
    (folder,) = parse_qs(urlsplit(postgres_server).query).get("host", [""])

    @contextmanager
    def temporary() -> Iterator[postgresql.Cluster]:
        yield postgresql.Cluster(Path(folder))
        with psycopg.connect(postgres_server, autocommit=True) as owner:
            for (name,) in owner.execute(
                "SELECT datname FROM pg_database WHERE starts_with(datname, 'of_')"
            ).fetchall():
                owner.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    with pytest.MonkeyPatch.context() as patch:
        if "TEST_POSTGRES_DSN" not in os.environ:
            patch.setattr("toolaccord_codegen.cli.queries.database.temporary", temporary)
        yield


@pytest.fixture(scope="module")
def postgres_url(new_database: NewDatabase) -> Iterator[str]:
    """The URL of a database with TradeStream's schema and no rows, one for each module of tests."""
    with new_database() as url:
        _apart(SCHEMA.migrate(url))
        yield url


@pytest.fixture
def empty_postgres_url(new_database: NewDatabase) -> Iterator[str]:
    """The URL of a database without anything in it."""
    with new_database() as url:
        yield url


@pytest.fixture(scope="session")
def influxdb_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real InfluxDB 1.x: that of TEST_INFLUX_URL, or a temporary one."""
    if given := os.environ.get("TEST_INFLUX_URL"):
        yield given.rstrip("/")
        return
    with influxd.running(fetched("influxdb"), tmp_path_factory.mktemp("influxdb")) as server:
        yield server.url


@pytest.fixture
def influx_database(influxdb_url: str) -> Iterator[str]:
    """The name of an empty database in that InfluxDB, which is gone at the end."""
    name = f"toolaccord_test_{secrets.token_hex(6)}"
    influxd.command(influxdb_url, f"CREATE DATABASE {name}")
    yield name
    influxd.command(influxdb_url, f"DROP DATABASE {name}")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium, one for all tests of a process; they run in the loop of the session."""
    async with open_browser() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def flux_parser() -> FluxParser:
    """InfluxData's own parser of Flux."""
    return FluxParser(fetched("flux"))


def _encodable(value: Any) -> Any:
    """Return what a report consists of, with every text such that it can be written in UTF-8."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_encodable(key): _encodable(part) for key, part in value.items()}
        case list() | tuple():
            return type(value)(map(_encodable, value))
        case _:
            return value


async def _administer(url: str, statement: str) -> None:
    connection: asyncpg.Connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _apart(work: Coroutine[object, object, object]) -> None:
    """Do *work* in an event loop of its own, whatever loop the tests have at the moment."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
