"""What a request asks for, where it names it by a whole URL, as to a proxy (RFC 9112, 3.2.2)."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.types import Scope


def in_origin_form(scope: Scope) -> Scope:
    """Return *scope* with the path alone; the authority of a whole URL takes the place of the Host header."""
    scheme, marked, rest = scope["raw_path"].partition(b"://")
    if not marked or scheme.lower() not in {b"http", b"https"}:
        return scope
    authority, _, path = rest.partition(b"/")
    headers = [(b"host", authority), *((name, value) for name, value in scope["headers"] if name != b"host")]
    return {**scope, "path": f"/{unquote(path.decode('ascii'))}", "raw_path": b"/" + path, "headers": headers}
