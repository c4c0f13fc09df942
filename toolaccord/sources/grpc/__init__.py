"""gRPC source. Importing this package does not load grpcio."""

from __future__ import annotations

from toolaccord.sources.grpc.api import Grpc, GrpcError, GrpcTimeout, RequestOrFactory
from toolaccord.sources.grpc.declaration import GrpcSource

__all__ = ["Grpc", "GrpcError", "GrpcSource", "GrpcTimeout", "RequestOrFactory"]
