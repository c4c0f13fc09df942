"""gRPC source. Importing this package does not load grpcio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.source_kinds import grpc
from toolaccord.sources.grpc.api import Grpc, GrpcError, GrpcTimeout, RequestOrFactory
from toolaccord.timing.clock import Clock

__all__ = ["Grpc", "GrpcError", "GrpcSource", "GrpcTimeout", "RequestOrFactory"]


class GrpcSource(grpc.GrpcSource):
    """A gRPC service, as the contract declares it."""

    __slots__ = ()

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Grpc:
        """Return the service, not yet connected."""
        from toolaccord.sources.grpc.channels import GrpcChannels  # noqa: PLC0415 - only servers that open one need it

        return GrpcChannels(self, str(settings[self.target]), clock)
