"""Extras of the distribution `toolaccord`: packages that only some servers and agents need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec

DRIVERS: Mapping[str, tuple[str, ...]] = {
    "grpc": ("google.protobuf", "grpc"),
    "http": ("httpx2",),
    "influxdb": ("httpx2", "influxdb_client"),
    "nats": ("nats",),
    "postgresql": ("asyncpg",),
    "redis": ("redis",),
    "zmq": ("zmq",),
}
"""Modules of the extra of each kind of source, which has the kind's name."""


class MissingExtra(ModuleNotFoundError):
    """A package of an extra is not installed; the text says how to install it."""

    def __init__(self, extra: str, module: str) -> None:
        super().__init__(f"{module} is not installed: install toolaccord with its extra {extra}", name=module)


def require_driver(kind: str) -> None:
    """Raise MissingExtra if a module that sources of a *kind* need is not installed."""
    for module in DRIVERS.get(kind, ()):
        if not is_installed(module):
            raise MissingExtra(kind, module)


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Import modules of toolaccord that need an *extra*.

    Raises MissingExtra for a package that is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package == "toolaccord":
            raise
        raise MissingExtra(extra, package) from error


def explain(error: ModuleNotFoundError) -> MissingExtra | None:
    """Return the error of the extra that brings the missing module; None if none does."""
    if isinstance(error, MissingExtra):
        return error
    missing = f"{error.name}."
    for extra, modules in DRIVERS.items():
        for module in modules:
            if missing.startswith(f"{module}.") or f"{module}.".startswith(missing):
                return MissingExtra(extra, module)
    return None


def is_installed(module: str) -> bool:
    """Return whether a module can be imported."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even its package
        return False
