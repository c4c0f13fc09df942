"""Rules for the dates of versions that are kept beside the newest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from itertools import pairwise

from codegen.lint.issues import Complaint
from codegen.lint.schema_walk import Subject
from codegen.loading.schema_nodes import ContractValue

APART = timedelta(days=30)
"""What callers get between one step in the life of a version and the next."""
LIFE = ("released_on", "deprecated_on", "sunset_on")
"""The steps, in their order."""


def date_complaints(subject: Subject, today: date) -> Iterator[Complaint]:
    """What is to be said of the dates of a tool's versions."""
    for version in (subject.tool, *subject.tool.listed("versions")):
        yield from too_close(version)
        yield from passed(subject, version, today)


def too_close(version: ContractValue) -> Iterator[Complaint]:
    """Steps of which callers hear too late."""
    said = [(key, moment) for key in LIFE if (moment := day(version, key))]
    for (before, first), (after, second) in pairwise(said):
        if second - first < APART:
            sentence = (
                f"{after} {second} is {(second - first).days} days after {before} {first}; "
                f"leave callers {APART.days}: {first + APART} at the earliest"
            )
            yield Complaint("DATES_TOO_CLOSE", version.at(after).place, sentence, (str(first), str(second)))


def passed(subject: Subject, version: ContractValue, today: date) -> Iterator[Complaint]:
    """A version that nobody can call any more."""
    sunset = day(version, "sunset_on")
    if sunset and sunset < today:
        sentence = f"{subject.name} {version.at('version').value} is refused since its sunset; remove it from versions"
        yield Complaint("SUNSET_PASSED", version.at("sunset_on").place, sentence, (str(sunset),))


def day(version: ContractValue, key: str) -> date | None:
    """The date under a key; None where there is none."""
    with suppress(ValueError):
        return date.fromisoformat(str(version.at(key).value))
    return None
