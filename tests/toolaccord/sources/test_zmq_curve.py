"""ZeroMQ with CURVE: keys in files, and wrong ones."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zmq
import zmq.auth
from zmq.auth.thread import ThreadAuthenticator

from toolaccord.sources.addresses import find_address_error
from toolaccord.sources.zmq import ZmqError, ZmqPubSource, ZmqSubSource
from toolaccord.testing import capture_logs
from toolaccord.timing.clock import SystemClock

PATIENCE_MS = 20_000
PUB = ZmqPubSource(name="orders", endpoint="endpoint", timeout_s=20, max_pending=10)
IMPATIENT = ZmqPubSource(name="orders", endpoint="endpoint", timeout_s=0.5, max_pending=10)
SUB = ZmqSubSource(name="receipts", endpoint="endpoint")


class Keys:
    """Pairs of keys in files, as pyzmq writes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("server", "own", "other"):
            zmq.auth.create_certificates(folder, name)

    def public(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def secret(self, name: str) -> Path:
        return self.folder / f"{name}.key_secret"

    @contextmanager
    def bound(self, kind: int, *, admits: str = "", has_curve: bool = True) -> Iterator[tuple[zmq.Socket[bytes], str]]:
        """Give a socket with the server's keys, and its endpoint; it *admits* one key, or every one."""
        context = zmq.Context()
        authenticator = ThreadAuthenticator(context) if admits else None
        if authenticator:
            admitted = self.folder / "admitted"
            admitted.mkdir()
            (admitted / f"{admits}.key").write_bytes(self.public(admits).read_bytes())
            authenticator.start()
            authenticator.configure_curve(domain="*", location=str(admitted))
        socket: zmq.Socket[bytes] = context.socket(kind)
        if has_curve:
            socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(self.secret("server"))
            socket.curve_server = True
        socket.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        try:
            yield socket, f"tcp://127.0.0.1:{port}"
        finally:
            socket.close(0)
            if authenticator:
                authenticator.stop()
            context.term()

    def query(self, server: str = "server", own: str = "") -> str:
        pair = f"&curve_secretkey={self.secret(own)}" if own else ""
        return f"?curve_serverkey={self.public(server)}{pair}"


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path)


@pytest.mark.parametrize("own", ["", "own"])
async def test_a_message_is_published_to_a_peer_with_the_key_of_the_endpoint(own: str, keys: Keys) -> None:
    with keys.bound(zmq.SUB, admits=own) as (peer, endpoint):
        peer.subscribe(b"")
        source = PUB.open({"endpoint": endpoint + keys.query(own=own)}, SystemClock())
        receiving = asyncio.create_task(asyncio.to_thread(peer.recv))  # which sends the subscription
        await source.publish(b"an order")
        assert await receiving == b"an order"
        await source.close()


async def test_messages_of_a_peer_with_the_key_of_the_endpoint_are_received(keys: Keys) -> None:
    with keys.bound(zmq.XPUB, admits="own") as (peer, endpoint):
        source = SUB.open({"endpoint": endpoint + keys.query(own="own")}, SystemClock())
        await source.start()
        assert await asyncio.to_thread(peer.recv) == b"\x01"  # the subscription, which only a peer with CURVE may send
        await source.close()


async def fail(keys: Keys, query: str, **bound: object) -> str:
    """Return the reason why a publication fails."""
    with keys.bound(zmq.SUB, **bound) as (peer, endpoint):  # type: ignore[arg-type]
        peer.subscribe(b"")
        source = IMPATIENT.open({"endpoint": endpoint + query}, SystemClock())
        with pytest.raises(ZmqError) as raised, capture_logs() as records:
            await source.publish(b"an order")
        await source.close()
    secrets = [zmq.auth.load_certificate(keys.secret(name))[1] for name in ("server", "own", "other")]
    told = str(raised.value) + "".join(each.getMessage() for each in records)
    assert not any(secret and secret.decode() in told for secret in secrets)
    return raised.value.cause


async def test_another_key_of_the_peer_is_named_within_the_timeout(keys: Keys) -> None:
    cause = await fail(keys, keys.query(server="other"))
    assert "the peer does not complete ZeroMQ's handshake; it must be a SUB socket with CURVE and the key in" in cause


async def test_a_key_that_the_peer_does_not_admit_is_named_within_the_timeout(keys: Keys) -> None:
    cause = await fail(keys, keys.query(own="own"), admits="other")
    assert "the peer rejects this server's key; let it admit the public key of curve_secretkey" in cause


@pytest.mark.parametrize("has_curve", [True, False])
async def test_curve_at_one_end_alone_is_named_within_the_timeout(has_curve: bool, keys: Keys) -> None:  # noqa: FBT001
    cause = await fail(keys, "" if has_curve else keys.query(), has_curve=has_curve)
    assert "one end alone uses CURVE; give the endpoint curve_serverkey, or the peer CURVE" in cause


@pytest.mark.parametrize(
    "query, sentence",
    [
        ("?curve_serverkey=/gone.key", "names /gone.key in curve_serverkey, which cannot be read"),
        (
            "?curve_serverkey=/etc/hostname",
            "names /etc/hostname in curve_serverkey, which is no file of keys of ZeroMQ",
        ),
        ("?curve_secretkey=/x", "has curve_secretkey without curve_serverkey, the public key of the other side"),
        ("?curve_serverkey=/x&curve=1", "must have no parameters but curve_serverkey and curve_secretkey"),
    ],
)
def test_keys_that_cannot_be_used_are_a_sentence_at_the_start(query: str, sentence: str) -> None:
    assert find_address_error("zmq_pub", f"tcp://guardian:5559{query}") == sentence


def test_a_file_without_the_secret_key_is_named_at_the_start(keys: Keys) -> None:
    query = f"{keys.query()}&curve_secretkey={keys.public('own')}"
    error = find_address_error("zmq_sub", f"tcp://guardian:5559{query}")
    assert error == f"names {keys.public('own')} in curve_secretkey, which holds no secret key"
