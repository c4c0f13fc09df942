"""Access tokens of an authorization server: JSON Web Tokens (RFC 9068).

Each must be made for this server (RFC 8707).
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import jwt
from jsonpointer import resolve_pointer
from jwt.utils import base64url_decode, base64url_encode

from toolaccord.callers.key_set import KeySet, VerificationKey
from toolaccord.callers.rules import JwtRules, scopes_of
from toolaccord.handler import Caller
from toolaccord.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_LEEWAY_S = 30.0
"""Seconds by which the clocks of two machines may differ."""
_MAX_REMEMBERED = 1024
"""Tokens whose signatures are not verified for each request."""
_REMEMBERED_S = 300.0
"""Seconds after which a signature is verified again: its key may have been withdrawn."""
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
"""Three parts in base64url without padding (RFC 7515)."""
_TYPES = frozenset({"at+jwt", "application/at+jwt", "jwt"})
_FORBIDDEN_HEADERS = frozenset({"b64", "crit", "jku", "jwk", "x5u"})
"""Members by which a token would choose its own rules or keys."""
_OF_ID_TOKENS = frozenset({"at_hash", "c_hash", "nonce"})
"""Claims of tokens that tell a client who its user is; they give no access."""
_SIGNATURES = jwt.PyJWS()
for _name in ("Ed25519", "Ed448"):  # of RFC 9864; PyJWT has them as EdDSA
    _SIGNATURES.register_algorithm(_name, _SIGNATURES.get_algorithm_by_name("EdDSA"))


class InvalidToken(Exception):
    """A token gives no access; the text says why, without any part of it."""


class JwtVerifier:
    """Verifies tokens by the rules of one authorization server."""

    def __init__(self, rules: JwtRules, clock: Clock) -> None:
        self._rules = rules
        self._clock = clock
        self._keys = KeySet(rules.keys_url, clock)
        self._remembered: OrderedDict[bytes, tuple[Caller, float]] = OrderedDict()
        """Callers by the digests of their tokens, with the time until which they are remembered."""

    async def verify(self, token: str) -> Caller | None:
        """Return the caller of a valid token; None for any other text, whose fault is logged.

        Raises KeysUnavailable.
        """
        digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
        caller = self._recall(digest)
        try:
            if caller is None:
                caller = self._read_caller(_read_claims(await self.verify_signature(token)))
                self._remember(digest, caller)
            self._check_end(caller.expires_at)
        except InvalidToken as error:
            self._remembered.pop(digest, None)
            _LOG.info("a token gives no access: %s", error)
            return None
        return caller

    async def close(self) -> None:
        """Close the connections to the authorization server."""
        await self._keys.close()

    def _recall(self, digest: bytes) -> Caller | None:
        """Return the caller of a token that was verified a short time ago."""
        caller, until = self._remembered.get(digest, (None, 0.0))
        return caller if self._clock.monotonic() < until else None

    def _remember(self, digest: bytes, caller: Caller) -> None:
        """Remember the caller of a token, in place of the one that has been remembered longest."""
        self._remembered.pop(digest, None)
        self._remembered[digest] = caller, self._clock.monotonic() + _REMEMBERED_S
        if len(self._remembered) > _MAX_REMEMBERED:
            self._remembered.popitem(last=False)

    async def verify_signature(self, token: str) -> bytes:
        """Return the payload of a signed token. Raises InvalidToken and KeysUnavailable."""
        key_id, algorithm = _read_header(token)
        keys = await self._keys.find(key_id, algorithm)
        payload = _try(token, keys)
        if payload is None and key_id is None and await self._keys.renew():
            payload = _try(token, await self._keys.find(None, algorithm))
        if payload is not None:
            return payload
        raise InvalidToken("its signature or its form is wrong" if keys else "no key has its id and its algorithm")

    def _read_caller(self, claims: Mapping[str, Any]) -> Caller:
        """Return the caller that claims name.

        Raises InvalidToken for claims of another server, issuer or time.
        """
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        if claims.get("iss") != self._rules.issuer:
            raise InvalidToken("another issuer made it")
        if self._rules.audience not in audiences:
            raise InvalidToken("it is for another server")
        if _OF_ID_TOKENS & claims.keys():
            raise InvalidToken("it is an ID token")
        if _read_time(claims, "nbf", 0.0) > self._now() + _LEEWAY_S:
            raise InvalidToken("it is not valid yet")
        subject, client = (claims.get("sub"), claims.get("client_id", claims.get("azp")))
        named = [each for each in (subject, client) if isinstance(each, str) and each]
        if not named:
            raise InvalidToken("it names neither a subject nor a client")
        return Caller(
            issuer=self._rules.issuer,
            subject=subject if isinstance(subject, str) else "",
            client=client if isinstance(client, str) else "",
            scopes=scopes_of(claims.get("scope"), claims.get("scp"), self._find_roles(claims)),
            expires_at=_read_time(claims, "exp", None),
            claims=MappingProxyType(claims),
        )

    def _find_roles(self, claims: Mapping[str, Any]) -> Any:
        """Return the value of the claim whose texts count as scopes; None without one."""
        pointer = self._rules.roles_pointer
        return resolve_pointer(claims, pointer, None) if pointer else None

    def _check_end(self, expires_at: float | None) -> None:
        """Raise InvalidToken for a token without an end, or after it."""
        if expires_at is None:
            raise InvalidToken("it has no end (exp)")
        if self._now() >= expires_at + _LEEWAY_S:
            raise InvalidToken("it has expired")

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _read_header(token: str) -> tuple[str | None, str]:
    """Return the id of the key and the algorithm that a token names. Raises InvalidToken."""
    if not _FORM.fullmatch(token):
        raise InvalidToken("it is no JSON Web Token")
    signature = token.rpartition(".")[2].encode()
    try:
        if base64url_encode(base64url_decode(signature)) != signature:
            raise InvalidToken("its signature has unused bits, by which one token would have several texts")
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, TypeError, ValueError) as error:
        raise InvalidToken("it is no JSON Web Token") from error
    if found := sorted(_FORBIDDEN_HEADERS & header.keys()):
        raise InvalidToken(f"its header has {', '.join(found)}")
    if str(header.get("typ", "jwt")).lower() not in _TYPES:
        raise InvalidToken("its type is not that of an access token")
    key_id, algorithm = header.get("kid"), header.get("alg")
    if not isinstance(algorithm, str) or not isinstance(key_id, str | None):
        raise InvalidToken("its header names no key and algorithm")
    return key_id, algorithm


def _try(token: str, keys: Iterable[VerificationKey]) -> bytes | None:
    """Return the payload of a token that one of several keys signed; None if none did."""
    for key in keys:
        try:
            payload: bytes = _SIGNATURES.decode_complete(token, key.key, algorithms=key.names)["payload"]
        except (jwt.PyJWTError, TypeError, ValueError):
            continue
        return payload
    return None


def _read_claims(payload: bytes) -> Mapping[str, Any]:
    """Return the claims of a payload. Raises InvalidToken."""
    try:
        claims = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise InvalidToken("its claims are no JSON") from error
    if not isinstance(claims, dict):
        raise InvalidToken("its claims are no object")
    return claims


def _read_time(claims: Mapping[str, Any], name: str, default: float | None) -> Any:
    """Return a time in seconds since 1970. Raises InvalidToken for another value."""
    value = claims.get(name, default)
    is_time = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_time and value is not default:
        raise InvalidToken(f"its {name} is no time")
    return value
