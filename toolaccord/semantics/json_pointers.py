"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from jsonpointer import escape, unescape


def join_pointer(pointer: str, *keys: str | int) -> str:
    """Return a JSON pointer extended by keys and indexes."""
    for key in keys:
        text = str(key)
        pointer += f"/{escape(text) if '~' in text or '/' in text else text}"
    return pointer


def split_pointer(pointer: str) -> tuple[str, ...]:
    """Return the keys and indexes of a JSON pointer.

    Any text is accepted: a contract may hold any, and a pointer in a message may be cut.
    """
    return tuple(map(unescape, pointer.split("/")[1:]))
