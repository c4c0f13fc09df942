"""Rules for changes of schemas.

Inputs may accept more and outputs may promise more. The reverse breaks callers.
"""

from __future__ import annotations

from toolaccord_codegen.breaking.rule import MAJOR, MINOR, NOTE, PATCH, RISKY, Impacts, Rule

NARROWS: Impacts = {"input": MAJOR, "output": MINOR}
"""Fewer values than before: callers may send values that are now rejected."""
WIDENS: Impacts = {"input": MINOR, "output": MAJOR}
"""More values than before: callers may receive unexpected values."""
RELAXED: Impacts = {"output": RISKY}
"""The lenient profile's impact of a weaker promise."""

TAKE_BACK = "revert the change, or give the tool a new major version and keep the old one callable"
TAKE_MORE = f"keep accepting the old values; else {TAKE_BACK}"
PROMISE = f"keep the old promise; else {TAKE_BACK}"


def _narrowing(name: str, summary: str) -> Rule:
    """Return a rule for a schema that admits fewer values."""
    return Rule(name, summary, TAKE_MORE, NARROWS)


def _widening(name: str, summary: str) -> Rule:
    """Return a rule for a schema that admits more values."""
    return Rule(name, summary, PROMISE, WIDENS, lenient=RELAXED)


def _replacing(name: str, summary: str) -> Rule:
    """Return a rule for a schema that admits other values, or provably only more or fewer."""
    return Rule(name, summary, TAKE_BACK, {"": MAJOR, "input wider": MINOR, "output narrower": MINOR})


SCHEMA_RULES = (
    _replacing("TYPE_CHANGED", "the type changed"),
    _narrowing("TYPE_NARROWED", "fewer types are allowed"),
    _widening("TYPE_WIDENED", "more types are allowed"),
    _narrowing("NULL_REMOVED", "null is no longer allowed"),
    _widening("NULL_ADDED", "null is now allowed"),
    Rule(
        "ENUM_VALUE_REMOVED",
        "an enum lost a value",
        f"keep the value; else {TAKE_BACK}",
        {"": MAJOR, "output elsewhere": MINOR},
        lenient={"output": RISKY},
    ),
    Rule(
        "ENUM_VALUE_ADDED",
        "an enum gained a value",
        'first release a version that declares that the enum may grow ("x-extensible-enum": true) and what '
        f'an unknown value means ("x-unknown": one of the values); else {TAKE_BACK}',
        {"input": MINOR, "output": MAJOR, "output extensible": MINOR},
        strict={"output extensible": MAJOR},
        lenient=RELAXED,
    ),
    _narrowing("ENUM_ADDED", "any value was allowed, now only some are"),
    _widening("ENUM_REMOVED", "only some values were allowed, now any value is"),
    Rule("CONST_CHANGED", "the constant changed", TAKE_BACK, {"": MAJOR, "input wider": MINOR}),
    _narrowing("BOUND_TIGHTENED", "the range of a number is smaller"),
    _widening("BOUND_RELAXED", "the range of a number is larger"),
    _narrowing("LENGTH_TIGHTENED", "the allowed lengths of a text are fewer"),
    _widening("LENGTH_RELAXED", "the allowed lengths of a text are more"),
    _narrowing("ITEM_COUNT_TIGHTENED", "the allowed lengths of an array are fewer"),
    _widening("ITEM_COUNT_RELAXED", "the allowed lengths of an array are more"),
    _narrowing("PATTERN_ADDED", "a text must match a pattern"),
    _widening("PATTERN_REMOVED", "a text no longer has to match a pattern"),
    _replacing("PATTERN_CHANGED", "a text must match another pattern"),
    _narrowing("FORMAT_ADDED", "a text must have a format"),
    _widening("FORMAT_REMOVED", "a text no longer has to have a format"),
    Rule(
        "FORMAT_CHANGED",
        "a text must have another format",
        TAKE_BACK,
        {
            "": MAJOR,
            "input wider": MINOR,
            "output narrower": MINOR,
            "input unchecked": PATCH,
            "output unchecked": PATCH,
        },
    ),
    _narrowing("MULTIPLE_OF_TIGHTENED", "a number must be a multiple of a larger step"),
    _widening("MULTIPLE_OF_RELAXED", "a number may be a multiple of a smaller step"),
    _replacing("MULTIPLE_OF_CHANGED", "a number must be a multiple of another step"),
    Rule(
        "FIELD_ADDED_OPTIONAL",
        "an object has a new optional member",
        "first release a version with an open object: clients that validate results against the old schema "
        f"reject unknown members; else {TAKE_BACK}",
        {"input": MINOR, "input open": RISKY, "output": MAJOR}
        | dict.fromkeys(("output open", "output map", "output covered"), MINOR),
        strict={"input open": MAJOR},
        lenient={"input open": MINOR, "output": RISKY},
    ),
    Rule(
        "FIELD_ADDED_REQUIRED",
        "an object has a new required member",
        f"make the member optional, with a default; else {TAKE_BACK}",
        {"": MAJOR} | dict.fromkeys(("output open", "output map", "output covered", "input covered"), MINOR),
        lenient={"output": RISKY},
    ),
    Rule(
        "FIELD_REMOVED",
        "an object lost a member",
        f"keep the member; else {TAKE_BACK}",
        {"": MAJOR, "input open": RISKY, "input map": MINOR, "input covered": MINOR},
        strict={"input open": MAJOR},
        lenient={"input open": MINOR},
    ),
    Rule(
        "FIELD_RENAMED", "a member was renamed", f"keep the old name beside the new one; else {TAKE_BACK}", {"": MAJOR}
    ),
    _narrowing("REQUIRED_ADDED", "an optional member is now required"),
    _widening("REQUIRED_REMOVED", "a required member is now optional"),
    _narrowing("OBJECT_CLOSED", "an object no longer allows unnamed members"),
    _widening("OBJECT_OPENED", "an object now allows unnamed members"),
    Rule(
        "UNION_MEMBER_REMOVED",
        "a union lost an alternative",
        f"keep the alternative; else {TAKE_BACK}",
        {**NARROWS, "output tagged": MAJOR},
        lenient={"output tagged": RISKY},
    ),
    _widening("UNION_MEMBER_ADDED", "a union gained an alternative"),
    _narrowing("SCHEMA_NARROWED", "the schema as a whole admits less, for a reason that no other rule names"),
    _widening("SCHEMA_WIDENED", "the schema as a whole admits more, for a reason that no other rule names"),
    Rule(
        "ENUM_GROWTH_CHANGED",
        "an enum may grow from now on, or no longer",
        "only the version has to change",
        {"input": PATCH, "output": MINOR},
    ),
    Rule(
        "ENUM_UNKNOWN_CHANGED",
        "callers take an unknown value of an enum for another one",
        "keep x-unknown; or announce it to callers, and accept this",
        {"input": PATCH, "output": RISKY, "output unsaid": MINOR},
    ),
    Rule(
        "UNIT_CHANGED",
        "a number has another unit, so that the same number is another amount",
        f"keep the unit, and give the other unit a member of its own; else {TAKE_BACK}",
        {"": MAJOR, "input unsaid": NOTE, "output unsaid": NOTE},
    ),
    Rule(
        "DEFAULT_CHANGED",
        "an absent value has another default",
        "keep the default and let callers request the new value; or describe the change and accept this",
        {"": RISKY},
        strict={"input": MAJOR},
    ),
    Rule(
        "DESCRIPTION_CHANGED",
        "models read another description",
        "read it as a model would, because every prompt contains it; accept this if it is right",
        {"": PATCH, " tool": NOTE, "input": NOTE},
        lenient={" tool": PATCH, "input": PATCH},
    ),
    Rule("TITLE_CHANGED", "users see another title", "only the version has to change", {"": PATCH}),
    Rule(
        "PAGE_MAX_LOWERED", "a page can hold fewer items", f"keep the maximum of limit; else {TAKE_BACK}", {"": MAJOR}
    ),
    Rule(
        "PAGE_DEFAULT_CHANGED",
        "a page has another default size",
        "keep the default of limit; or accept this if callers read has_more",
        {"": RISKY},
        strict={"": MAJOR},
    ),
)
