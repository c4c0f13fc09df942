"""The public keys of an authorization server (RFC 7517), fetched when they are needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
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
_ALGORITHMS: Mapping[tuple[str, str | None], str] = {
    ("RSA", None): "RS256",
    ("EC", "P-256"): "ES256",
    ("EC", "P-384"): "ES384",
    ("EC", "P-521"): "ES512",
    ("OKP", "Ed25519"): "EdDSA",
}
"""The algorithm of a key that names none, by its type and curve."""
_OF_RSA = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})


class KeySet:
    """The keys at a URL, by their id.

    One fetch serves all who wait for it; nobody waits for a key that is known. Keys stay as they were while the server
    does not answer.
    """

    def __init__(self, url: str, clock: Clock) -> None:
        self._url = url
        self._clock = clock
        self._keys: Mapping[str, tuple[jwt.PyJWK, str]] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._client: httpx2.AsyncClient | None = None

    async def find(self, key_id: str | None) -> tuple[jwt.PyJWK, str] | None:
        """Return a key with its only algorithm; the only key for no id. None for an unknown one.

        Raises KeysUnavailable while the server has given no keys.
        """
        now, found = self._clock.monotonic(), self._choose(key_id)
        if found is None or self._fetched_at is None:
            if fetching := self._refresh(now):
                await asyncio.shield(fetching)
            if self._fetched_at is None:
                raise KeysUnavailable
            return self._choose(key_id)
        if now - self._fetched_at >= _FRESH_S:
            self._refresh(now)
        return found

    async def close(self) -> None:
        """Close the connections."""
        if self._fetching:
            self._fetching.cancel()
        if self._client:
            await self._client.aclose()

    def _choose(self, key_id: str | None) -> tuple[jwt.PyJWK, str] | None:
        if key_id is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(key_id)

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
        async with self._client.stream("GET", self._url, headers={"Accept": "application/json"}) as response:
            if response.status_code != 200:
                raise ValueError(f"status {response.status_code}")
            body = b""
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _MAX_BYTES:
                    raise ValueError(f"more than {_MAX_BYTES:,} bytes")
            return body


def _read_keys(body: bytes) -> dict[str, tuple[jwt.PyJWK, str]]:
    """Return the keys that can verify, by id. Raises ValueError for a body that is no key set."""
    try:
        keys = orjson.loads(body)["keys"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError("the body is no JSON Web Key Set") from error
    found = {}
    for key in keys if isinstance(keys, list) else ():
        try:
            algorithm = _find_algorithm(key) if isinstance(key, dict) else None
            if algorithm is not None:
                found[str(key.get("kid", ""))] = jwt.PyJWK(key, algorithm), algorithm
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            _LOG.warning("a key of the authorization server cannot be used: %s", error)
    if not found:
        raise ValueError("no key verifies signatures")
    return found


def _find_algorithm(key: Mapping[str, Any]) -> str | None:
    """Return the one algorithm of a public key for signatures; None for any other key."""
    operations = key.get("key_ops", ["verify"])
    if key.get("use", "sig") != "sig" or "verify" not in operations or "d" in key:
        return None
    curve = key.get("crv") if key.get("kty") != "RSA" else None
    usual = _ALGORITHMS.get((str(key.get("kty")), curve))
    named = key.get("alg", usual)
    return named if named == usual or (usual == "RS256" and named in _OF_RSA) else None
