"""Templates of pages. Every text of a contract or of a page is escaped on its way into one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from toolaccord.contract.sources import Source
from toolaccord.semantics.effects import may_change
from toolaccord.semantics.version_steps import ABSENT
from toolaccord_codegen.diagnostics import escape_unprintable
from toolaccord_codegen.ir.sources import list_used_settings, list_values
from toolaccord_codegen.site.policies import (
    describe_condition,
    describe_milliseconds,
    describe_rate_limit,
    describe_seconds,
    describe_step,
    join,
)
from toolaccord_codegen.site.schema_fields import Field, format_number, list_fields, list_result_fields

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufeff\ufffe\uffff\ud800-\udfff]"
)
"""Characters that a browser would obey or reject instead of showing them."""


def render(template: str, **values: Any) -> Markup:
    """Render `{template}.html.jinja`."""
    return Markup(_load_templates().get_template(f"{template}.html.jinja").render(**values))  # noqa: S704 - escapes


@cache
def _load_templates() -> Environment:
    """Load the templates with their filters."""
    environment = Environment(
        loader=PackageLoader("toolaccord_codegen.site"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        finalize=_finalize,
    )
    environment.filters |= {
        "anchored": _anchor_fields,
        "code": highlight_code,
        "condition": describe_condition,
        "fields": lambda schema: list(list_fields(schema)),
        "join_words": join,
        "json_code": lambda value: highlight_code(json.dumps(value, indent=2, ensure_ascii=False), "json"),
        "limits": _list_limits,
        "milliseconds": describe_milliseconds,
        "number": format_number,
        "paragraphs": split_paragraphs,
        "rate_limit": describe_rate_limit,
        "result_fields": list_result_fields,
        "script_json": _embed_json,
        "seconds": describe_seconds,
        "settings": lambda source: [setting for _, setting in list_used_settings(source)],
        "step": describe_step,
        "url": quote_path,
    }
    environment.tests["absent"] = lambda value: value is ABSENT
    environment.tests["changing"] = may_change
    return environment


def _finalize(value: Any) -> Any:
    """Make the hidden characters of a text visible; markup stays."""
    return show_hidden(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def show_hidden(text: str) -> str:
    """Return a text with an escape for each character that a browser would obey or reject."""
    return OBEYED.sub(lambda found: escape_unprintable(found[0]), text)


@cache
def _make_formatter() -> HtmlFormatter[str]:
    return HtmlFormatter(nowrap=True)


def highlight_code(text: str, language: str = "text") -> Markup:
    """Return a block of code with the classes of pygments; an unknown language is plain text."""
    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    coloured = highlight(show_hidden(text), lexer, _make_formatter()).rstrip("\n")
    return Markup('<pre tabindex="0"><code>{}</code></pre>').format(Markup(coloured))  # noqa: S704 - pygments escapes


def quote_path(path: str) -> str:
    """Quote a path, or an anchor, for a link."""
    return quote(path, safe="/*~")


def _anchor_fields(fields: Iterable[Field], prefix: str) -> list[tuple[str, Field]]:
    """Return fields with their ids; one at the place of another has none, as an alternative."""
    first: dict[str, Field] = {}
    listed = [(make_anchor(prefix, field), field) for field in fields]
    for anchor, field in listed:
        first.setdefault(anchor, field)
    return [(anchor if field.pointer and first[anchor] is field else "", field) for anchor, field in listed]


def make_anchor(prefix: str, field: Field) -> str:
    """Return the id of a field's row."""
    return f"{prefix}{quote_path(field.pointer)}"


def _list_limits(source: Source) -> dict[str, Any]:
    """Return the values of a source that are not in settings, by key."""
    others = {"name", *(keys[0] for keys, _ in list_used_settings(source))}
    return {key: value for key, value in list_values(source).items() if key not in others}


def split_paragraphs(text: str) -> list[str]:
    """Split a text at its empty lines."""
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def _embed_json(value: Any) -> Markup:
    """Return JSON for a script element, which no text in it ends."""
    text = json.dumps(value)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704
