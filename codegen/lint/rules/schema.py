"""Rules for each schema in the arguments and in the result of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codegen.lint.issues import Addition, Complaint
from codegen.lint.schema_walk import ARGUMENTS, RESULT, Part, words

NUMBERS = frozenset({"integer", "number"})
LISTED = ("enum", "const")
LEAST, GREATEST = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
PAGES = {"offset": 0, "skip": 0, "limit": 1, "page": 1, "page_size": 1, "per_page": 1}
"""Arguments that choose a page, and the least value of each that makes sense."""
TIMES = {
    "at": "date-time", "timestamp": "date-time", "ts": "date-time", "datetime": "date-time", "date": "date", "time": None,
}  # fmt: skip
"""What the names of times end with, and the format; none where it may be the time of a day."""
ENDLESS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|([*+]|\{[0-9]+,\})")
"""Parts of a pattern; those that repeat without end are in the group."""


def schema_complaints(part: Part) -> Iterator[Complaint]:
    """What is to be said of one schema."""
    for rule in (numbers, texts, arrays, elements, required, closed, explained, times):
        yield from rule(part)


def numbers(part: Part) -> Iterator[Complaint]:
    """A number in the arguments that may be as large or as small as one likes."""
    if part.side != ARGUMENTS or not part.types & NUMBERS or not part.lacks(*LISTED):
        return
    page = page_minimum(part)
    if page is not None and part.lacks(*LEAST):
        sentence = f'{part.about} has no least value; add "minimum": {page}'
        addition = Addition(part.node.target, "minimum", page)
        yield Complaint("PAGE_WITHOUT_MINIMUM", part.defined, sentence, additions=(addition,))
    missing = [
        (words, keywords[0])
        for words, keywords in (("least", LEAST), ("greatest", GREATEST))
        if part.lacks(*keywords) and not (keywords is LEAST and page is not None)
    ]
    if missing:
        lacks = " and no ".join(words for words, _ in missing)
        cure = " and ".join(f'"{keyword}"' for _, keyword in missing)
        sentence = f"{part.about} has no {lacks} value; add {cure}, or list the values"
        yield Complaint("NUMBER_UNBOUNDED", part.defined, sentence, facts=tuple(keyword for _, keyword in missing))


def page_minimum(part: Part) -> int | None:
    """The least value that makes sense of an argument that chooses a page; None of any other."""
    is_page = part.pointer.count("/") == 1 and part.types == {"integer"}
    return PAGES.get("_".join(words(part.name))) if is_page else None


def texts(part: Part) -> Iterator[Complaint]:
    """A text in the arguments that may be as long as one likes."""
    if part.side != ARGUMENTS or "string" not in part.types or not part.lacks("maxLength", "format", *LISTED):
        return
    if part.lacks("pattern") or not ends(str(part.node.value("pattern"))):
        sentence = f'{part.about} may be of any length; add "maxLength", or list the values'
        yield Complaint("STRING_UNBOUNDED", part.defined, sentence)


def ends(pattern: str) -> bool:
    """Whether a pattern takes texts up to some length only: it holds the whole text, and repeats nothing without end."""
    whole = pattern.startswith("^") and pattern.endswith("$") and not pattern.endswith("\\$") and "|" not in pattern
    return whole and not any(match.group(1) for match in ENDLESS.finditer(pattern))


def arrays(part: Part) -> Iterator[Complaint]:
    """An array of any length."""
    if "array" in part.types and part.lacks("maxItems", *LISTED):
        sentence = f'{part.about} may have any number of elements; add "maxItems"'
        yield Complaint("ARRAY_UNBOUNDED", part.defined, sentence)


def elements(part: Part) -> Iterator[Complaint]:
    """An array of nobody knows what."""
    if "array" in part.types and part.lacks("items", *LISTED):
        sentence = f'{part.about} does not say what its elements are; add "items"'
        yield Complaint("ARRAY_WITHOUT_ITEMS", part.defined, sentence)


def required(part: Part) -> Iterator[Complaint]:
    """An object in the result that promises nothing."""
    if part.side == RESULT and part.node.properties and part.lacks("required"):
        sentence = f'{part.about} does not say which members are always there; add "required", empty if none is'
        yield Complaint("RESULT_WITHOUT_REQUIRED", part.defined, sentence)


def closed(part: Part) -> Iterator[Complaint]:
    """An object inside the arguments that may be open or closed; of the outermost one the compiler asks it."""
    if part.side == ARGUMENTS and part.pointer and "object" in part.types and part.lacks("additionalProperties"):
        sentence = f'{part.about} does not say whether unknown members are refused; add "additionalProperties": false'
        mend = (Addition(part.node.target, "additionalProperties", value=False),) if part.node.properties else ()
        yield Complaint("ARGUMENT_OBJECT_OPEN", part.defined, sentence, additions=mend)


def explained(part: Part) -> Iterator[Complaint]:
    """An argument that says nothing about itself; an element is explained by its array."""
    is_member = part.node.place.pointer.rpartition("/")[0].endswith("/properties")
    if part.side == ARGUMENTS and is_member and part.lacks("description"):
        sentence = f'{part.about} has no description; say in "description" what it means'
        yield Complaint("ARGUMENT_UNEXPLAINED", part.place, sentence)


def times(part: Part) -> Iterator[Complaint]:
    """A text that is a time by its name, and by nothing else."""
    last = words(part.name)[-1:]
    if part.types != {"string"} or not last or last[0] not in TIMES or not part.lacks("format", "pattern", *LISTED):
        return
    form = TIMES[last[0]]
    cure = f'"format": "{form}"' if form else '"format", or a "pattern" where it is the time of a day'
    sentence = f"{part.about} is a time by its name, and of no format; add {cure}"
    mend = (Addition(part.node.target, "format", form),) if form else ()
    yield Complaint("TIME_WITHOUT_FORMAT", part.defined, sentence, additions=mend)
