"""The form that nearly every call over HTTP has, read in one step; whatever is not plainly of it is left to h11.

Plain is narrower than HTTP: a POST with a Content-Length, each header once and on one line, nothing that asks for another way to send the body or
to keep the connection. So there is one way to read it, and h11 would read it no differently.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_LARGEST_HEAD = 16_384
_LARGEST_BODY = 65_536
"""What is larger comes in many parts anyway."""
_NAME = rb"[\w!#$%&'*+.^`|~-]++"
_HEAD = re.compile(rb"POST (/[\w./-]*+)(?:\?([!-~]*+))? HTTP/1\.1\r\n((?:%b:[ -~]*+\r\n)++)\r\n" % _NAME)
_FIELD = re.compile(rb"(%b):([ -~]*+)\r\n" % _NAME)
_LENGTH = re.compile(rb"[0-9]{1,5}")
_ELSEWISE = {b"expect", b"transfer-encoding", b"upgrade"}
"""Headers that ask for another way."""


class PlainHead(NamedTuple):
    """The head of a plain request."""

    path: bytes
    """The path; nothing in it is escaped."""
    query: bytes
    """What stands behind its question mark; empty where there is none."""
    headers: list[tuple[bytes, bytes]]
    """Names in lower case and values, in the order in which they came."""
    body: int
    """Where the body begins."""
    end: int
    """Where it ends."""


def read(data: bytes) -> PlainHead | None:
    """Return the head that *data* begins with; None where it is not plain, or not whole."""
    match = _HEAD.match(data)
    if match is None or match.end() > _LARGEST_HEAD:
        return None
    headers = [(name.lower(), value.strip()) for name, value in _FIELD.findall(match[3])]
    said = dict(headers)
    length = said.get(b"content-length", b"")
    if len(said) != len(headers) or b"host" not in said or not _LENGTH.fullmatch(length) or int(length) > _LARGEST_BODY:
        return None
    if not said.keys().isdisjoint(_ELSEWISE) or said.get(b"connection", b"keep-alive").lower() != b"keep-alive":
        return None
    body = match.end()
    return PlainHead(match[1], match[2] or b"", headers, body, body + int(length))
