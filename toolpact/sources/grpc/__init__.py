"""gRPC: a service behind one address, what handlers see of it, and how a contract declares it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from google.protobuf.message import Message

from toolpact.errors import SourceError
from toolpact.sources import Source
from toolpact.timing.clock import Clock

Reply = TypeVar("Reply", bound=Message)

Ask: TypeAlias = Message | Callable[[], Awaitable[Message]]
"""What is sent, or what makes it once the call has its turn: of large messages there are then no more than calls in flight."""


class GrpcTimeout(SourceError):
    """The service did not answer in time."""


class GrpcError(SourceError):
    """The service could not be reached, or answered with a status that is not OK."""

    def __init__(self, message: str, *, status: str) -> None:
        super().__init__(message)
        self.status = status
        """The name of the gRPC status: UNAVAILABLE where there was no answer, NOT_FOUND, INVALID_ARGUMENT, ..."""


class Grpc(Source, Protocol):
    """A gRPC service, through several connections."""

    async def call(self, method: str, request: Ask, reply: type[Reply], timeout_s: float) -> Reply:
        """Return what *method*, e.g. `/library.Catalogue/Find`, answers to *request* within *timeout_s* seconds.

        The seconds cover waiting for a turn, and making the request. Raises GrpcTimeout or GrpcError, and what is
        raised by making the request.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcSource:
    """A gRPC service, as the contract declares it."""

    name: str
    """How tools and handlers call it."""
    target: str
    """The name of the setting that holds the address, host:port."""
    max_connections: int
    """How many connections calls are spread over."""
    keepalive_interval_s: float
    """Seconds between two pings of a connection in use."""
    keepalive_timeout_s: float
    """Seconds after which a connection whose ping is not answered counts as broken."""
    max_in_flight: int
    """How many calls may be in flight at the same time; others wait."""

    @property
    def kind(self) -> str:
        """What answers."""
        return "grpc"

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Grpc:
        """Return the service, not yet connected."""
        from toolpact.sources.grpc.channels import GrpcChannels  # noqa: PLC0415 - only for a server that opens one

        return GrpcChannels(self, str(settings[self.target]), clock)
