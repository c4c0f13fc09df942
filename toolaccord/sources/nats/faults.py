"""Faults of NATS in plain words, by the exceptions of nats-py."""

from __future__ import annotations

from toolaccord.source_faults import INVALID_ANSWER, LOST, NO_ANSWER, find_connection_fault
from toolaccord.sources.nats.api import LARGE_MESSAGE, NO_STREAM

_LOGIN = "it rejected the login; correct the credentials in its setting"
_ONE_TLS = "only one end uses TLS; correct the scheme in its setting (nats:// or tls://), or the server"
_TEXTS = {
    "authorization": _LOGIN,
    "authentication": _LOGIN,
    "permission": "it rejected the request; give its user the permission",
    "maximum connections": "it has no connection left; raise its max_connections, or stop other clients",
    "json parse": INVALID_ANSWER,
    "expecting info": INVALID_ANSWER,
}
"""Reasons by parts of texts of the server and of nats-py, which have no class of their own."""


def explain(error: Exception) -> str:
    """Return the reason of a connection or a request that failed with *error*."""
    import nats.errors  # noqa: PLC0415 - takes 200 ms to load, too long before the first answer

    match error:
        case nats.errors.NoRespondersError():
            return NO_STREAM
        case nats.errors.MaxPayloadError():
            return LARGE_MESSAGE
        case nats.errors.SecureConnRequiredError() | nats.errors.SecureConnWantedError():
            return _ONE_TLS
        case nats.errors.JsonParseError() | nats.errors.ProtocolError():
            return INVALID_ANSWER
        case TimeoutError():
            return NO_ANSWER
        case _:
            return _explain_text(str(error).casefold()) or find_connection_fault(error) or LOST


def _explain_text(text: str) -> str | None:
    return next((reason for part, reason in _TEXTS.items() if part in text), None)
