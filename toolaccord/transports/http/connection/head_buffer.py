"""Heads of requests before they are parsed, without offers of another protocol."""

from __future__ import annotations

import re

HEAD_END = b"\r\n\r\n"
"""Ends the head of a request."""
_UPGRADE = re.compile(rb"\r\nupgrade:[^\r\n]*", re.IGNORECASE)


class HeadBuffer:
    """Buffer of header fields that removes offers of another protocol from a whole head.

    Java's client offers HTTP/2 with `Upgrade: h2c` (RFC 9110, 7.8). The parser takes the body after such a head for the
    other protocol, but uvicorn serves the request without it. A server may ignore the offer.
    """

    def __init__(self) -> None:
        self._held = bytearray()

    def add(self, data: bytes) -> bytes:
        """Return the bytes to parse now: a request line at once, header fields when all are there."""
        if not self._held:
            if HEAD_END in data:
                return _remove_upgrade(data)
            line, separator, rest = data.partition(b"\r")
            self._held += separator + rest
            return line
        self._held += data
        if self._held.find(HEAD_END, -len(data) - len(HEAD_END) + 1) < 0:
            return b""
        whole = bytes(self._held)
        self._held.clear()
        return _remove_upgrade(whole)


def _remove_upgrade(data: bytes) -> bytes:
    """Return *data*, which start with a head, without the header Upgrade."""
    if not _UPGRADE.search(data):
        return data
    head, end, rest = data.partition(HEAD_END)
    return _UPGRADE.sub(b"", head) + end + rest
