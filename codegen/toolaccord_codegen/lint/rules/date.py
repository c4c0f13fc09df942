"""Lint rules for the dates of versions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.schema_walk import LintedTool
from toolaccord_codegen.loading.scalars import parse_date
from toolaccord_codegen.loading.schema_nodes import ContractValue

MIN_GAP = timedelta(days=30)
"""Time between one step of a version's life and the next."""
LIFECYCLE = ("released_on", "deprecated_on", "sunset_on")
"""Keys of the steps, in chronological order."""


def check_dates(subject: LintedTool, today: date) -> Iterator[Issue]:
    """Yield issues with the dates of a tool's versions."""
    for version in (subject.tool, *subject.tool.listed("versions")):
        yield from _check_gaps(version)
        yield from _check_sunset(subject, version, today)
        if (deprecated := version.at("deprecated_on")).value and not version.at("sunset_on").value:
            message = (
                f"{subject.name} {version.at('version').value} is deprecated and has no sunset_on; name its last day"
            )
            yield Issue("SUNSET_MISSING", deprecated.place, message)


def _check_gaps(version: ContractValue) -> Iterator[Issue]:
    """Yield dates that are too close to the one before."""
    dates = [(key, moment) for key in LIFECYCLE if (moment := _date_at(version, key))]
    for (first_key, first), (second_key, second) in pairwise(dates):
        if second - first < MIN_GAP:
            message = (
                f"{second_key} {second} is {(second - first).days} days after {first_key} {first}; "
                f"give callers {MIN_GAP.days} days: {first + MIN_GAP} or later"
            )
            yield Issue("DATES_TOO_CLOSE", version.at(second_key).place, message, (str(first), str(second)))


def _check_sunset(subject: LintedTool, version: ContractValue, today: date) -> Iterator[Issue]:
    """Yield a version whose sunset has passed."""
    sunset = _date_at(version, "sunset_on")
    if sunset and sunset < today:
        message = f"{subject.name} {version.at('version').value} is past its sunset and no longer answered; remove it from versions"
        yield Issue("SUNSET_PASSED", version.at("sunset_on").place, message, (str(sunset),))


def _date_at(version: ContractValue, key: str) -> date | None:
    """Return the date under a key, or None."""
    return parse_date(version.at(key).value)
