"""Contents of resources that never change."""

from __future__ import annotations

import base64
from functools import cache
from importlib import resources
from typing import Any

from toolaccord.declarations.operation import Operation
from toolaccord.declarations.resources import Resource, StaticContent, StaticFile
from toolaccord.declarations.views import ViewFile


def static_size(resource: Resource[Any]) -> int | None:
    """Return the size of a static content in bytes; None for any other.

    A page of a view is made when it is read, so its size is unknown before.
    """
    if isinstance(resource.content, Operation | ViewFile):
        return None
    text = read_static(resource.content)
    return len(base64.b64decode(text)) if resource.kind == "binary" else len(text.encode())


def read_static(content: StaticContent) -> str:
    """Return a text, the text of a copy, or the page of a view.

    Raises OSError if the file is missing.
    """
    if isinstance(content, ViewFile):
        return _read_view(content)
    return content if isinstance(content, str) else _read_copy(content)


@cache
def _read_copy(file: StaticFile) -> str:
    return resources.files(file.package).joinpath("static", file.name).read_text(encoding="utf-8")


@cache
def _read_view(file: ViewFile) -> str:
    """Return the page of the project, or the one that the library makes of a configuration."""
    text = resources.files(file.package).joinpath("views", file.name).read_text(encoding="utf-8")
    if file.name.endswith(".html"):
        return text
    from toolaccord.views.document import build_document  # noqa: PLC0415 - few hosts show views

    return build_document(text)
