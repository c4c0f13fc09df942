"""The public keys of an authorization server (RFC 7517), fetched when they are needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import jwt
import orjson

from toolaccord.callers.rules import KeysUnavailable
from toolaccord.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_FRESH_S = 3600.0
"""Seconds after which the keys are fetched again."""
_RETRY_S = 30.0
"""Seconds between two fetches, also for keys that nobody knows."""
_TIMEOUT_S = 5.0
_MAX_BYTES = 262_144
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}
"""Headers of a request for keys.

An answer that is compressed all the same may be far larger than it seems, and is not read.
"""
_MAX_TRIED = 8
"""Keys with which one token is compared; more have no use, and cost time."""
_SHOWN_CHARACTERS = 12
"""Characters of a key's id in the log."""
_OF_RSA = ("RS256", "PS256", "RS384", "PS384", "RS512", "PS512")
_ALGORITHMS: Mapping[tuple[str, str | None], tuple[str, ...]] = {
    ("RSA", None): _OF_RSA,
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("EC", "P-521"): ("ES512",),
    ("OKP", "Ed25519"): ("EdDSA", "Ed25519"),
    ("OKP", "Ed448"): ("EdDSA", "Ed448"),
}
"""The algorithms by type and curve of a key; the first is that of a key that names none.

Those of RFC 9864 for elliptic curves (ESP256 and others) are for COSE alone.
"""


@dataclass(frozen=True, slots=True)
class VerificationKey:
    """A public key with its only algorithm."""

    key: Any
    key_id: str | None
    names: Sequence[str]
    """The names of the algorithm; Edwards curves have two."""

    def fits(self, key_id: str | None, algorithm: str) -> bool:
        """Return whether it may have signed a token, which may name no key."""
        return (key_id is None or key_id == self.key_id) and algorithm in self.names


class KeySet:
    """The keys at a URL.

    One fetch serves all who wait for it; nobody waits for a key that is known. Keys stay as they were while the server
    does not answer.
    """

    def __init__(self, url: str, clock: Clock) -> None:
        self._url = url
        self._clock = clock
        self._keys: Sequence[VerificationKey] = ()
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._client: httpx2.AsyncClient | None = None

    async def find(self, key_id: str | None, algorithm: str) -> Sequence[VerificationKey]:
        """Return the keys that may have signed a token; without an id, a few for its algorithm.

        Raises KeysUnavailable while the server has given no keys.
        """
        now, found = self._clock.monotonic(), self._choose(key_id, algorithm)
        if not found or self._fetched_at is None:
            await self.renew()
            return self._choose(key_id, algorithm)
        if now - self._fetched_at >= _FRESH_S:
            self._refresh(now)
        return found

    async def renew(self) -> bool:
        """Fetch the keys again, and return whether they are newer now.

        Does nothing within half a minute after the last try. Raises KeysUnavailable while the server has given no keys.
        """
        before = self._fetched_at
        if fetching := self._refresh(self._clock.monotonic()):
            await asyncio.shield(fetching)
        if self._fetched_at is None:
            raise KeysUnavailable
        return self._fetched_at != before

    async def close(self) -> None:
        """Close the connections."""
        if self._fetching:
            self._fetching.cancel()
        if self._client:
            await self._client.aclose()

    def _choose(self, key_id: str | None, algorithm: str) -> Sequence[VerificationKey]:
        return [key for key in self._keys if key.fits(key_id, algorithm)][:_MAX_TRIED]

    def _refresh(self, now: float) -> asyncio.Task[None] | None:
        """Return the fetch that runs, or a new one; None within half a minute after the last."""
        if self._fetching is None and (self._tried_at is None or now - self._tried_at >= _RETRY_S):
            self._tried_at = now
            self._fetching = asyncio.get_running_loop().create_task(self._fetch())
            self._fetching.add_done_callback(self._end)
        return self._fetching

    def _end(self, _: asyncio.Task[None]) -> None:
        self._fetching = None

    async def _fetch(self) -> None:
        """Fetch the keys; a failure is logged, and leaves them as they were."""
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                keys = _read_keys(await self._download())
        except (httpx2.HTTPError, TimeoutError, ValueError) as error:
            _LOG.warning(
                "the keys of %s cannot be fetched, and stay as they were: %s",
                self._url,
                str(error) or type(error).__name__,
            )
            return
        self._keys, self._fetched_at = keys, self._clock.monotonic()

    async def _download(self) -> bytes:
        """Return the body at the URL. Raises httpx2.HTTPError, and ValueError for no key set."""
        if self._client is None:
            self._client = httpx2.AsyncClient(follow_redirects=False, timeout=_TIMEOUT_S)
        async with self._client.stream("GET", self._url, headers=_HEADERS) as response:
            if response.status_code != 200:
                raise ValueError(f"status {response.status_code}")
            body = b""
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > _MAX_BYTES:
                    raise ValueError(f"more than {_MAX_BYTES:,} bytes")
            return body


def _read_keys(body: bytes) -> Sequence[VerificationKey]:
    """Return the keys that can verify. Raises ValueError for a body that is no key set."""
    try:
        keys = orjson.loads(body)["keys"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError("the body is no JSON Web Key Set") from error
    found = []
    for place, key in enumerate(keys if isinstance(keys, list) else ()):
        try:
            found.append(_read_key(key))
        except (TypeError, ValueError) as error:
            _LOG.warning("key %d of the authorization server (%s) is not used: %s", place + 1, _show_id(key), error)
    if not found:
        raise ValueError("no key verifies signatures")
    return found


def _read_key(key: Any) -> VerificationKey:
    """Return a public key for signatures.

    Raises ValueError for any other, without a part of it, and TypeError.
    """
    if not isinstance(key, dict):
        raise TypeError("it is no JSON Web Key")
    if "d" in key:
        raise ValueError("it is secret")
    operations = key.get("key_ops", ["verify"])
    if key.get("use", "sig") != "sig" or not isinstance(operations, list) or "verify" not in operations:
        raise ValueError("it is for something else than signatures")
    curve = None if key.get("kty") == "RSA" else str(key.get("crv"))
    names = _ALGORITHMS.get((str(key.get("kty")), curve), ())
    named = key.get("alg", names[0] if names else None)
    if named not in names:
        raise ValueError("its type or its algorithm is not supported")
    try:
        read = jwt.PyJWK(key, named if key["kty"] != "OKP" else "EdDSA")
    except (jwt.PyJWTError, TypeError, ValueError):  # whose text may show the key
        raise ValueError("it is damaged") from None
    if read.Algorithm.check_key_length(read.key):
        raise ValueError("it is too short")
    key_id = key.get("kid")
    return VerificationKey(
        read.key, key_id if isinstance(key_id, str) else None, names if key["kty"] == "OKP" else (named,)
    )


def _show_id(key: Any) -> str:
    """Return the beginning of a key's id, for the log."""
    key_id = key.get("kid") if isinstance(key, dict) else None
    if not isinstance(key_id, str):
        return "without an id"
    return f"{key_id[:_SHOWN_CHARACTERS]!r}{'…' if len(key_id) > _SHOWN_CHARACTERS else ''}"
