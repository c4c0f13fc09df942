"""NATS servers that handlers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Required
    from toolaccord.contract.texts import Bytes, Count, Duration, KeyName, SettingName


@dataclass(frozen=True, slots=True, kw_only=True)
class NatsSource:
    """A NATS server or cluster with JetStream, over one connection that is made again for ever."""

    name: KeyName
    kind: Annotated[Literal["nats"], Required()] = "nats"
    url: SettingName
    connection_timeout_s: Duration = 1
    """Seconds that each step of an attempt to connect may take."""
    timeout_s: Duration = 1
    """Seconds within which a request must be answered, including the wait for a connection."""
    max_outstanding: Count = 1000
    """Maximum number of publications without acknowledgement; further publications wait."""
    max_pending_bytes: Bytes = 2097152
    """Maximum number of bytes that wait to be sent to a server that does not read.

    A publication above it fails.
    """
    max_response_bytes: Bytes = 2**24
    """Size after which a read of a stream returns no further message.

    16777216 (16 MiB) if absent.
    """
