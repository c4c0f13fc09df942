"""Faults of sources in plain words, each with what an operator can do about it.

No sentence holds a value of a call, a secret, or the name of a class.
"""

from __future__ import annotations

import errno
import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping

_LONGEST_CHAIN = 10
"""Errors of a chain of causes that are looked at; a chain may be a circle."""

BUSY = "no connection was free in time; call it less often, or raise max_connections of the source"
CLOSED = "the source was closed, because the server stops"
INVALID_ADDRESS = "its address is invalid; correct the setting that holds it"
INVALID_ANSWER = "its answer is invalid; check that the address is that of this service"
INVALID_REQUEST = "the request cannot be sent; correct the handler, or narrow the arguments in the contract"
LOST = "the connection could not be made, or broke; look at its log, and check the address"
NO_ANSWER = "no answer in time; look whether it hangs or is overloaded"
TOO_LARGE = "its answer exceeds the limit of the source (max_response_bytes); request less, or raise the limit"
LOOK_AT_LOG = "look at its log"

UNRESOLVED = "its host name was not resolved; correct the host in its setting, or look at the name server"
UNTRUSTED = "use a certificate for this host that its authority signed, or correct the host"
NO_TLS = "the TLS handshake failed; check that both ends use TLS, in common versions"
_NO_CERTIFICATE = "it demands a certificate of this client; name its files in sslcert and sslkey of the address"
_DEMANDS = ("TLSV13_ALERT_CERTIFICATE_REQUIRED", "SSLV3_ALERT_HANDSHAKE_FAILURE")
"""Names of OpenSSL for a handshake without such a certificate, in TLS 1.3 and 1.2."""
_NUMBER = re.compile(r"\[Errno (\d+)\]|\((\d+)\)$", re.MULTILINE)
"""The number of an error in the text of several, or of gRPC."""
_REMEDIES: Mapping[int, str] = {
    errno.ECONNREFUSED: "start it, or correct host and port in its setting",
    errno.ENOENT: "start it, or correct the path of the socket in its setting",
    errno.ECONNRESET: LOOK_AT_LOG,
    errno.EPIPE: LOOK_AT_LOG,
    errno.ECONNABORTED: LOOK_AT_LOG,
    errno.ETIMEDOUT: "look whether it runs, and whether a firewall drops its packets",
    errno.EHOSTUNREACH: "look whether its host runs, and at the network",
    errno.ENETUNREACH: "look at the network of this server",
    errno.EACCES: "let this server's user open the socket",
    errno.EMFILE: "raise the limit of open files of this server",
}
"""The faults of a connection, by the number of the operating system."""
_STATUSES: Mapping[int, str] = {
    401: "correct the credentials in its settings",
    403: "give the user of its credentials the permission",
    404: "check the URL in its setting, and that it has what was requested",
    407: "correct the credentials of the proxy",
    413: "request less",
    429: "call it less often, or lower requests_per_second of the source",
}
_REDIRECTS = range(300, 400)


def explain_status(status: int) -> str:
    """Return what an operator can do about an unsuccessful HTTP *status*."""
    if status in _REDIRECTS:
        return "no redirect is followed; its setting must hold the final URL"
    return _STATUSES.get(status, LOOK_AT_LOG)


def find_connection_fault(error: BaseException) -> str | None:
    """Return what *error*, or what it was raised from, says of a connection; None if nothing."""
    return next(filter(None, map(_describe, _chain(error))), None)


def describe_number(number: int) -> str | None:
    """Return the fault with the *number* of the operating system; None if unknown."""
    return f"{os.strerror(number)}; {_REMEDIES[number]}" if number in _REMEDIES else None


def find_number(text: str) -> str | None:
    """Return the fault whose number is in *text*, such as `[Errno 111]`."""
    numbers = (int(one or other) for one, other in _NUMBER.findall(text))
    return next(filter(None, map(describe_number, numbers)), None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if cause is None:
            return
        yield cause
        if isinstance(cause, BaseExceptionGroup):  # of several tasks
            for each in cause.exceptions:
                yield from _chain(each)
        cause = cause.__cause__ or cause.__context__


def _describe(error: BaseException) -> str | None:
    match error:
        case ssl.SSLCertVerificationError():
            return f"its TLS certificate is not trusted ({error.verify_message}); {UNTRUSTED}"
        case ssl.SSLError(reason=reason):
            return _NO_CERTIFICATE if reason in _DEMANDS else NO_TLS
        case socket.gaierror():
            return UNRESOLVED
        case OSError(errno=int(number)):
            return describe_number(number) or f"{os.strerror(number)}; {LOOK_AT_LOG}"
        case OSError():
            return find_number(str(error))  # of several attempts
        case _:
            return None
