"""Redaction of secrets in texts for people: log lines and error messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit

_MASK = "***"
_SHORTEST_SUBSTRING = 4
"""Shortest secret that is redacted inside words, in characters."""


class Redactor:
    """Replaces secrets in texts, and the passwords of secret URLs.

    Shorter secrets than four characters are replaced only as whole words: they occur in half of all words.
    """

    def __init__(self, secrets: Iterable[Any]) -> None:
        texts = {text for secret in secrets if secret is not None for text in _variants(str(secret)) if text}
        longest_first = sorted(texts, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_pattern, longest_first))) if texts else None
        self.has_secrets = bool(texts)
        """False if there is nothing to redact."""

    def redact(self, value: Any) -> Any:
        """Return the JSON *value* with every secret in its strings replaced; names of members stay."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self._pattern.sub(_MASK, value)
        if isinstance(value, Mapping):
            return {name: self.redact(member) for name, member in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact(item) for item in value]
        return value


def _variants(secret: str) -> Iterator[str]:
    """Yield *secret*, also as a part of a URL, and the passwords in one that is a URL."""
    yield from (secret, quote(secret, safe=""), quote_plus(secret))
    try:
        parts = urlsplit(secret)
        passwords = [parts.password] if parts.password else []
    except ValueError:
        return
    parameters = (parameter.partition("=") for parameter in parts.query.split("&"))
    passwords += [value for name, _, value in parameters if name == "password"]
    for password in passwords:
        yield password
        yield unquote(password)
        yield unquote_plus(password)


def _pattern(secret: str) -> str:
    """Return the pattern that finds *secret* in a text."""
    pattern = re.escape(secret)
    return pattern if len(secret) >= _SHORTEST_SUBSTRING else rf"(?<!\w){pattern}(?!\w)"
