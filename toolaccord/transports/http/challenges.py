"""Challenges to callers without a valid token, or with too few scopes (RFC 6750, RFC 9728)."""

from __future__ import annotations

from collections.abc import Collection

from toolaccord.callers.rules import TokenRules
from toolaccord.handler import Caller
from toolaccord.transports.http.errors import Rejection


def no_valid_token(rules: TokenRules, *, is_sent: bool) -> Rejection:
    """Return the rejection of a request without a valid token.

    Only a token that was sent is an error.
    """
    message = "Send a valid token in the header Authorization: Bearer TOKEN."
    error = "invalid_token" if is_sent else ""
    return Rejection(401, message, occasion="access", headers=_challenge(rules, error, rules.scopes_of_all))


def require_scopes(rules: TokenRules, caller: Caller | None, needed: frozenset[str]) -> None:
    """Raise Rejection for a *caller* without all *needed* scopes.

    Where nobody proves callers, none is needed. The challenge names all scopes, so that its client asks once.
    """
    if caller is None or needed <= caller.scopes:
        return
    missing = sorted(needed - caller.scopes)
    noun = "scope" if len(missing) == 1 else "scopes"
    message = f"The token lacks the {noun} {' '.join(missing)}, which this request needs."
    raise Rejection(403, message, occasion="access", headers=_challenge(rules, "insufficient_scope", needed))


def _challenge(rules: TokenRules, error: str, scopes: Collection[str]) -> dict[str, str]:
    """Return the header of a challenge."""
    parts = [f'error="{error}"'] if error else []
    parts += [f'scope="{" ".join(sorted(scopes))}"'] if scopes else []
    parts += [f'resource_metadata="{rules.jwt.metadata_url}"'] if rules.jwt else []
    return {"WWW-Authenticate": f"Bearer {', '.join(parts)}".rstrip()}
