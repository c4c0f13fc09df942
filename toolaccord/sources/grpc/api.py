"""gRPC service as handlers use it: the protocol and its errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeAlias, TypeVar

from google.protobuf.message import Message

from toolaccord.errors import SourceError
from toolaccord.source_faults import LOOK_AT_LOG, NO_ANSWER
from toolaccord.sources import Source

Reply = TypeVar("Reply", bound=Message)

_REMEDIES: Mapping[str, str] = {
    "NOT_FOUND": "look whether it has what was requested",
    "PERMISSION_DENIED": "give this server the permission",
    "RESOURCE_EXHAUSTED": "call it less often, or raise its quota",
    "UNAUTHENTICATED": "it requires credentials, which this source does not send",
    "UNIMPLEMENTED": "it does not know the method; check its version and its address",
}
"""Remedies for statuses of a service."""

RequestOrFactory: TypeAlias = Message | Callable[[], Awaitable[Message]]
"""A request, or a function that makes it when the call may be sent.

With functions, no more large requests are in memory than calls are in flight.
"""


class GrpcTimeout(SourceError):
    """The service did not answer in time."""

    service = "grpc"
    summary = NO_ANSWER
    is_timeout = True


class GrpcError(SourceError):
    """The service could not be reached, or sent a status other than OK or an invalid reply."""

    service = "grpc"
    fact = "status"

    def __init__(self, message: str, *, status: str, reason: str | None = None) -> None:
        super().__init__(message, reason=reason)
        self.remedy = _REMEDIES.get(status, LOOK_AT_LOG)
        self.status = status
        """Name of the gRPC status, e.g. NOT_FOUND; UNAVAILABLE if there was no answer."""

    @property
    def is_outage(self) -> bool:
        """Return False if the source answered, with an error."""
        return self.status == "UNAVAILABLE"


class Grpc(Source, Protocol):
    """A gRPC service, reached over several connections."""

    async def call(self, method: str, request: RequestOrFactory, reply: type[Reply], timeout_s: float) -> Reply:
        """Return the answer of *method*, e.g. `/library.Catalogue/Find`, to *request*.

        *timeout_s* seconds cover the wait for other calls, and making the request. Raises GrpcTimeout, GrpcError, and
        the exceptions of *request*.
        """
