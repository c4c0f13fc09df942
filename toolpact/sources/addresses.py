"""Checks of source addresses: URLs, hosts and ports."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import SplitResult, unquote, urlsplit

_ADDRESS_ERRORS = (ValueError, OverflowError)
"""Exceptions of client libraries for an invalid address; UnicodeError is a ValueError."""

_SCHEMES = {
    "postgresql": ("postgresql", "postgres"),
    "http": ("http", "https"),
    "influxdb": ("http", "https"),
    "redis": ("redis", "rediss", "unix"),
    "nats": ("nats", "tls"),
}


@contextmanager
def translate_address_errors(make_error: Callable[[str], Exception]) -> Iterator[None]:
    """Raise exceptions that an invalid address causes as *make_error* of a message without it."""
    try:
        yield
    except _ADDRESS_ERRORS as error:
        raise make_error(f"the address is invalid: {type(error).__name__}") from None
    except ExceptionGroup as group:  # of several attempts to connect
        if group.split(_ADDRESS_ERRORS)[1] is not None:
            raise
        raise make_error("the address is invalid") from None


def find_address_error(kind: str, url: str) -> str | None:
    """Return the rule that *url*, the address of a source of *kind*, breaks; None if valid.

    The text completes "SETTING ..." and never repeats the URL, which may hold a password.
    """
    schemes = _SCHEMES.get(kind)
    if schemes is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return "must be a URL"
    if parts.scheme not in schemes:
        return "must be a URL that begins with " + " or ".join(f"{scheme}://" for scheme in schemes)
    if kind == "redis" and (error := _find_redis_error(parts)):
        return error
    if kind == "nats" and parts.netloc.count("@") > 1:
        return "must hold user and password once, before the first host"
    hosts = parts.netloc.rpartition("@")[2].split(",")  # PostgreSQL and NATS accept several
    return next(filter(None, map(_find_host_error, hosts)), None)


def is_loopback(host: str | None) -> bool:
    """Return whether *host* names this machine alone, which no proxy can reach."""
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return (host or "").lower() == "localhost"


def _find_redis_error(parts: SplitResult) -> str | None:
    """Return the rule that the path of a Redis URL breaks; redis-py ignores an invalid database."""
    if parts.scheme == "unix":
        return None if parts.path else "must hold the path of a socket"
    database = parts.path.strip("/")
    return None if not database or database.isdecimal() else "must name a database by its number"


def _find_host_error(host_and_port: str) -> str | None:
    """Return the rule that a host with an optional port breaks; None if it is valid."""
    try:
        parts = urlsplit(f"//{host_and_port}")
        host = unquote(parts.hostname or "")
    except ValueError:
        return "must be a URL"
    try:
        _ = parts.port
    except ValueError:
        return "must have a port from 0 to 65535"
    try:
        if not host.startswith("/"):  # a directory of Unix sockets
            host.encode("idna")
    except UnicodeError:
        return "must have a valid host name"
    return None
