"""Provide a shelf to the library's `--sandbox`."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def environment(names: Collection[str]) -> Iterator[Mapping[str, str]]:
    """Give a shelf, and say so."""
    print("sandbox for", *sorted(names))  # noqa: T201 - it must not reach the wire
    yield {"SHELF_URL": "sandboxed"}
    print("sandbox stopped")  # noqa: T201
