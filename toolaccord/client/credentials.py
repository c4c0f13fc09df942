"""Credentials by which a client gets its tokens from an authorization server."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolaccord.urls import is_safe_url


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCredentials:
    """Id and secret of a program, by which an authorization server knows it.

    Raises ValueError for an issuer to which no secret may be sent.
    """

    client_id: str
    client_secret: str = field(repr=False)
    issuer: str
    """URL of the authorization server, as its metadata has it; no other server sees the secret."""
    scopes: tuple[str, ...] = ()
    """Scopes to ask for; by default those that the server names.

    More are asked for when a call needs them.
    """

    def __post_init__(self) -> None:
        if not is_safe_url(self.issuer):
            raise ValueError("the issuer of client credentials is no https URL; http is allowed for this machine alone")
