"""Limits of the requests that run in sessions, also after their clients disconnect."""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from toolaccord.transports.mcp import jsonrpc
from toolaccord.transports.mcp.jsonrpc import ProtocolError

_Key = TypeVar("_Key")
_MAX_REQUESTS = 100
"""Requests of one session that run at once."""
_REQUEST_BYTES = 64 * 1024
"""Bytes of a running request beside its body."""
_Owner: TypeAlias = Literal["session", "caller", "server"]
_MAX_BODIES: dict[_Owner, int] = {"session": 2, "caller": 8, "server": 16}
"""Bodies of the largest size that may belong to running requests."""


class Share(NamedTuple):
    """The share of one running request."""

    session: str
    """Id of its session."""
    caller: str
    """The caller."""
    size: int
    """Bytes of its body, and beside it."""

    @property
    def owners(self) -> tuple[tuple[_Owner, str], ...]:
        """Return those of whom each has a limit."""
        return ("session", self.session), ("caller", self.caller), ("server", "")


class RunningRequests:
    """The requests that run in the sessions of a process."""

    def __init__(self, max_body_bytes: int) -> None:
        self._max_body_bytes = max_body_bytes
        self._running = Counter[str]()
        """Number of running requests of each session."""
        self._bytes = Counter[tuple[_Owner, str]]()
        """Bytes of running requests."""

    def take(self, session: str, caller: str, body_bytes: int) -> Share:
        """Count a request until `give_back`. Raises ProtocolError beyond a limit."""
        if self._running[session] >= _MAX_REQUESTS:
            message = f"A session has at most {_MAX_REQUESTS} requests at once: wait for a response, or cancel one."
            raise ProtocolError(jsonrpc.INVALID_REQUEST, message)
        share = Share(session, caller, body_bytes + _REQUEST_BYTES)
        for owner in share.owners:
            limit = _MAX_BODIES[owner[0]] * (self._max_body_bytes + _REQUEST_BYTES)
            if self._bytes[owner] + share.size > limit:
                message = (
                    f"The running requests of this {owner[0]} would take more than {limit} bytes: wait for a response."
                )
                raise ProtocolError(jsonrpc.INVALID_REQUEST, message)
        self._running[session] += 1
        self._bytes.update(dict.fromkeys(share.owners, share.size))
        return share

    def give_back(self, share: Share) -> None:
        """Count a request no longer."""
        self._subtract(self._running, share.session, 1)
        for owner in share.owners:
            self._subtract(self._bytes, owner, share.size)

    @staticmethod
    def _subtract(counter: Counter[_Key], key: _Key, count: int) -> None:
        counter[key] -= count
        if not counter[key]:
            del counter[key]
