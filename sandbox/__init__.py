"""Local stand-ins for every source.

They are PostgreSQL, Redis, NATS, candles, a backtester, the exchange's ISS, and Swimmy's Guardian.
"""

import functools
import importlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from sandbox import market
from toolaccord.testing.sandbox_faults import relayed

ACCOUNT = "sandbox"
"""The trading account of the sample data."""
API_KEY = "sandbox-key"
"""The key of the gateway, as fixed as the samples: whoever starts the sandbox must know it."""
VALUES: Mapping[str, str] = {
    "INFLUXDB_QUERY_LANGUAGE": "influxql",
    "PORTFOLIO_ACCOUNT_ID": ACCOUNT,
    "SIGNAL_SYMBOLS": ",".join(market.PAIRS),
    "SWIMMY_MCP_API_KEY": API_KEY,
}
"""The environment that needs no source."""
PROVIDERS: Mapping[str, str] = {
    "BACKTESTER_TARGET": "sandbox.backtester",
    "DATABASE_URL": "sandbox.tradestream",
    "INFLUXDB_URL": "sandbox.candles",
    "MOEX_ISS_BASE_URL": "sandbox.iss",
    "NATS_URL": "sandbox.nats",
    "REDIS_URL": "toolaccord.testing.redis",
    "RISK_DATABASE_URL": "sandbox.platform",
    "SWIMMY_BACKTEST_STATUS_FILE": "sandbox.guardian:backtest_status_file",
    "SWIMMY_MCP_RESULTS_ENDPOINT": "sandbox.guardian:results_endpoint",
    "SWIMMY_MCP_ZMQ_ENDPOINT": "sandbox.guardian:endpoint",
    "SWIMMY_METRICS_FILE": "sandbox.guardian:metrics_file",
    "SWIMMY_STATUS_FILE": "sandbox.guardian:status_file",
}
"""The module of each environment name. Its `serve()` is a context manager of the value.

`module:attribute` names an attribute of that value, where one source has several names.
"""
NAMES = frozenset([*VALUES, *PROVIDERS])
"""The environment that the sandbox provides."""


@contextmanager
def environment(names: Collection[str]) -> Iterator[Mapping[str, str]]:
    """Start the sources behind the environment *names*, and yield the values.

    Stops the sources at the end. Omits names that the sandbox does not provide. Blocks while a source starts, and
    reports waits of more than a second on standard error, and fixed values, which users need. Never connects to a
    source of the real environment. Faults of SANDBOX_FAULTS are before its own. Raises ProgramError, and ValueError
    for wrong faults.
    """
    with ExitStack() as stack:
        for name in sorted(VALUES.keys() & names):
            sys.stderr.write(f"sandbox: {name} is {VALUES[name]}\n")
        start = functools.cache(lambda module: stack.enter_context(_serve(module)))
        values = {name: VALUES.get(name) or _provide(name, start) for name in sorted(NAMES.intersection(names))}
        yield stack.enter_context(relayed(values))


def _provide(name: str, start: Callable[[str], Any]) -> str:
    """Return the value of an environment name; *start* gives the source of a module."""
    module, _, attribute = PROVIDERS[name].partition(":")
    value: str = getattr(start(module), attribute) if attribute else start(module)
    return value


def _serve(module: str) -> AbstractContextManager[Any]:
    serve: Callable[[], AbstractContextManager[Any]] = importlib.import_module(module).serve
    return serve()
