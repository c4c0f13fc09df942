"""ZeroMQ sources as a contract declares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolaccord.sources.zmq.api import ZmqPub, ZmqPubLimits, ZmqSub, ZmqSubLimits
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ZmqPubSource(ZmqPubLimits):
    """A bound SUB socket, as the contract declares it."""

    kind: ClassVar = "zmq_pub"
    """Kind of the system that answers."""
    endpoint: str
    """Name of the setting that holds the endpoint."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> ZmqPub:
        """Return the source, not yet connected."""
        from toolaccord.sources.zmq.publisher import ZmqPublisher  # noqa: PLC0415 - only servers that open one need it

        return ZmqPublisher(self, str(settings[self.endpoint]), clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZmqSubSource(ZmqSubLimits):
    """A bound PUB socket, as the contract declares it."""

    kind: ClassVar = "zmq_sub"
    """Kind of the system that answers."""
    endpoint: str
    """Name of the setting that holds the endpoint; its value may be empty."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> ZmqSub:
        """Return the source, not yet connected."""
        from toolaccord.sources.zmq.subscriber import ZmqSubscriber  # noqa: PLC0415 - only servers that open one need it

        return ZmqSubscriber(self, str(settings[self.endpoint] or ""), clock)
