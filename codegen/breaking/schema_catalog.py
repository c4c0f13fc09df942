"""The rules for schemas, as data. Inputs may take more and outputs may promise more; the reverse breaks somebody."""

from __future__ import annotations

from codegen.breaking.rule import MAJOR, MINOR, NOTE, PATCH, RISKY, Rule, Verdicts

NARROWS: Verdicts = {"input": MAJOR, "output": MINOR}
"""Fewer values than before: callers may send what is refused now."""
WIDENS: Verdicts = {"input": MINOR, "output": MAJOR}
"""More values than before: callers may get what was never promised."""
BOTH: Verdicts = {"": MAJOR}
RELAXED: Verdicts = {"output": RISKY}
"""What the lenient profile makes of a promise that got weaker."""

TAKE_BACK = "take the change back, or give the tool a new major version and keep the old one callable"
TAKE_MORE = f"go on taking what was taken; else {TAKE_BACK}"
PROMISE = f"go on promising what was promised; else {TAKE_BACK}"


def narrower(name: str, summary: str) -> Rule:
    """A rule for a schema that admits less than before."""
    return Rule(id=name, summary=summary, cure=TAKE_MORE, default=NARROWS)


def wider(name: str, summary: str) -> Rule:
    """A rule for a schema that admits more than before."""
    return Rule(id=name, summary=summary, cure=PROMISE, default=WIDENS, lenient=RELAXED)


def other(name: str, summary: str) -> Rule:
    """A rule for a schema that admits other values than before."""
    return Rule(id=name, summary=summary, cure=TAKE_BACK, default=BOTH)


SCHEMA_RULES = (
    other("TYPE_CHANGED", "the type is another"),
    narrower("TYPE_NARROWED", "fewer types are allowed"),
    wider("TYPE_WIDENED", "more types are allowed"),
    narrower("NULL_REMOVED", "null is no longer allowed"),
    wider("NULL_ADDED", "null is allowed"),
    Rule(
        id="ENUM_VALUE_REMOVED",
        summary="a value of an enum is gone",
        cure=f"keep the value; else {TAKE_BACK}",
        default={"": MAJOR},
        lenient={"output": RISKY},
    ),
    Rule(
        id="ENUM_VALUE_ADDED",
        summary="an enum has a new value",
        cure='declare beforehand, in a version of its own, that the enum may grow ("x-extensible-enum": true) and what '
        f'an unknown value stands for ("x-unknown": one of the values); else {TAKE_BACK}',
        default={"input": MINOR, "output": MAJOR, "output extensible": MINOR},
        strict={"output extensible": MAJOR},
        lenient=RELAXED,
    ),
    narrower("ENUM_ADDED", "any value was allowed, now only some are"),
    wider("ENUM_REMOVED", "some values were allowed, now any is"),
    other("CONST_CHANGED", "the one value is another"),
    narrower("BOUND_TIGHTENED", "a number may be less large or less small"),
    wider("BOUND_RELAXED", "a number may be larger or smaller"),
    narrower("LENGTH_TIGHTENED", "a text may be less long or less short"),
    wider("LENGTH_RELAXED", "a text may be longer or shorter"),
    narrower("ITEM_COUNT_TIGHTENED", "an array may have fewer or must have more elements"),
    wider("ITEM_COUNT_RELAXED", "an array may have more or need have fewer elements"),
    narrower("PATTERN_ADDED", "a text must match a pattern"),
    wider("PATTERN_REMOVED", "a text need no longer match a pattern"),
    Rule(
        id="PATTERN_CHANGED",
        summary="a text must match another pattern",
        cure=TAKE_BACK,
        default={"": MAJOR, "input wider": MINOR, "output narrower": MINOR},
    ),
    narrower("FORMAT_ADDED", "a text must have a format"),
    wider("FORMAT_REMOVED", "a text need no longer have a format"),
    other("FORMAT_CHANGED", "a text must have another format"),
    narrower("MULTIPLE_OF_TIGHTENED", "a number must be a multiple of more"),
    wider("MULTIPLE_OF_RELAXED", "a number need be a multiple of less"),
    other("MULTIPLE_OF_CHANGED", "a number must be a multiple of something else"),
    Rule(
        id="FIELD_ADDED_OPTIONAL",
        summary="an object may have a member that it had not",
        cure="let the object be open in a version of its own before members are added: clients that hold results against the schema that "
        f"they know refuse what it does not name; else {TAKE_BACK}",
        default={"input": MINOR, "input open": RISKY, "output": MAJOR, "output open": MINOR},
        strict={"input open": MAJOR},
        lenient={"input open": MINOR, "output": RISKY},
    ),
    Rule(
        id="FIELD_ADDED_REQUIRED",
        summary="an object must have a member that it had not",
        cure=f"make the member optional, with a default; else {TAKE_BACK}",
        default={"input": MAJOR, "output": MAJOR, "output open": MINOR},
        lenient={"output": RISKY},
    ),
    Rule(
        id="FIELD_REMOVED",
        summary="an object no longer has a member",
        cure=f"keep the member; else {TAKE_BACK}",
        default={"input": MAJOR, "input open": RISKY, "output": MAJOR},
        strict={"input open": MAJOR},
        lenient={"input open": MINOR},
    ),
    Rule(
        id="FIELD_RENAMED",
        summary="a member has another name",
        cure=f"keep the old name beside the new one; else {TAKE_BACK}",
        default={"": MAJOR},
    ),
    narrower("REQUIRED_ADDED", "a member that could be absent must be there"),
    wider("REQUIRED_REMOVED", "a member that was always there may be absent"),
    narrower("OBJECT_CLOSED", "an object may no longer have members that are not named"),
    wider("OBJECT_OPENED", "an object may have members that are not named"),
    narrower("UNION_MEMBER_REMOVED", "an alternative is gone"),
    wider("UNION_MEMBER_ADDED", "there is another alternative"),
    narrower("SCHEMA_NARROWED", "the schema as a whole admits less, in a way that no other rule names"),
    wider("SCHEMA_WIDENED", "the schema as a whole admits more, in a way that no other rule names"),
    Rule(
        id="DEFAULT_CHANGED",
        summary="another value is taken for an absent one",
        cure="keep the default, and let callers ask for the new value; or say in the description what changed, and accept this",
        default={"": RISKY},
        strict={"input": MAJOR},
    ),
    Rule(
        id="DESCRIPTION_CHANGED",
        summary="models are told something else",
        cure="read it as a model would: a description is part of every prompt; accept this when it says what is meant",
        default={"": PATCH, " tool": NOTE, "input": NOTE},
        lenient={" tool": PATCH, "input": PATCH},
    ),
    Rule(
        id="TITLE_CHANGED",
        summary="people are shown another name",
        cure="nothing but the version has to change",
        default={"": PATCH},
    ),
    Rule(
        id="PAGE_MAX_LOWERED",
        summary="a page holds fewer items at most",
        cure=f"keep the maximum of limit; else {TAKE_BACK}",
        default={"": MAJOR},
    ),
    Rule(
        id="PAGE_DEFAULT_CHANGED",
        summary="a page has another size where none is asked for",
        cure="keep the default of limit; or accept this when callers read has_more",
        default={"": RISKY},
        strict={"": MAJOR},
    ),
)
