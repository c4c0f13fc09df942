"""Rules for the tokens that give access."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

METADATA_PATH = "/.well-known/oauth-protected-resource"
"""Path of the metadata of a protected resource (RFC 9728); the resource's path may follow."""


class KeysUnavailable(Exception):
    """An authorization server has not given its keys yet, so that nobody can verify its tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JwtRules:
    """An authorization server whose tokens give access."""

    issuer: str
    """Its URL, as tokens and its metadata have it."""
    audience: str
    """The URL of this server's MCP endpoint, for which tokens must be made."""
    keys_url: str
    """The URL of its public keys (jwks_uri)."""
    roles_pointer: str = ""
    """The JSON pointer to a claim whose texts count as scopes; empty for none."""

    @property
    def metadata_url(self) -> str:
        """Return the URL of the metadata of this server as a protected resource."""
        parts = urlsplit(self.audience)
        return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRules:
    """The tokens that give access; without any, every client on this machine has it."""

    tokens: tuple[str, ...] = ()
    """Tokens of the operator, without names."""
    file: Path | None = None
    """A file with the operator's tokens by the names of their callers."""
    jwt: JwtRules | None = None
    """The authorization server whose tokens give access."""
    scopes_of_all: tuple[str, ...] = ()
    """Scopes that each caller needs for anything."""
    known_scopes: frozenset[str] = frozenset()
    """All scopes that some callers need; the operator's tokens without names have them."""

    @property
    def are_needed(self) -> bool:
        """Return whether a caller needs a token."""
        return bool(self.tokens or self.file or self.jwt)


def scopes_of(*values: Any) -> frozenset[str]:
    """Return scopes that stand in a text with spaces, or in a list."""
    found = [value.split() if isinstance(value, str) else value for value in values if isinstance(value, str | list)]
    return frozenset(scope for scopes in found for scope in scopes if isinstance(scope, str))
