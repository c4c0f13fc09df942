"""The proof of a caller by its bearer token."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING

from toolaccord.callers.rules import KeysUnavailable, TokenRules
from toolaccord.callers.token_file import TokenFile
from toolaccord.extras import needed
from toolaccord.handler import Caller
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:  # few servers verify tokens of an authorization server
    from toolaccord.callers.jwt_verifier import JwtVerifier

_MAX_TOKEN_CHARACTERS = 16_384
_REMEMBERED_S = 1.0
"""Seconds in which streams look once at the token of their caller."""


class TokenProof:
    """Finds the callers of tokens.

    Raises ValueError for a file of callers that cannot be read, and MissingExtra.
    """

    def __init__(self, rules: TokenRules, clock: Clock) -> None:
        self.rules = rules
        self._clock = clock
        digests = [(token.encode(), sha256(token.encode()).hexdigest()) for token in rules.tokens]
        self._callers = [
            (token, Caller(client=f"token {digest[:8]}", scopes=rules.known_scopes, identity=digest))
            for token, digest in digests
        ]
        """The operator's tokens without names, with a caller for each, who may do everything."""
        self._file = TokenFile.open(rules.file, clock) if rules.file else None
        self._jwt = _open_verifier(rules, clock)
        self._still_proven: set[tuple[str, str, frozenset[str]]] = set()
        """Tokens of streams, with identity and scopes, that gave access since `_began_at`."""
        self._began_at = clock.monotonic()

    async def prove(self, token: str) -> Caller | None:
        """Return the caller whose token it is; None for any other text. Raises KeysUnavailable."""
        if not token or len(token) > _MAX_TOKEN_CHARACTERS:
            return None
        sent = token.encode("utf-8", "surrogatepass")
        # Compare with all tokens, each in constant time, so that the duration reveals nothing.
        matches = [caller for allowed, caller in self._callers if hmac.compare_digest(sent, allowed)]
        if matches:
            return matches[0]
        if self._file and (caller := self._file.find(sent)):
            return caller
        return await self._jwt.verify(token) if self._jwt else None

    async def still_proves(self, token: str, caller: Caller) -> bool:
        """Return whether a *token* still proves *caller*, or did within the last second."""
        now = self._clock.monotonic()
        if now - self._began_at >= _REMEMBERED_S:
            self._still_proven, self._began_at = set(), now
        looked_for = token, caller.identity, caller.scopes
        if looked_for not in self._still_proven and await self._proves(token, caller):
            self._still_proven.add(looked_for)
        return looked_for in self._still_proven

    async def _proves(self, token: str, caller: Caller) -> bool:
        """Return whether a *token* proves *caller*, with the same scopes at least."""
        try:
            again = await self.prove(token)
        except KeysUnavailable:
            return caller.expires_at is None or self._clock.now().timestamp() < caller.expires_at
        return again is not None and again.identity == caller.identity and again.scopes >= caller.scopes

    async def close(self) -> None:
        """Close the connections to the authorization server."""
        if self._jwt:
            await self._jwt.close()


def _open_verifier(rules: TokenRules, clock: Clock) -> JwtVerifier | None:
    """Return what verifies the tokens of an authorization server; None without one."""
    if rules.jwt is None:
        return None
    with needed("jwt"):
        from toolaccord.callers.jwt_verifier import JwtVerifier  # noqa: PLC0415 - an extra
    return JwtVerifier(rules.jwt, clock)
