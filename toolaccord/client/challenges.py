"""Challenges of servers that want a token, or one with more scopes (RFC 6750)."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOO_FEW = re.compile(r"""\bBearer\b.*\berror="?insufficient_scope\b""", re.IGNORECASE)
_SCOPES = re.compile(r"""\bscope="([\x21\x23-\x5b\x5d-\x7e ]{1,1000})\"""")
"""The characters that scopes have (RFC 6749), in a length that an error can show."""


class NoToken(Exception):
    """An authorization server gave no token; the text says why."""

    def __init__(self, message: str, *, http_status: int, scopes: str = "") -> None:
        """*http_status* is that with which the call fails: 401, or 503 for an outage.

        *scopes* are those that the call needs.
        """
        super().__init__(message)
        self.http_status = http_status
        self.scopes = scopes


def find_needed_scopes(status: int, headers: Mapping[str, str]) -> str | None:
    """Return the scopes that a token lacks for a request; None for any other rejection."""
    challenge = headers.get("www-authenticate", "") if status == 403 else ""
    found = _SCOPES.search(challenge) if _TOO_FEW.search(challenge) else None
    return " ".join(sorted(set(found[1].split()))) if found else None
