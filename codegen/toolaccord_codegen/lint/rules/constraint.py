"""Lint rule for constraints that stand only in keywords which hosts drop.

Codex, for one, shows models no `pattern`, bound, length, `format` or `default`. The description is all that is left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.rules.schema import ENUMERATED
from toolaccord_codegen.lint.schema_walk import ARGUMENTS, Part
from toolaccord_codegen.loading.json_equality import contains_json

BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minLength", "maxLength")
HARMLESS_MAXIMUM = 1_000_000
"""From this on a bound protects the server only, and no model comes near it."""
EXAMPLE = re.compile(r"\b(?:e\.g\.|such as|for example)|\b(?:letters?|digits?|capitals?|characters?)\b", re.IGNORECASE)
"""Words by which a description explains a pattern."""
ABSENCE = re.compile(r"\b(?:default|absent|without|if not given)\b", re.IGNORECASE)
"""Words by which a description says what an absent argument means."""
FORMATS = {
    "date": re.compile(r"YYYY-MM-DD|ISO 8601|RFC 3339|\d{4}-\d\d-\d\d"),
    "date-time": re.compile(r"ISO 8601|RFC 3339|\d{4}-\d\d-\d\dT"),
    "uuid": re.compile(r"UUID"),
}
"""Words by which a description explains a format."""


def check_constraints(part: Part) -> Iterator[Issue]:
    """Yield an argument whose description does not say what its keywords demand."""
    if part.side != ARGUMENTS or part.lacks("description"):
        return
    if missing := [keyword for keyword in _constraints(part) if not _is_explained(part, keyword)]:
        listed = ", ".join(f'"{keyword}": {json.dumps(part.node.value(keyword))}' for keyword in missing)
        message = f'{part.label} is constrained by {listed}, which some hosts drop; say it in "description"'
        yield Issue("CONSTRAINT_UNEXPLAINED", part.place, message, facts=tuple(missing))


def _constraints(part: Part) -> Iterator[str]:
    """Yield the keywords whose constraints a model cannot guess."""
    keywords = part.node.keywords
    if "default" in keywords and not contains_json([None, False, 0], keywords["default"]):
        yield "default"
    if part.lacks(*ENUMERATED):
        yield from (bound for bound in BOUNDS if bound in keywords and not _is_harmless(bound, keywords[bound]))
        if "pattern" in keywords and not str(keywords["pattern"]).startswith("^[^"):
            yield "pattern"
        if keywords.get("format") in FORMATS:
            yield "format"


def _is_harmless(bound: str, value: Any) -> bool:
    """Return True for a lower bound of 0 or 1, and for a bound that only protects the server."""
    is_lower = bound in {"minimum", "exclusiveMinimum", "minLength"}
    return (is_lower and value in {0, 1}) or abs(value) >= HARMLESS_MAXIMUM


def _is_explained(part: Part, keyword: str) -> bool:
    description, value = str(part.node.value("description")), part.node.value(keyword)
    if keyword == "pattern":
        return EXAMPLE.search(description) is not None
    if keyword == "format":
        return FORMATS[value].search(description) is not None
    if keyword == "default" and not ABSENCE.search(description):
        return False
    return _names(description, value)


def _names(description: str, value: Any) -> bool:
    """Return True if a *description* names a *value*; digits may be grouped by commas."""
    text = f"{value:,}" if isinstance(value, int) else str(value)
    forms = "|".join(re.escape(form) for form in (text, str(value)))
    return re.search(rf"(?<![\w.,-])(?:{forms})(?![\w-]|[.,]\d)", description, re.IGNORECASE) is not None
