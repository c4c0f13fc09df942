"""Descriptions of arguments, which say what some hosts drop: bounds, formats and defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.postgresql.forms import BASE64
from toolaccord_codegen.drafts.roots import find_example

Schema = dict[str, Any]
_FORMATS: Mapping[str, str] = {"date": "as YYYY-MM-DD", "date-time": "as in RFC 3339", "uuid": "a UUID"}
_RANGES = (
    (("minLength",), ("maxLength",), " characters"),
    (("minItems",), ("maxItems",), " items"),
    (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"), ""),
)
"""The keywords of lower and upper bounds, with their unit."""
LARGEST_TOLD = 1_000_000
"""Largest bound that a description tells; larger ones protect PostgreSQL alone."""


def explain(argument: Schema) -> Schema:
    """Return an argument whose description says what its keywords demand."""
    parts = [*_list_parts(argument)]
    if not parts:
        return argument
    return {**argument, "description": f"{argument['description'].rstrip('.')}; {', '.join(parts)}"}


def _list_parts(argument: Schema) -> Iterator[str]:
    """Yield what the keywords demand, as words."""
    if argument.get("format") in _FORMATS:
        yield _FORMATS[argument["format"]]
    for lower, upper, unit in _RANGES:
        if words := _describe_range(argument, lower, upper):
            yield f"{words}{unit}"
    if example := _find_example(argument.get("pattern")):
        yield example
    if "default" in argument:
        default = argument["default"]
        yield f"{default if isinstance(default, str) and default else json.dumps(default)} if absent"


def _find_example(pattern: str | None) -> str:
    """Return words on a pattern; none where no text is found that it admits."""
    if pattern == BASE64:
        return "in base64, such as AAEC"
    found = pattern and find_example({"type": "string", "pattern": pattern}, Definitions(None))
    return f"such as {found}" if found else ""


def _describe_range(argument: Schema, lower: Sequence[str], upper: Sequence[str]) -> str:
    """Return the bounds that are worth telling."""
    bounds = [
        f"{phrase} {json.dumps(argument[keyword])}"
        for keywords, phrases in ((lower, ("at least", "above")), (upper, ("at most", "below")))
        for keyword, phrase in zip(keywords, phrases, strict=False)
        if keyword in argument and abs(argument[keyword]) < LARGEST_TOLD
    ]
    return " and ".join(bounds)
