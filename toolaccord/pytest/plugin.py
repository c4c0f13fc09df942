"""Fixtures and options that pytest finds in every project with toolaccord."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolaccord.extras import MissingExtra, require_driver

if TYPE_CHECKING:  # pytest loads the plugin in every project of its environment
    from toolaccord.pytest.brokers import NatsServer, RedisServer
    from toolaccord.pytest.contract_coverage import Coverage, Observations
    from toolaccord.pytest.databases import Database, Migrate, NewDatabase
    from toolaccord.pytest.serve import Serve
    from toolaccord.testing import ManualClock


OBSERVATIONS = pytest.StashKey["Observations"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of contract coverage."""
    values = "report: list the promises of contracts that no test shows; require: fail then"
    group = parser.getgroup("toolaccord")
    group.addoption("--contract-coverage", choices=["report", "require"], help=values)
    parser.addini("contract_coverage", f"default of --contract-coverage; {values}", default="")
    parser.addini(
        "contract_coverage_standard_codes",
        "true: also require the codes that the dialect gives to late answers, unavailable sources and the like",
        type="bool",
        default=False,
    )


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Say below the error of a test's module that the generated package is missing, where it is."""
    if report.failed and "No module named" in report.longreprtext:
        from toolaccord.pytest.project import find_application  # noqa: PLC0415 - see above

        package = find_application(Path.cwd()).package
        if f"No module named '{package}" in report.longreprtext:
            report.sections.append(
                ("toolaccord", f"`toolaccord generate` writes {package}, which is missing or outdated")
            )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over what this process observed, or judge the run by what all observed."""
    observed = session.config.stash.get(OBSERVATIONS, None)
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["toolaccord"] = [list(each) for each in observed.promises] if observed else []
    elif session.exitstatus == pytest.ExitCode.OK and is_coverage_too_low(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what one of several processes observed, unless it died."""
    from toolaccord.pytest.contract_coverage import Promise  # noqa: PLC0415 - see above

    found = getattr(node, "workeroutput", {}).get("toolaccord", [])
    _observations(node.config).promises.update(Promise(*each) for each in found)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Report the coverage of contracts, if it was asked for."""
    if _coverage_mode(config):
        terminalreporter.section("contract coverage")
        for line in read_coverage(config).lines():
            terminalreporter.write_line(line)


def _coverage_mode(config: pytest.Config) -> str:
    mode: str = config.getoption("--contract-coverage") or config.getini("contract_coverage")
    return "" if config.getoption("collectonly") else mode


def is_coverage_too_low(config: pytest.Config) -> bool:
    """Return True if coverage is required and a promise is missing."""
    return _coverage_mode(config) == "require" and bool(read_coverage(config).missing)


def read_coverage(config: pytest.Config) -> Coverage:
    """Return the coverage of the contracts of the project's servers."""
    from toolaccord.pytest.contract_coverage import Coverage, list_promises  # noqa: PLC0415 - see above
    from toolaccord.pytest.project import find_application, load_servers  # noqa: PLC0415

    standard = config.getini("contract_coverage_standard_codes")
    servers = load_servers(find_application(config.rootpath))
    promises = [each for server in servers for each in list_promises(server, standard=standard)]
    return Coverage(promises, _observations(config))


def _observations(config: pytest.Config) -> Observations:
    from toolaccord.pytest.contract_coverage import Observations  # noqa: PLC0415 - see above

    return config.stash.setdefault(OBSERVATIONS, Observations())


@pytest.fixture(scope="module")
def serve(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Runs servers for the block of an `async with`: in memory, over stdio or over HTTP."""
    from toolaccord.pytest.processes import HttpProcesses  # noqa: PLC0415 - see above
    from toolaccord.pytest.serve import Serve  # noqa: PLC0415

    processes = HttpProcesses(tmp_path_factory.mktemp("servers"))
    yield Serve(_observations(pytestconfig), processes)
    processes.end_all()


@pytest.fixture
def manual_clock() -> ManualClock:
    """A clock for `serve` that moves only by `manual_clock.advance(seconds)`."""
    from toolaccord.testing import ManualClock  # noqa: PLC0415 - see above

    return ManualClock()


@pytest.fixture(scope="session")
def postgresql_server_url() -> Iterator[str]:
    """The URL of a real PostgreSQL: of TEST_POSTGRES_DSN, or of a throw-away one."""
    try:
        require_driver("postgresql")
    except MissingExtra as error:
        pytest.fail(str(error), pytrace=False)
    if given := os.environ.get("TEST_POSTGRES_DSN"):
        yield given
        return
    from toolaccord.testing import postgresql  # noqa: PLC0415 - see above

    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(postgresql.temporary())
        except postgresql.ClusterError as error:
            pytest.fail(str(error), pytrace=False)
        yield cluster.url()


@pytest.fixture(scope="session")
def postgresql_migrate(pytestconfig: pytest.Config) -> Migrate:
    """Applies the project's migrations to the database at a URL; override it for another tool."""
    from toolaccord.pytest.project import find_application, migrate  # noqa: PLC0415 - see above

    return partial(migrate, find_application(pytestconfig.rootpath))


@pytest.fixture(scope="session")
def new_postgresql(postgresql_server_url: str, postgresql_migrate: Migrate) -> Iterator[NewDatabase]:
    """Makes databases such as `postgresql`, for fixtures of a wider scope."""
    from toolaccord.pytest.databases import Databases, run_apart  # noqa: PLC0415 - see above

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


@pytest.fixture(scope="session")
def redis_server_url() -> Iterator[str]:
    """The URL of a real Redis: of TEST_REDIS_URL, or of a throw-away one."""
    from toolaccord.testing import redis as throw_away  # noqa: PLC0415 - see above

    yield from _serve("redis", "TEST_REDIS_URL", throw_away.serve)


@pytest.fixture
def redis(redis_server_url: str) -> RedisServer:
    """An empty Redis: it has a `url`, runs a `command`, and shows events while `subscribed`."""
    from toolaccord.pytest.brokers import RedisServer  # noqa: PLC0415 - see above

    server = RedisServer(redis_server_url)
    server.command("FLUSHDB")
    return server


@pytest.fixture(scope="session")
def nats_server_url() -> Iterator[str]:
    """The URL of a real NATS server with JetStream: of TEST_NATS_URL, or of a throw-away one."""
    from toolaccord.testing import nats as throw_away  # noqa: PLC0415 - see above

    yield from _serve("nats", "TEST_NATS_URL", throw_away.serve)


@pytest.fixture
def nats(nats_server_url: str) -> NatsServer:
    """A NATS server without streams: it has a `url`, adds streams, and shows events `received`."""
    from toolaccord.pytest.brokers import NatsServer  # noqa: PLC0415 - see above

    server = NatsServer(nats_server_url)
    server.clear()
    return server


def _serve(driver: str, env: str, start: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """Yield the URL in the variable *env*, or of a server that *start* gives."""
    from toolaccord.testing.programs import ProgramError  # noqa: PLC0415 - see above

    try:
        require_driver(driver)
        with ExitStack() as stack:
            yield os.environ.get(env) or stack.enter_context(start())
    except (MissingExtra, ProgramError) as error:
        pytest.fail(str(error), pytrace=False)
