"""Lint rules for each schema in the arguments and the result of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolaccord_codegen.lint.issues import Addition, Issue
from toolaccord_codegen.lint.schema_walk import ARGUMENTS, RESULT, Part, split_words

NUMBERS = frozenset({"integer", "number"})
ENUMERATED = ("enum", "const")
LOWER_BOUNDS, UPPER_BOUNDS = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
PAGE_MINIMUMS = {"offset": 0, "skip": 0, "limit": 1, "page": 1, "page_size": 1, "per_page": 1}
"""Paging arguments and the lowest sensible value of each."""
TIME_FORMATS = {
    "at": "date-time", "timestamp": "date-time", "ts": "date-time", "datetime": "date-time", "date": "date", "time": None,
}  # fmt: skip
"""Last words of time names and their formats. None may be a time of day."""
UNBOUNDED_REPETITION = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|([*+]|\{[0-9]+,\})")
"""Tokens of a pattern. The group matches unbounded repetitions."""


def check_schema(part: Part) -> Iterator[Issue]:
    """Yield issues with one schema."""
    for rule in (
        _check_number,
        _check_string,
        _check_array,
        _check_items,
        _check_required,
        _check_closed,
        _check_description,
        _check_time,
    ):
        yield from rule(part)


def _check_number(part: Part) -> Iterator[Issue]:
    """Yield a number in the arguments without bounds."""
    if part.side != ARGUMENTS or not part.types & NUMBERS or not part.lacks(*ENUMERATED):
        return
    page = _page_minimum(part)
    if page is not None and part.lacks(*LOWER_BOUNDS):
        message = f'{part.label} has no minimum; add "minimum": {page}'
        addition = Addition(part.node.target, "minimum", page)
        yield Issue("PAGE_WITHOUT_MINIMUM", part.definition, message, additions=(addition,))
    missing = [
        (bound, keywords[0])
        for bound, keywords in (("minimum", LOWER_BOUNDS), ("maximum", UPPER_BOUNDS))
        if part.lacks(*keywords) and not (keywords is LOWER_BOUNDS and page is not None)
    ]
    if missing:
        bounds = " and no ".join(bound for bound, _ in missing)
        cure = " and ".join(f'"{keyword}"' for _, keyword in missing)
        message = f"{part.label} has no {bounds}; add {cure}, or list the values"
        yield Issue("NUMBER_UNBOUNDED", part.definition, message, facts=tuple(keyword for _, keyword in missing))


def _page_minimum(part: Part) -> int | None:
    """Return the lowest sensible value of a paging argument, or None for others."""
    is_page = part.pointer.count("/") == 1 and part.types == {"integer"}
    return PAGE_MINIMUMS.get("_".join(split_words(part.name))) if is_page else None


def _check_string(part: Part) -> Iterator[Issue]:
    """Yield a text in the arguments without a maximum length."""
    if part.side != ARGUMENTS or "string" not in part.types or not part.lacks("maxLength", *ENUMERATED):
        return
    if part.node.format(checked=True):
        return
    if part.lacks("pattern") or not _is_bounded(str(part.node.value("pattern"))):
        message = f'{part.label} has no maximum length; add "maxLength", or list the values'
        yield Issue("STRING_UNBOUNDED", part.definition, message)


def _is_bounded(pattern: str) -> bool:
    """Return True if a pattern limits the length: anchored and without unbounded repetition."""
    whole = pattern.startswith("^") and pattern.endswith("$") and not pattern.endswith("\\$") and "|" not in pattern
    return whole and not any(match.group(1) for match in UNBOUNDED_REPETITION.finditer(pattern))


def _check_array(part: Part) -> Iterator[Issue]:
    """Yield an array without a maximum number of items."""
    if "array" in part.types and part.lacks("maxItems", *ENUMERATED):
        message = f'{part.label} has no maximum number of items; add "maxItems"'
        yield Issue("ARRAY_UNBOUNDED", part.definition, message)


def _check_items(part: Part) -> Iterator[Issue]:
    """Yield an array that does not define its items."""
    if "array" in part.types and part.lacks("items", *ENUMERATED):
        message = f'{part.label} does not define its items; add "items"'
        yield Issue("ARRAY_WITHOUT_ITEMS", part.definition, message)


def _check_required(part: Part) -> Iterator[Issue]:
    """Yield an object in the result without `required`."""
    if part.side == RESULT and part.node.properties and part.lacks("required"):
        message = f'{part.label} does not list its required members; add "required", empty if there are none'
        yield Issue("RESULT_WITHOUT_REQUIRED", part.definition, message)


def _check_closed(part: Part) -> Iterator[Issue]:
    """Yield a nested object in the arguments without `additionalProperties`.

    The compiler requires the keyword of the outermost object.
    """
    if part.side == ARGUMENTS and part.pointer and "object" in part.types and part.lacks("additionalProperties"):
        message = f'{part.label} does not say if unknown members are allowed; add "additionalProperties": false'
        additions = (Addition(part.node.target, "additionalProperties", value=False),) if part.node.properties else ()
        yield Issue("ARGUMENT_OBJECT_OPEN", part.definition, message, additions=additions)


def _check_description(part: Part) -> Iterator[Issue]:
    """Yield an argument without a description. Array items need none."""
    is_member = part.node.place.pointer.rpartition("/")[0].endswith("/properties")
    if part.side == ARGUMENTS and is_member and part.lacks("description"):
        message = f'{part.label} has no description; explain it in "description"'
        yield Issue("ARGUMENT_UNEXPLAINED", part.place, message)


def _check_time(part: Part) -> Iterator[Issue]:
    """Yield a text named like a time without a format."""
    last = split_words(part.name)[-1:]
    if (
        part.types != {"string"}
        or not last
        or last[0] not in TIME_FORMATS
        or not part.lacks("format", "pattern", *ENUMERATED)
    ):
        return
    time_format = TIME_FORMATS[last[0]]
    cure = f'"format": "{time_format}"' if time_format else '"format", or a "pattern" where it is the time of a day'
    message = f"{part.label} is a time by its name and has no format; add {cure}"
    additions = (Addition(part.node.target, "format", time_format),) if time_format else ()
    yield Issue("TIME_WITHOUT_FORMAT", part.definition, message, additions=additions)
