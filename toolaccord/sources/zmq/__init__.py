"""ZeroMQ sources: a publisher and a subscriber. Importing this package does not load pyzmq."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.source_kinds import zmq
from toolaccord.sources.zmq.api import ZmqError, ZmqPub, ZmqSub
from toolaccord.timing.clock import Clock

__all__ = ["ZmqError", "ZmqPub", "ZmqPubSource", "ZmqSub", "ZmqSubSource"]


class ZmqPubSource(zmq.ZmqPubSource):
    """A bound SUB socket, as the contract declares it."""

    __slots__ = ()

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> ZmqPub:
        """Return the source, not yet connected."""
        from toolaccord.sources.zmq.publisher import ZmqPublisher  # noqa: PLC0415 - only servers that open one need it

        return ZmqPublisher(self, str(settings[self.endpoint]), clock)


class ZmqSubSource(zmq.ZmqSubSource):
    """A bound PUB socket, as the contract declares it."""

    __slots__ = ()

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> ZmqSub:
        """Return the source, not yet connected."""
        from toolaccord.sources.zmq.subscriber import ZmqSubscriber  # noqa: PLC0415 - only servers that open one need it

        return ZmqSubscriber(self, str(settings[self.endpoint] or ""), clock)
