"""Checks of source addresses: URLs, hosts and ports."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import SplitResult, parse_qs, parse_qsl, unquote, urlsplit, urlunsplit

from toolaccord.errors import SourceError
from toolaccord.source_faults import INVALID_ADDRESS
from toolaccord.urls import is_loopback

_ADDRESS_ERRORS = (ValueError, OverflowError)
"""Exceptions of client libraries for an invalid address; UnicodeError is a ValueError."""

_SCHEMES = {
    "postgresql": ("postgresql", "postgres"),
    "http": ("http", "https"),
    "influxdb": ("http", "https"),
    "redis": ("redis", "rediss", "unix"),
    "nats": ("nats", "tls"),
    "zmq_pub": ("tcp", "ipc"),
    "zmq_sub": ("tcp", "ipc"),
}

_PLAIN_SCHEMES = {
    "grpc": "grpc",
    "http": "http",
    "influxdb": "http",
    "mcp": "http",
    "nats": "nats",
    "postgresql": "postgresql",
    "redis": "redis",
    "zmq_pub": "tcp",
    "zmq_sub": "tcp",
}
"""The scheme of addresses without TLS, by kind."""
_PLAIN_MODES = ("disable", "allow", "prefer")
"""Values of `sslmode` with which PostgreSQL may be spoken to in plain text."""
_ZMQ_ADDRESS = re.compile(r"([A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\]):0*[1-9][0-9]*")
"""A host and a port; a host has no zone, and 0 is no port."""
_MAX_SOCKET_PATH_BYTES = 107
"""Longest path of a Unix socket on Linux, without its end."""


@contextmanager
def translate_address_errors(make_error: type[SourceError]) -> Iterator[None]:
    """Raise exceptions that an invalid address causes as *make_error* of a message without it."""
    try:
        yield
    except ssl.SSLCertVerificationError:  # a ValueError too
        raise
    except _ADDRESS_ERRORS as error:
        message = f"the address is invalid: {type(error).__name__}"
        raise make_error(message, reason=INVALID_ADDRESS) from None
    except ExceptionGroup as group:  # of several attempts to connect
        if group.split(_ADDRESS_ERRORS)[1] is not None:
            raise
        raise make_error("the address is invalid", reason=INVALID_ADDRESS) from None


def find_address_error(kind: str, url: str) -> str | None:
    """Return the rule that *url*, the address of a source of *kind*, breaks; None if valid.

    The text completes "SETTING ..." and never repeats the URL, which may hold a password.
    """
    try:
        return _find_url_error(kind, url) or _find_error_of_files(kind, url)
    except ValueError:
        return "must be a URL"


def _find_error_of_files(kind: str, url: str) -> str | None:
    """Return what is wrong with the files of TLS that parameters of a URL name."""
    if "ssl" not in url:
        return None
    from toolaccord.sources.client_tls import find_tls_error  # noqa: PLC0415 - few addresses need it

    return find_tls_error(kind, url)


def _find_url_error(kind: str, url: str) -> str | None:
    """Return the rule that *url* breaks, apart from its files. Raises ValueError for no URL."""
    schemes = _SCHEMES.get(kind)
    if schemes is None:
        return None
    if kind.startswith("zmq_"):
        from toolaccord.sources.zmq_curve import split_curve  # noqa: PLC0415 - few servers need it

        try:
            url, curve = split_curve(url)
            curve.read_options()
        except ValueError as error:
            return str(error)
    parts = urlsplit(url)
    if parts.scheme not in schemes:
        return "must be a URL that begins with " + " or ".join(f"{scheme}://" for scheme in schemes)
    if fault := _find_error_of_kind(kind, parts):
        return fault
    hosts = parts.netloc.rpartition("@")[2].split(",")  # PostgreSQL and NATS accept several
    return next(filter(None, map(_find_host_error, hosts)), None)


def describe_place(address: str) -> str:
    """Return the hosts and ports, or the socket, of a URL or of `host:port`: no credentials.

    Of a URL whose user info has a character that ends the host, such as `/`, return nothing.
    """
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
    except ValueError:
        return ""
    if parts.scheme != "ipc" and "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return ""
    socket = parts.path if parts.scheme in ("unix", "ipc") else next(iter(parse_qs(parts.query).get("host", ())), "")
    return parts.netloc.rpartition("@")[2] or socket


def is_plain(kind: str, address: str) -> bool:
    """Return whether a source of *kind* is reached beyond this machine without TLS or CURVE."""
    scheme = _PLAIN_SCHEMES.get(kind)
    if scheme is None:
        return False
    url = f"grpc://{address}" if kind == "grpc" and ":/" not in address else address
    try:
        parts = urlsplit(url)
        hosts = [urlsplit(f"//{each}").hostname for each in parts.netloc.rpartition("@")[2].split(",")]
    except ValueError:
        return False
    query = dict(parse_qsl(parts.query))
    hosts += [host for host in query.get("host", "").split(",") if kind == "postgresql"]
    if not any(host and not host.startswith("/") and not is_loopback(host) for host in hosts):
        return False
    if kind == "postgresql":
        return query.get("sslmode", os.environ.get("PGSSLMODE", "prefer")) in _PLAIN_MODES
    return parts.scheme == scheme and "curve_serverkey" not in query


def _find_error_of_kind(kind: str, parts: SplitResult) -> str | None:
    """Return the rule of *kind* alone that an address breaks."""
    if kind == "redis":
        return _find_redis_error(parts)
    if kind == "postgresql" and not {"session", "transaction"}.issuperset(parse_qs(parts.query).get("pool_mode", ())):
        return "must have pool_mode=session or pool_mode=transaction, or no pool_mode"
    if kind == "nats" and parts.netloc.count("@") > 1:
        return "must hold user and password once, before the first host"
    return _find_zmq_error(parts) if kind.startswith("zmq_") else None


def _find_redis_error(parts: SplitResult) -> str | None:
    """Return the rule that the path of a Redis URL breaks; redis-py ignores an invalid database."""
    if parts.scheme == "unix":
        return None if parts.path else "must hold the path of a socket"
    database = parts.path.strip("/")
    return None if not database or database.isdecimal() else "must name a database by its number"


def _find_zmq_error(parts: SplitResult) -> str | None:
    """Return the rule that an endpoint of ZeroMQ breaks; libzmq accepts some invalid ones."""
    address = urlunsplit(parts._replace(scheme="")).removeprefix("//")
    if parts.scheme == "ipc":
        is_valid = address[:1] in ("/", "@") and 1 < len(address.encode()) <= _MAX_SOCKET_PATH_BYTES
        return None if is_valid else f"must hold the path of a socket, of at most {_MAX_SOCKET_PATH_BYTES} bytes"
    if not _ZMQ_ADDRESS.fullmatch(address):
        return "must have one host and one port, as in tcp://localhost:5559 or tcp://[::1]:5559"
    return None


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
