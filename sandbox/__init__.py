"""Local stand-ins for every source: PostgreSQL, Redis, NATS, candles, a backtester and ISS."""

import importlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager

ACCOUNT = "sandbox"
"""The trading account of the sample data."""
VALUES: Mapping[str, str] = {"INFLUXDB_QUERY_LANGUAGE": "influxql", "PORTFOLIO_ACCOUNT_ID": ACCOUNT}
"""The environment that needs no source."""
PROVIDERS: Mapping[str, str] = {
    "BACKTESTER_TARGET": "sandbox.backtester",
    "DATABASE_URL": "sandbox.tradestream",
    "INFLUXDB_URL": "sandbox.candles",
    "MOEX_ISS_BASE_URL": "sandbox.iss",
    "NATS_URL": "sandbox.nats",
    "REDIS_URL": "sandbox.redis",
    "RISK_DATABASE_URL": "sandbox.platform",
}
"""The module of each environment name; its `serve()` is a context manager of the value."""
NAMES = frozenset([*VALUES, *PROVIDERS])
"""The environment that the sandbox provides."""


@contextmanager
def environment(names: Collection[str]) -> Iterator[Mapping[str, str]]:
    """Start the sources behind the environment *names*, and yield the values.

    Stops the sources at the end. Omits names that the sandbox does not provide. Blocks while a source starts, and
    reports waits of more than a second on standard error. Never connects to a source of the real environment. Raises
    SandboxError.
    """
    with ExitStack() as stack:
        wanted = sorted(NAMES.intersection(names))
        yield {name: VALUES.get(name) or stack.enter_context(_serve(PROVIDERS[name])) for name in wanted}


def _serve(module: str) -> AbstractContextManager[str]:
    serve: Callable[[], AbstractContextManager[str]] = importlib.import_module(module).serve
    return serve()
