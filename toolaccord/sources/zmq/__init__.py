"""ZeroMQ sources: a publisher and a subscriber. Importing this package does not load pyzmq."""

from __future__ import annotations

from toolaccord.sources.zmq.api import ZmqError, ZmqPub, ZmqSub
from toolaccord.sources.zmq.declaration import ZmqPubSource, ZmqSubSource

__all__ = ["ZmqError", "ZmqPub", "ZmqPubSource", "ZmqSub", "ZmqSubSource"]
