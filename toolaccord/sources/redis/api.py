"""Redis as handlers use it: the protocol, scripts and the error."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from toolaccord.errors import SourceError
from toolaccord.source_faults import INVALID_ANSWER, LOST, NO_ANSWER, find_connection_fault
from toolaccord.sources import Source

Value: TypeAlias = bytes | str | int
"""A value or an argument to send: text as UTF-8, a number in decimal digits."""

RedisFailure: TypeAlias = Literal[
    "unreachable", "timeout", "invalid", "full", "read_only", "login", "too_large", "rejected"
]
"""The kinds of failure.

- unreachable: no connection, or it broke;
- timeout: no connection or no answer in time;
- invalid: the answer is not Redis's protocol;
- full: the memory is full, and Redis evicts nothing (`maxmemory`);
- read_only: a replica answered, as after a failover;
- login: Redis rejects the user, the password, or their lack;
- too_large: the answer has more than 16 MiB, with all its parts;
- rejected: any other error that Redis reports, such as missing permissions.
"""


_REASONS: Mapping[RedisFailure, str] = {
    "unreachable": LOST,
    "timeout": NO_ANSWER,
    "invalid": INVALID_ANSWER,
    "full": "its memory is full; raise maxmemory, or let it evict keys",
    "read_only": "it is a replica, which rejects writes; set the address of the primary",
    "login": "it rejected the login; correct user and password in its setting",
    "too_large": "its answer exceeds 16 MiB; store smaller values",
    "rejected": "it rejected the command; look whether its user lacks a permission, and at the type of the key",
}


class RedisError(SourceError):
    """Redis did not answer, or rejected a command.

    After a timeout or a broken connection, the command may have taken effect.
    """

    service = "redis"

    def __init__(self, message: str, *, failure: RedisFailure = "unreachable", reason: str | None = None) -> None:
        super().__init__(message, reason=reason)
        self.failure = failure
        """Kind of the failure."""

    @property
    def why(self) -> str:
        """Reason of the failure and what to do about it, for the log."""
        found = find_connection_fault(self) if self.failure == "unreachable" else None
        return self.reason or found or _REASONS[self.failure]

    @property
    def is_outage(self) -> bool:
        """Return False if the source answered, with an error."""
        return self.failure in ("unreachable", "timeout", "invalid", "login")


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script, which Redis runs atomically."""

    text: str
    """The script; keys are in KEYS, arguments in ARGV."""
    is_idempotent: bool = False
    """True if a second run with the same keys and arguments does no harm."""
    only_reads: bool = False
    """True if operations that only read may run it: it changes nothing that callers see."""
    sha1: str = field(init=False)
    """Name of the script in Redis's cache of scripts."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha1", hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest())


class Redis(Source, Protocol):
    """A Redis with a connection pool. Every method raises RedisError.

    The contract's `retries` repeat a command after a timeout or a broken connection, if a second run does no harm.
    """

    async def get(self, key: str) -> bytes | None:
        """Return the value of *key*; None without one."""

    async def set(self, key: str, value: Value, *, ttl_ms: int | None = None, only_if_absent: bool = False) -> bool:
        """Store *value* for *ttl_ms* milliseconds, or for ever; return whether it was stored.

        With *only_if_absent* an existing value stays. Such a command is never repeated.
        """

    async def delete(self, key: str) -> None:
        """Delete *key*, if it exists."""

    async def run_script(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Value], *, is_patient: bool = False
    ) -> Any:
        """Return the answer of *script*: bytes, int, None, or a list of them.

        Redis gets the text of a script only if it does not know it. Only an idempotent script is repeated. If
        *is_patient*, only the caller's deadline ends the wait, and not the contract's timeouts.
        """

    async def publish(self, channel: str, payload: Value) -> None:
        """Send *payload* to the present subscribers of *channel*; it is never repeated."""
