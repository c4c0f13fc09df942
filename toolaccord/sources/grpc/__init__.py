"""gRPC source. Importing this package does not load grpcio."""

from __future__ import annotations

from toolaccord.sources.grpc.api import Grpc, GrpcError, GrpcLimits, GrpcTimeout, RequestOrFactory
from toolaccord.sources.grpc.declaration import GrpcSource

__all__ = ["Grpc", "GrpcError", "GrpcLimits", "GrpcSource", "GrpcTimeout", "RequestOrFactory"]
