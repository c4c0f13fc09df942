"""URIs of requests: templates of RFC 6570, and query parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote, urlencode

from toolaccord.semantics.uri_templates import format_value
from toolaccord.sources.http.api import HttpBadRequest, QueryParams

_WHOLE_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:)?//")
_PATH_END = re.compile("[?#]")
_EXPRESSION = re.compile(r"\{([./;?&]?)([^{}]*)\}")
_VARIABLE = re.compile(r"[^*:+#=!@|]+\*?")
_SEPARATORS = {"": ",", ".": ".", "/": "/", ";": ";", "?": "&", "&": "&"}
_NAMED = frozenset(";?&")
"""Operators after which each value follows its name."""
_BYTES = bytes | bytearray | memoryview
_DOTS = (".", "..")
"""Segments of a path that lead to another resource."""


def build_path(template: str, values: Mapping[str, Any] | None, params: QueryParams | None) -> str:
    """Return a path with its query, from a URI template and further parameters.

    Without *values*, *template* is a path itself. Raises HttpBadRequest for a path that leads out of the base URL,
    lacks a value, or has an expression that is not supported.
    """
    if _WHOLE_URL.match(template):
        raise HttpBadRequest("the path is a whole URL; a request stays below the base URL of its source")
    path = template if values is None else _EXPRESSION.sub(lambda found: _expand(found[1], found[2], values), template)
    if any(unquote(segment) in _DOTS for segment in _PATH_END.split(path)[0].split("/")):
        raise HttpBadRequest("the path has the segment . or .., which leads to another path")
    query = urlencode([*flatten(params or {})])
    return f"{path}{'&' if '?' in path else '?'}{query}" if query else path


def flatten(params: QueryParams) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of query parameters, or of the members of a form."""
    for name, value in params.items():
        yield from _flatten(name, value)


def format_part(value: Any) -> str:
    """Return a value as the text of a part. Raises HttpBadRequest for bytes, which are no text."""
    if isinstance(value, _BYTES):
        raise HttpBadRequest("a value of the path, the query, the form or the headers is bytes; decode it to text")
    return format_value(value)


def _flatten(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for member, each in value.items():
            yield from _flatten(f"{name}[{member}]", each)
    elif _is_list(value):
        for each in value:
            yield from _flatten(name, each)
    elif value is not None:
        yield name, format_part(value)


def _expand(operator: str, variables: str, values: Mapping[str, Any]) -> str:
    """Return one expression of a template as RFC 6570 expands it (3.2)."""
    parts = [part for each in variables.split(",") for part in _expand_variable(operator, each, values)]
    separator = _SEPARATORS[operator]
    return f"{operator if parts else ''}{separator.join(parts)}"


def _expand_variable(operator: str, variable: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of a variable: one, or each item of one that ends with `*`.

    Raises HttpBadRequest for one that is not supported, or if a part of the path would be missing.
    """
    if not _VARIABLE.fullmatch(variable):
        raise HttpBadRequest(
            f"the expression {{{operator}{variable}}} is not supported; use names, each alone or with *, "
            "and no operator, or one of . / ; ? &"
        )
    name, explodes = variable.removesuffix("*"), variable.endswith("*")
    value = values.get(name)
    items = [*_list_items(value, explodes)]
    if operator in _NAMED:
        prefix = "" if explodes and isinstance(value, Mapping) else f"{quote(name, safe='')}="
        yield from (f"{prefix}{item}" for item in (items if explodes else [",".join(items)] if items else []))
        return
    joined = items if explodes else [",".join(items)]
    if not items or "" in joined:
        raise HttpBadRequest(f"the value of {{{name}}} in the path is absent or empty")
    yield from joined


def _list_items(value: Any, explodes: bool) -> Iterator[str]:  # noqa: FBT001 - the modifier of a variable
    """Yield the percent-encoded texts of a value: one, or several of a list or an object."""
    if isinstance(value, Mapping):
        pairs = [(_encode(name), _encode(each)) for name, each in value.items() if each is not None]
        yield from (f"{name}={each}" for name, each in pairs) if explodes else (part for pair in pairs for part in pair)
    elif _is_list(value):
        yield from (_encode(each) for each in value if each is not None)
    elif value is not None:
        yield _encode(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, _BYTES | str)


def _encode(value: Any) -> str:
    return quote(format_part(value), safe="")
