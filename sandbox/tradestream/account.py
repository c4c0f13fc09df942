"""The trading account of the sample data."""

from collections.abc import Iterator
from contextlib import contextmanager

ACCOUNT = "sandbox"


@contextmanager
def serve() -> Iterator[str]:
    """Yield the account's identifier."""
    yield ACCOUNT
