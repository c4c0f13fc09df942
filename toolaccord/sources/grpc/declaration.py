"""gRPC source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolaccord.sources.grpc.api import Grpc, GrpcLimits
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcSource(GrpcLimits):
    """A gRPC service, as the contract declares it."""

    kind: ClassVar = "grpc"
    """Kind of the system that answers."""
    target: str
    """Name of the setting that holds the address: host:port, or grpcs://host:port with TLS."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Grpc:
        """Return the service, not yet connected."""
        from toolaccord.sources.grpc.channels import GrpcChannels  # noqa: PLC0415 - only servers that open one need it

        return GrpcChannels(self, str(settings[self.target]), clock)
