"""Connected socket of libzmq, with the state that its monitor reports.

libzmq connects in a thread of its own, and connects again after a loss. It gives up for good on a peer that breaks the
protocol, such as a socket of a wrong type. Then this module connects again.
"""

from __future__ import annotations

import asyncio
import os
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass

import zmq

from toolaccord.source_faults import CLOSED, describe_number
from toolaccord.sources.addresses import find_address_error
from toolaccord.sources.availability import Availability
from toolaccord.sources.zmq.api import ZmqError
from toolaccord.sources.zmq.socket_reader import Parts, SocketReader
from toolaccord.sources.zmq_curve import SECRET_KEY, SERVER_KEY, split_curve
from toolaccord.timing.clock import Clock, SingleTimer

_TERMINATION_S = 1.0
"""Seconds that the threads of libzmq may take to end; a host name can take longer."""
_GIVEN_UP_S = 0.5
"""Seconds without an attempt to connect after which libzmq has given up."""
_OPTIONS: Mapping[int, int] = {
    zmq.LINGER: 500,  # time in which a closed socket may send what is in its queue
    zmq.RECONNECT_IVL: 50,
    zmq.RECONNECT_IVL_MAX: 400,
    zmq.CONNECT_TIMEOUT: 5000,
    zmq.HANDSHAKE_IVL: 5000,
    zmq.HEARTBEAT_IVL: 5000,
    zmq.HEARTBEAT_TIMEOUT: 5000,  # with the interval, a frozen peer counts as gone after 10 s
}
_DESCRIPTORS = 10
"""Number of descriptors that a socket, its monitor and the threads of libzmq take."""
_EVENT = struct.Struct("=HI")
"""Number and value of a monitor event."""
_EVENTS = (
    zmq.EVENT_CONNECTED
    | zmq.EVENT_CONNECT_RETRIED
    | zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_DISCONNECTED
)
_NOT_ADMITTED = f"the peer rejects this server's key; let it admit the public key of {SECRET_KEY}"
_ONE_CURVE = f"one end alone uses CURVE; give the endpoint {SERVER_KEY}, or the peer CURVE"


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketKind:
    """The two ends of a connection."""

    source: str
    """Kind of the source."""
    type: int
    """Type of this socket."""
    peer: str
    """Name of the type of the bound socket."""
    options: Mapping[int, int | bytes]
    """Options of this socket, by number."""


class ZmqConnection:
    """A socket that connects to one bound socket, made again for ever."""

    def __init__(
        self,
        kind: SocketKind,
        endpoint: str,
        clock: Clock,
        availability: Availability,
        on_signal: Callable[[Sequence[Parts]], None],
    ) -> None:
        """Connect in the background. Raises ZmqError for an invalid endpoint or without descriptors.

        *on_signal* is called with the messages that have arrived, also without any if the state may have changed.
        """
        self._availability = availability
        self._kind = kind
        self._on_signal = on_signal
        self._given_up = SingleTimer(clock)
        self._last_event = 0
        self.is_connected = False
        """True from the end of the handshake to the loss of the connection."""
        self.failure = self._absence
        """Reason why it is not connected."""
        if error := find_address_error(kind.source, endpoint):
            raise ZmqError(f"the endpoint {error}")
        self._endpoint, files = split_curve(endpoint)
        self._curve = files.read_options()
        _require_descriptors()
        self._context = zmq.Context()
        self._socket, monitor = self._connect()
        self._reader = SocketReader(self._socket, on_signal)
        self._monitor = SocketReader(monitor, self._handle_events)

    def send(self, payload: bytes) -> bool:
        """Put *payload* in the queue; return False if the queue is full."""
        try:
            self._socket.send(payload, zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def take(self) -> Sequence[Parts]:
        """Return messages that have arrived, after everything that libzmq has noticed so far."""
        return self._reader.take()

    async def close(self) -> None:
        """Send what is in the queue, and close the connection, in bounded time."""
        self.is_connected, self.failure = False, CLOSED
        if self._socket.closed:
            return
        self._given_up.stop()
        self._socket.disable_monitor()
        self._monitor.close()
        self._reader.close()
        ending = threading.Thread(target=self._context.term, name=f"close {self._availability.name}", daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, _TERMINATION_S)

    @property
    def _absence(self) -> str:
        return f"nobody accepts connections at the endpoint; bind a {self._kind.peer} socket to it"

    @property
    def _silence(self) -> str:
        secured = f" with CURVE and the key in {SERVER_KEY}, and admit this server's key" if self._curve else ""
        return f"the peer does not complete ZeroMQ's handshake; it must be a {self._kind.peer} socket{secured}"

    def _connect(self) -> tuple[zmq.Socket[bytes], zmq.Socket[bytes]]:
        """Return a socket that connects in the background, and its monitor."""
        socket: zmq.Socket[bytes] = self._context.socket(self._kind.type)
        # With IPv6, a host name with addresses of both versions would have none of IPv4.
        for option, value in {
            **_OPTIONS,
            zmq.IPV6: int("[" in self._endpoint),
            **self._curve,
            **self._kind.options,
        }.items():
            socket.setsockopt(option, value)
        monitor: zmq.Socket[bytes] = socket.get_monitor_socket(_EVENTS)
        socket.connect(self._endpoint)
        return socket, monitor

    def _connect_again(self) -> None:
        with suppress(zmq.ZMQError):  # libzmq may have forgotten the endpoint
            self._socket.disconnect(self._endpoint)
        self._socket.connect(self._endpoint)

    def _handle_events(self, messages: Sequence[Parts]) -> None:
        """Follow the state of the connection."""
        for head, _endpoint in messages:
            event, value = _EVENT.unpack(head)
            self._given_up.stop()
            match event:
                case zmq.EVENT_CONNECTED:
                    self.failure = self._silence
                case zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                    self.failure = _NOT_ADMITTED
                case zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL if value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
                    self.failure = _ONE_CURVE
                case zmq.EVENT_HANDSHAKE_SUCCEEDED:
                    self._report_connection()
                case zmq.EVENT_DISCONNECTED:
                    self._report_loss(
                        "the connection was lost; look whether the peer runs" if self.is_connected else self.failure
                    )
                    self._given_up.start(_GIVEN_UP_S, self._connect_again)
                case zmq.EVENT_CONNECT_RETRIED if self._last_event != zmq.EVENT_DISCONNECTED:
                    self._report_loss(self._absence)
            self._last_event = event
        self._on_signal(())

    def _report_connection(self) -> None:
        self.is_connected = True
        self._availability.connected()

    def _report_loss(self, failure: str) -> None:
        self.is_connected, self.failure = False, failure
        self._availability.go_down(failure)


def _require_descriptors() -> None:
    """Raise ZmqError without enough free descriptors; libzmq would abort the process."""
    try:
        with ExitStack() as opened:
            for _ in range(_DESCRIPTORS):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        raise ZmqError(f"no socket: {(error.errno and describe_number(error.errno)) or error.strerror}") from None
