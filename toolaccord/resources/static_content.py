"""Contents of resources that never change."""

from __future__ import annotations

import base64
from functools import cache
from importlib import resources
from typing import Any

from toolaccord.declarations.resources import Read, Resource, StaticFile, StaticText


def static_size(resource: Resource[Any]) -> int | None:
    """Return the size of a static content in bytes; None for any other."""
    if isinstance(resource.content, Read):
        return None
    text = read_static(resource.content)
    return len(base64.b64decode(text)) if resource.kind == "binary" else len(text.encode())


def read_static(content: StaticText | StaticFile) -> str:
    """Return a text, or the text of a copy. Raises OSError if the copy is missing."""
    return content.text if isinstance(content, StaticText) else _read_copy(content)


@cache
def _read_copy(file: StaticFile) -> str:
    return resources.files(file.package).joinpath("static", file.name).read_text(encoding="utf-8")
