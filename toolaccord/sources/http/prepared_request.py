"""Requests as they are sent: URL, headers and body."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel

from toolaccord.handler import IdempotencyKey
from toolaccord.sources.http.api import HttpBadRequest, Method, RequestOptions
from toolaccord.sources.http.uri import build_path, flatten, format_part

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "QUERY"})
_IDEMPOTENT = _SAFE | {"PUT", "DELETE"}
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"([!-~]([\t -~]*[!-~])?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Headers and query parameters of every request; empty ones are not sent."""

    bearer: str = ""
    basic: str = ""
    """`user:password`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    """Names of the settings that hold the values of headers, by header."""

    def list_headers(self) -> Iterator[tuple[str, str]]:
        """Yield the names and values of headers."""
        if self.bearer:
            yield "Authorization", f"Bearer {self.bearer}"
        elif self.basic:
            yield "Authorization", f"Basic {b64encode(self.basic.encode()).decode()}"
        yield from ((name, value) for name, value in self.headers.items() if value)

    def find_fault(self) -> str | None:
        """Return the reason, without a value, why they cannot be sent; None if they can."""
        unusable = (name for name, value in self.list_headers() if not _HEADER_VALUE.fullmatch(value))
        name = next(unusable, None)
        return name and (
            f"the setting {self.settings[name]} cannot be the header {name}: "
            "it has a line break, a space at an end, or a character outside ASCII; correct it"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """A request as it is sent, but for the credentials."""

    method: Method
    path: str
    """Path below the base URL, with the query."""
    headers: Mapping[str, str]
    content: bytes | None
    is_safe: bool
    """True if it changes nothing (RFC 9110, 9.2.1)."""
    is_repeatable: bool
    """True if it may be sent again after a failure that leaves open whether it took effect."""

    @property
    def key(self) -> Hashable:
        """Return a key that equal requests have in common."""
        return self.method, self.path, tuple(self.headers.items()), self.content

    def __str__(self) -> str:
        """Return method and path, for errors."""
        return f"{self.method} {self.path}"


def prepare(method: Method, path: str, options: RequestOptions) -> PreparedRequest:
    """Return a request as it is sent. Raises HttpBadRequest."""
    url = build_path(path, options.get("values"), options.get("params"))
    media_type, content = _encode_body(options)
    key = options.get("idempotency_key")
    given = options.get("headers", {}).items()
    headers = {"content-type": media_type} if media_type else {}
    headers |= {name.lower(): format_part(value) for name, value in given if value is not None}
    if key is not None:
        headers["idempotency-key"] = key if isinstance(key, str) else _derive_key(key, method, url, content)
    is_safe = method in _SAFE or options.get("is_safe", False)
    return PreparedRequest(
        method=method,
        path=url,
        headers=dict(check_headers(headers)),
        content=content,
        is_safe=is_safe,
        is_repeatable=is_safe or method in _IDEMPOTENT or key is not None,
    )


def check_headers(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield headers. Raises HttpBadRequest, without the value, for one that no message can hold."""
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise HttpBadRequest(f"the header {name!r} has a character that headers cannot hold")
        yield name, value


def _encode_body(options: RequestOptions) -> tuple[str, bytes | None]:
    """Return the media type and the bytes of the body; without one an empty text and None."""
    if (form := options.get("form")) is not None:
        return "application/x-www-form-urlencoded", urlencode([*flatten(form)]).encode()
    if (text := options.get("text")) is not None:
        return "text/plain; charset=utf-8", text.encode()
    if (value := options.get("json")) is not None:
        try:
            return "application/json", json.dumps(value, allow_nan=False, default=_dump_model).encode()
        except (TypeError, ValueError) as error:
            raise HttpBadRequest("the body is no JSON value") from error
    return "", None


def _dump_model(value: Any) -> Any:
    """Return a record as JSON has it. Raises TypeError for any other value."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def _derive_key(key: IdempotencyKey, method: str, path: str, content: bytes | None) -> str:
    """Return the key of one request of a call, which no other caller, path, query or body has."""
    body = sha256(content or b"").hexdigest()
    return sha256(json.dumps([key.tool, key.caller, key.key, method, path, body]).encode()).hexdigest()
