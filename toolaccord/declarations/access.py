"""Transports of a server, and the keys and scopes that its callers need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Transport: TypeAlias = str
"""Name of a transport in `toolaccord/server/transports.py`."""
WORK: Transport = "work"
"""Stands for a transport in a process that takes tasks and serves nothing.

Every tool exists there.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentKey:
    """A key that callers send in the `params` of each request."""

    name: str
    """Name of the member of `params`; the transport removes it."""
    setting: str
    """Name of the setting with the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerToken:
    """A bearer token that gives access beside those of the process."""

    setting: str
    """Name of the setting with the token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The key of each transport on which the contract asks for one, and scopes."""

    content_length: ArgumentKey | None = None
    """Key of JSON-RPC with Content-Length headers; None if every caller has access."""
    http: BearerToken | None = None
    """Key over HTTP; None if the process alone decides on tokens."""
    scopes: tuple[str, ...] = ()
    """Scopes that a caller needs for everything."""

    def settings_only_of_others(self, transport: Transport) -> frozenset[str]:
        """Return the names of the settings that only transports other than *transport* need."""
        keys = {"content_length": self.content_length, "http": self.http}
        own = keys.get(transport)
        return frozenset(key.setting for key in keys.values() if key) - {own.setting if own else None}
