"""Operations of OpenAPI documents as requests of an http source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord_codegen.loading.references import as_object, list_branches

Record = dict[str, Any]
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
PATH_OPERATORS = {"simple": "", "label": ".", "matrix": ";"}
SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})
PLAIN = re.compile(r"[^{}*,./;?&|+#:=!@]+")
"""A name that a variable of a URI template may have."""
UNTEMPLATED = re.compile(r"[{}#]|://")
"""Characters of a path that a template would read otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forward:
    """A tool whose handler passes the call on with one HTTP request."""

    method: str
    path: str
    """The path and the query as a URI template, whose variables are arguments."""
    has_values: bool = True
    """True if the template has variables."""
    params: Mapping[str, str]
    """Arguments that are query parameters outside the template, by their names there."""
    headers: Mapping[str, str]
    """Arguments that are headers, by header."""
    body: str | None
    """The form of the argument `body`: `json`, `form` or `text`; None without a body."""
    media_type: str | None
    """The media type of the body if it is not the usual one of its form."""
    wrapped: str | None
    """The member of the result that holds the response; None if the response is the result."""
    content: str | None
    """The media type of the content that is returned; None for a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardedTool:
    """A tool whose handler passes the call on to the original MCP server."""

    original: str
    """The name of the tool there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryForward:
    """A tool whose handler calls one query."""

    query: str
    """The function of the query."""
    arguments: tuple[tuple[str, str], ...]
    """The arguments of the query, each with the member of the request."""
    kind: str
    """`page`, `get` or `add`."""
    model: str
    """The model of a row."""
    member: str | None
    """The only member of a row, which the query returns as a bare value; None for others."""
    is_nullable: bool = False
    """True if such a value may be None."""
    missing: str = ""
    """The sentence on a missing row."""
    refuses: bool = False
    """True if PostgreSQL may reject a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A parameter of an operation."""

    argument: str
    """The argument's name."""
    record: Record
    at: str
    """Its JSON pointer."""
    kinds: frozenset[str]
    """The types of its values; empty if unknown."""

    @property
    def name(self) -> str:
        """Return the name on the wire."""
        return str(self.record["name"])

    @property
    def explodes(self) -> bool:
        """Return True if the items of a value are separate parts."""
        style = self.record.get("style", "form" if self.record["in"] == "query" else "simple")
        return bool(self.record.get("explode", style == "form"))


def draft_path(path: str, parameters: Iterable[Located]) -> tuple[str, Mapping[str, str]] | None:
    """Return a URI template of path and query, and the query parameters that it cannot hold.

    None if a parameter has a form that requests cannot have, or the path has a placeholder without one.
    """
    in_path = {each.name: each for each in parameters if each.record["in"] == "path"}
    places = PLACEHOLDER.findall(path)
    if {*places} != {*in_path} or UNTEMPLATED.search(PLACEHOLDER.sub("", path)):
        return None
    if not all(PLAIN.fullmatch(each.argument) for each in in_path.values()):
        return None
    template = PLACEHOLDER.sub(lambda found: _expression(in_path[found[1]]), path).lstrip("/")
    in_query = [each for each in parameters if each.record["in"] == "query"]
    if any("content" in each.record or _style(each) not in {"form", "deepObject"} for each in in_query):
        return None
    templated = [each for each in in_query if _is_templated(each)]
    if any(_style(each) == "form" and _is_joined(each) for each in in_query if each not in templated):
        return None
    variables = ",".join(f"{each.argument}{_star(each)}" for each in templated)
    beside = {_query_name(each): each.argument for each in in_query if each not in templated}
    operator = "&" if "?" in template else "?"
    return (f"{template}{{{operator}{variables}}}" if variables else template), beside


def draft_headers(parameters: Iterable[Located]) -> Mapping[str, str] | None:
    """Return the arguments that are headers, by header.

    None if one has a form that requests cannot have.
    """
    placed = [each for each in parameters if each.record["in"] in {"header", "cookie"}]
    if any(each.record["in"] == "cookie" or not each.kinds or each.kinds - SCALARS for each in placed):
        return None
    return {each.name: each.argument for each in placed}


def body_form(media_type: str) -> str | None:
    """Return the form of a media type in requests: `json`, `form` or `text`; None for others."""
    if "json" in media_type or media_type in {"*/*", "application/*"}:
        return "json"
    if media_type == "application/x-www-form-urlencoded":
        return "form"
    return "text" if media_type.startswith("text/") or media_type.endswith("xml") else None


def is_usual(form: str, media_type: str) -> bool:
    """Return True if the source sends this media type unasked."""
    usual = {"json": "application/json", "form": "application/x-www-form-urlencoded", "text": "text/plain"}
    return "*" in media_type or media_type.partition(";")[0] == usual[form]


def is_sendable(media_type: str) -> bool:
    """Return True for a response that a tool can return as content: text, an image or a sound."""
    return body_form(media_type) is not None or media_type.startswith(("image/", "audio/"))


def choose_media(content: Mapping[str, Any]) -> str:
    """Return the media type that a source sends best; JSON before forms, and these before texts."""
    order = {"json": 0, "form": 1, "text": 2, None: 3}
    return min(content, key=lambda name: order[body_form(name)])


def _style(each: Located) -> str:
    return str(each.record.get("style", "form" if each.record["in"] == "query" else "simple"))


def _star(each: Located) -> str:
    return "*" if each.explodes and not (each.kinds and each.kinds <= SCALARS) else ""


def _is_joined(each: Located) -> bool:
    """Return True for a list or an object that is one value, with commas between its parts."""
    return not each.explodes and not (each.kinds and each.kinds <= SCALARS)


def _expression(each: Located) -> str:
    """Return the expression of a parameter in a path."""
    return f"{{{PATH_OPERATORS.get(_style(each), '')}{each.argument}{_star(each)}}}"


def _is_templated(each: Located) -> bool:
    """Return True for a query parameter that a template can hold."""
    return each.argument == each.name and _style(each) == "form" and bool(PLAIN.fullmatch(each.name))


def _query_name(each: Located) -> str:
    """Return the name of a query parameter outside the template.

    A list of the style deepObject has brackets.
    """
    is_list = _style(each) == "deepObject" and each.kinds == {"array"}
    return f"{each.name}[]" if is_list and not each.name.endswith("[]") else each.name


def schema_kinds(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the types that a drafted schema admits; empty if they are unknown."""
    kinds = schema.get("type", ())
    found = {kinds} if isinstance(kinds, str) else {*kinds}
    for branch in list_branches(schema):
        inner = schema_kinds(as_object(branch))
        if not inner:
            return frozenset()
        found |= inner
    return frozenset(found)
