"""What lets a laptop run every server without anything installed: PostgreSQL with sample data, candles, stand-ins."""

import importlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager

PROVIDERS: Mapping[str, str] = {
    "BACKTESTER_TARGET": "sandbox.backtester",
    "DATABASE_URL": "sandbox.tradestream",
    "INFLUXDB_URL": "sandbox.candles",
    "MOEX_ISS_BASE_URL": "sandbox.iss",
    "PORTFOLIO_ACCOUNT_ID": "sandbox.tradestream.account",
}
"""For each environment name, the module whose `serve()` is a context manager that yields its value."""


@contextmanager
def environment(names: Collection[str]) -> Iterator[Mapping[str, str]]:
    """The values of those environment *names* that the sandbox knows; what stands behind them is stopped at the end.

    Blocks while something starts, and says so on standard error if it takes more than a second. Nothing is asked of,
    or written to, a database that the real environment names. Raises SandboxError with a sentence for the user.
    """
    with ExitStack() as stack:
        yield {name: stack.enter_context(_serve(PROVIDERS[name])) for name in sorted(names) if name in PROVIDERS}


def _serve(module: str) -> AbstractContextManager[str]:
    serve: Callable[[], AbstractContextManager[str]] = importlib.import_module(module).serve
    return serve()
