"""Addresses of sources: whether a URL can be one at all, as far as its text says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

_UNUSABLE = (ValueError, OverflowError)
"""What libraries raise, beside their own errors, for an address that cannot be one; UnicodeError is a ValueError."""

_SCHEMES = {
    "postgresql": ("postgresql", "postgres"),
    "http": ("http", "https"),
    "influxdb": ("http", "https", "sqlite"),
}


@contextmanager
def connecting(failed: Callable[[str], Exception]) -> Iterator[None]:
    """Raise what connecting to an address that cannot be one raises as *failed* of a text, which never repeats it."""
    try:
        yield
    except _UNUSABLE as error:
        raise failed(f"the address cannot be connected to: {type(error).__name__}") from None
    except ExceptionGroup as group:  # of several attempts to connect
        if group.split(_UNUSABLE)[1] is not None:
            raise
        raise failed("the address cannot be connected to") from None


def fault(kind: str, url: str) -> str | None:
    """Return what is wrong with *url* as the address of a source of *kind*, in words that never repeat it, or None."""
    schemes = _SCHEMES.get(kind)
    if schemes is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return "must be a URL"
    if parts.scheme not in schemes:
        return "must be a URL that begins with " + " or ".join(f"{scheme}://" for scheme in schemes)
    places = parts.netloc.rpartition("@")[2].split(",")  # PostgreSQL may have several
    return next(filter(None, map(_fault_of_place, places)), None)


def _fault_of_place(place: str) -> str | None:
    """Return what is wrong with a host and port."""
    try:
        parts = urlsplit(f"//{place}")
        host = unquote(parts.hostname or "")
    except ValueError:
        return "must be a URL"
    try:
        _ = parts.port
    except ValueError:
        return "must have a port from 0 to 65535"
    try:
        if not host.startswith("/"):  # else the directory of a Unix socket
            host.encode("idna")
    except UnicodeError:
        return "must have a host whose name can be one"
    return None
