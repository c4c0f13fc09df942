"""ZeroMQ sockets that handlers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Required
    from toolaccord.contract.texts import Bytes, Count, Duration, KeyName, SettingName


@dataclass(frozen=True, slots=True, kw_only=True)
class ZmqPubSource:
    """A bound ZeroMQ SUB socket, over one connection that is made again for ever."""

    name: KeyName
    kind: Annotated[Literal["zmq_pub"], Required()] = "zmq_pub"
    endpoint: SettingName
    """Setting with the endpoint: tcp://host:port or ipc://path."""
    timeout_s: Duration = 2
    """Seconds that a publication waits for a subscriber, and for room in the queue."""
    max_pending: Count = 1000
    """Maximum number of messages in the queue for a subscriber that does not read, and of
    publications that wait. A publication above it fails.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ZmqSubSource:
    """A ZeroMQ PUB socket that is bound to an endpoint. The newest messages are kept in memory."""

    name: KeyName
    kind: Annotated[Literal["zmq_sub"], Required()] = "zmq_sub"
    endpoint: SettingName
    """Setting with the endpoint: tcp://host:port or ipc://path.

    If it is empty, there are no messages.
    """
    max_messages: Count = 1000
    """Maximum number of messages that are kept, the newest."""
    max_message_bytes: Bytes = 65536
    """Maximum size of a message in bytes; larger ones are dropped."""
