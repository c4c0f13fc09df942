"""Signatures close to right ones that no owner of a key makes, as Wycheproof has them."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from tests.toolaccord.callers.authorization_server import RESOURCE, AuthorizationServer, serving
from toolaccord.callers.jwt_verifier import JwtVerifier
from toolaccord.callers.rules import JwtRules
from toolaccord.testing import ManualClock

SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")
SHA512 = bytes.fromhex("3051300d060960864801650304020305000440")
SHA256_WITHOUT_NULL = bytes.fromhex("302f300b0609608648016503040201" + "0420")
LENGTH = 256
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Of the points of P-256."""


@pytest.fixture(scope="module")
def server() -> Iterator[AuthorizationServer]:
    with serving() as server:
        server.keys["curve"] = ec.generate_private_key(ec.SECP256R1())
        yield server


@pytest.fixture
async def verifier(server: AuthorizationServer) -> AsyncIterator[JwtVerifier]:
    rules = JwtRules(issuer=server.issuer, audience=RESOURCE, keys_url=server.keys_url)
    verifier = JwtVerifier(rules, ManualClock())
    yield verifier
    await verifier.close()


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def unsigned(server: AuthorizationServer, key: str, algorithm: str) -> bytes:
    """Return the header and the claims of a good token."""
    header = {"alg": algorithm, "kid": key, "typ": "at+jwt"}
    claims = server.claims(ManualClock().now().timestamp())
    return f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(claims).encode())}".encode()


def padded(tail: bytes, *, start: bytes = b"\x00\x01", fill: bytes = b"\xff", end: bytes = b"\x00") -> bytes:
    """Return a message of PKCS #1, as long as the modulus."""
    return start + fill * (LENGTH - len(start) - len(end) - len(tail)) + end + tail


Padding = Callable[[bytes], bytes]
PADDINGS: dict[str, Padding] = {
    "another hash": lambda digest: padded(SHA512 + digest),
    "no parameters of the hash": lambda digest: padded(SHA256_WITHOUT_NULL + digest),
    "no hash": padded,
    "another digest": lambda digest: padded(SHA256 + sha256(digest).digest()),
    "a short digest": lambda digest: padded(SHA256 + digest[:-1]),
    "a longer digest": lambda digest: padded(SHA256 + digest + b"\x00"),
    "type 2": lambda digest: padded(SHA256 + digest, start=b"\x00\x02"),
    "type 0": lambda digest: padded(SHA256 + digest, start=b"\x00\x00"),
    "other filling": lambda digest: padded(SHA256 + digest, fill=b"\xfe"),
    "no filling": lambda digest: (b"\x00\x01\x00" + SHA256 + digest).ljust(LENGTH, b"\x00"),
    "short filling and a rest": lambda digest: (b"\x00\x01" + b"\xff" * 8 + b"\x00" + SHA256 + digest).ljust(LENGTH, b"\x01"),
    "no end of the filling": lambda digest: padded(SHA256 + digest, end=b"\xff"),
    "no start": lambda digest: padded(SHA256 + digest, start=b"\x00"),
}  # fmt: skip


def signed_with_rsa(server: AuthorizationServer, padding: Padding) -> tuple[bytes, int, int]:
    """Return the signed part, the signature of its padded digest, and the modulus."""
    key: rsa.RSAPrivateKey = server.keys["one"]
    numbers = key.private_numbers()
    modulus = numbers.public_numbers.n
    part = unsigned(server, "one", "RS256")
    message = int.from_bytes(padding(sha256(part).digest()), "big")
    return part, pow(message, numbers.d, modulus), modulus


def token_of(part: bytes, signature: bytes) -> str:
    return f"{part.decode()}.{encoded(signature)}"


async def test_the_right_padding_is_accepted(verifier: JwtVerifier, server: AuthorizationServer) -> None:
    part, signature, _ = signed_with_rsa(server, lambda digest: padded(SHA256 + digest))
    assert await verifier.verify(token_of(part, signature.to_bytes(LENGTH, "big")))


@pytest.mark.parametrize("what", list(PADDINGS))
async def test_no_other_padding_is_accepted(verifier: JwtVerifier, server: AuthorizationServer, what: str) -> None:
    part, signature, _ = signed_with_rsa(server, PADDINGS[what])
    assert await verifier.verify(token_of(part, signature.to_bytes(LENGTH, "big"))) is None


async def test_a_signature_of_rsa_is_one_number_below_the_modulus(
    verifier: JwtVerifier, server: AuthorizationServer
) -> None:
    part, right, modulus = signed_with_rsa(server, lambda digest: padded(SHA256 + digest))
    numbers = (0, 1, modulus - 1, modulus, modulus - right, right + modulus)
    forged = [number.to_bytes(LENGTH + 1, "big").removeprefix(b"\x00") for number in numbers]
    forged += [b"\x00" + right.to_bytes(LENGTH, "big"), right.to_bytes(LENGTH, "big") + b"\x00"]
    assert [each for each in forged if await verifier.verify(token_of(part, each)) is not None] == []


async def test_a_signature_of_a_curve_is_two_numbers_in_its_range(
    verifier: JwtVerifier, server: AuthorizationServer
) -> None:
    part = unsigned(server, "curve", "ES256")
    der: Any = server.keys["curve"].sign(part, ec.ECDSA(hashes.SHA256()))
    r, s = decode_dss_signature(der)
    pairs = ((0, 0), (0, s), (r, 0), (r, ORDER), (ORDER, s), (s, r), (r, s + 1), (1, 1), (ORDER - 1, ORDER - 1))
    raw = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    forged = [first.to_bytes(32, "big") + second.to_bytes(32, "big") for first, second in pairs]
    forged += [der, raw[:-1], raw + b"\x00", b"\x00" + raw, raw[:32], raw * 2]
    assert await verifier.verify(token_of(part, raw))
    assert [each for each in forged if await verifier.verify(token_of(part, each)) is not None] == []
