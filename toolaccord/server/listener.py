"""The listening sockets of a process over HTTP, and the limits of its connections."""

from __future__ import annotations

import logging
import resource
import sys
from typing import TYPE_CHECKING

from toolaccord.declarations.settings import SettingsError
from toolaccord.server.startup import StartError
from toolaccord.timing.clock import SystemClock

if TYPE_CHECKING:
    import socket

    from toolaccord.config.access_rules import AccessRules
    from toolaccord.transports.http.connection.certificate import Certificate
    from toolaccord.transports.http.connection.open_connections import Connections

_LOG = logging.getLogger(__name__)
_WANTED_DESCRIPTORS = 10_240
"""The most that macOS allows, and enough for thousands of connections."""


def listen(name: str, host: str, port: int, *, is_secure: bool = False) -> tuple[list[socket.socket], str]:
    """Listen on *host* and *port*, report that with *name*, and return the sockets and a URL.

    The URL begins with https if the server *is_secure*. Raises StartError if the port is in use.
    """
    from toolaccord.transports.http import listening as addresses  # noqa: PLC0415 - not needed over stdio

    try:
        listening = addresses.listen(host, port)
    except OSError as error:
        raise StartError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    scheme = "https" if is_secure else "http"
    urls = [addresses.server_url(each, scheme) for each in listening]
    _LOG.info("listening on %s", " and ".join(urls))
    sys.stderr.write(f"{name}: listening on {' and '.join(urls)}\n")
    return listening, urls[0]


def limit_connections(access: AccessRules) -> Connections:
    """Return the connections of a process, as many as *access* and its descriptors allow.

    Raises SettingsError for a certificate that cannot be used.
    """
    from toolaccord.transports.http.connection.open_connections import (  # noqa: PLC0415 - see listen
        Connections,
        fit_limits,
    )

    return Connections(fit_limits(access, _raise_descriptor_limit()), SystemClock(), open_certificate(access))


def open_certificate(access: AccessRules) -> Certificate | None:
    """Return the certificate of a server; None without TLS.

    Raises SettingsError for files that do not fit.
    """
    from toolaccord.transports.http.connection import certificate  # noqa: PLC0415 - see listen

    try:
        return certificate.Certificate(access.tls, SystemClock()) if access.tls else None
    except ValueError as error:
        raise SettingsError(f"{error}.") from error


def _raise_descriptor_limit() -> int:
    """Raise the soft limit of open files to 10,240, if it is lower and may be; return it.

    The usual soft limit of 1,024 is for programs that call `select`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _WANTED_DESCRIPTORS
    if soft >= _WANTED_DESCRIPTORS:
        return soft
    wanted = _WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _WANTED_DESCRIPTORS)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
