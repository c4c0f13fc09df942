"""gRPC services that handlers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Required
    from toolaccord.contract.texts import Bytes, Count, Duration, KeyName, SettingName


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcSource:
    """A gRPC service, accessed through several connections."""

    name: KeyName
    kind: Annotated[Literal["grpc"], Required()] = "grpc"
    target: SettingName
    """Setting with the address, host:port."""
    max_connections: Count = 1
    """Number of connections over which calls are distributed."""
    keepalive_interval_s: Duration = 30
    """Seconds between two keepalive pings of a connection in use."""
    keepalive_timeout_s: Duration = 10
    """Seconds after which a connection with an unanswered ping counts as broken."""
    max_in_flight: Count = 100
    """Maximum number of concurrent calls; further calls wait."""
    max_response_bytes: Bytes = 2**24
    """Maximum size of a reply in bytes. 16777216 (16 MiB) if absent."""
