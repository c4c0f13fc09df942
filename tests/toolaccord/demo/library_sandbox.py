"""Provide a shelf to `--sandbox`, and the Redis of SANDBOX_REDIS_URL if a test sets that."""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def environment(names: Collection[str]) -> Iterator[Mapping[str, str]]:
    """Give the sources, and say so."""
    print("sandbox for", *sorted(names))  # noqa: T201 - it must not reach the wire
    redis = os.environ.get("SANDBOX_REDIS_URL") if "REDIS_URL" in names else None
    yield {"SHELF_URL": "sandboxed"} | ({"REDIS_URL": redis} if redis else {})
    print("sandbox stopped")  # noqa: T201
