"""The trading account of the sandbox: the one that the sample data have."""

from collections.abc import Iterator
from contextlib import contextmanager

ACCOUNT = "sandbox"


@contextmanager
def serve() -> Iterator[str]:
    """What the account is called."""
    yield ACCOUNT
