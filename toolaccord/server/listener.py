"""The listening sockets of a process over HTTP, and the limits of its connections."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from toolaccord.server.descriptors import raise_descriptor_limit
from toolaccord.server.startup import StartError
from toolaccord.timing.clock import SystemClock

if TYPE_CHECKING:
    import socket

    from toolaccord.config.process_settings import AccessRules
    from toolaccord.transports.http.connection.open_connections import Connections

_LOG = logging.getLogger(__name__)


def listen(name: str, host: str, port: int) -> tuple[list[socket.socket], str]:
    """Listen on *host* and *port*, report that with *name*, and return the sockets and a URL.

    Raises StartError if the port is in use.
    """
    from toolaccord.transports.http import listening as addresses  # noqa: PLC0415 - not needed over stdio

    try:
        listening = addresses.listen(host, port)
    except OSError as error:
        raise StartError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    urls = list(map(addresses.server_url, listening))
    _LOG.info("listening on %s", " and ".join(urls))
    sys.stderr.write(f"{name}: listening on {' and '.join(urls)}\n")
    return listening, urls[0]


def limit_connections(access: AccessRules) -> Connections:
    """Return the connections of a process, as many as *access* and its descriptors allow."""
    from toolaccord.transports.http.connection.open_connections import (  # noqa: PLC0415 - see listen
        Connections,
        fit_limits,
    )

    return Connections(fit_limits(access, raise_descriptor_limit()), SystemClock())
