"""Keys of ZeroMQ's CURVE, whose files parameters of an endpoint name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

SERVER_KEY, SECRET_KEY = "curve_serverkey", "curve_secretkey"
"""Parameters of an endpoint: the public key of the other side, and the pair of this one."""


@dataclass(frozen=True, slots=True)
class CurveFiles:
    """Files of keys, as `zmq.auth.create_certificates` and czmq write them."""

    server: str = ""
    """File with the public key of the other side; empty for a connection without CURVE."""
    own: str = ""
    """File with the public and the secret key of this side; a new pair without one."""

    def read_options(self) -> Mapping[int, bytes]:
        """Return the options of a socket; none without CURVE. Raises ValueError with a sentence."""
        if not self.server:
            return {}
        import zmq  # noqa: PLC0415 - takes 30 ms to load

        server, _ = _load(SERVER_KEY, self.server)
        public, secret = _load(SECRET_KEY, self.own) if self.own else zmq.curve_keypair()
        if secret is None:
            raise ValueError(f"names {self.own} in {SECRET_KEY}, which holds no secret key")
        return {zmq.CURVE_SERVERKEY: server, zmq.CURVE_PUBLICKEY: public, zmq.CURVE_SECRETKEY: secret}


def split_curve(endpoint: str) -> tuple[str, CurveFiles]:
    """Return an endpoint without the parameters of CURVE, and its files.

    Raises ValueError with a sentence for parameters that do not belong together.
    """
    address, mark, query = endpoint.rpartition("?")
    if not mark or not query.startswith("curve_"):
        return endpoint, CurveFiles()
    named = dict(parse_qsl(query))
    if not named.keys() <= {SERVER_KEY, SECRET_KEY}:
        raise ValueError(f"must have no parameters but {SERVER_KEY} and {SECRET_KEY}")
    if SERVER_KEY not in named:
        raise ValueError(f"has {SECRET_KEY} without {SERVER_KEY}, the public key of the other side")
    return address, CurveFiles(named[SERVER_KEY], named.get(SECRET_KEY, ""))


def _load(name: str, path: str) -> tuple[bytes, bytes | None]:
    """Return the public key of a file, and the secret one if it has one. Raises ValueError."""
    from zmq.auth import load_certificate  # noqa: PLC0415 - as zmq

    if not os.access(path, os.R_OK):
        raise ValueError(f"names {path} in {name}, which cannot be read")
    try:
        public, secret = load_certificate(path)
    except (OSError, ValueError):
        raise ValueError(f"names {path} in {name}, which is no file of keys of ZeroMQ") from None
    if any(len(key) != 40 for key in (public, secret or public)):
        raise ValueError(f"names {path} in {name}, whose keys have not 40 characters each")
    return public, secret
