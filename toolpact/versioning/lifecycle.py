"""Versions side by side: which of them a tool is called in on a day, and what is said of one that will not be for ever."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from toolpact.declarations.tool import AnyTool, OlderVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """What a caller is told who speaks a version that is to be left."""

    deprecated_on: date
    """The day from which callers are told."""
    sunset_on: date | None
    """The last day on which the version is answered; None while it has none."""
    successor: str
    """The version to go to."""


def live(tool: AnyTool, today: date) -> list[str]:
    """Return the versions that *tool* is called in, the newest first."""
    return [tool.version, *(older.version for older in tool.versions if not is_over(older, today))]


def deprecated(tool: AnyTool, today: date) -> list[str]:
    """Return the versions that are answered still, and are to be left."""
    return [older.version for older in tool.versions if _is_deprecated(older, today) and not is_over(older, today)]


def is_over(older: OlderVersion, today: date) -> bool:
    """Return whether a version is answered no more: the last day was before *today*, which is one in UTC."""
    return older.sunset_on is not None and today > older.sunset_on


def deprecation(tool: AnyTool, older: OlderVersion, today: date) -> Deprecation | None:
    """Return what callers of an *older* version are told *today*; None where there is nothing to tell."""
    if older.deprecated_on is None or today < older.deprecated_on:
        return None
    return Deprecation(
        deprecated_on=older.deprecated_on, sunset_on=older.sunset_on, successor=successor(tool, older, today)
    )


def successor(tool: AnyTool, older: OlderVersion, today: date) -> str:
    """Return the version that callers of an *older* one go to: the next newer one that is not to be left itself."""
    newer = tool.versions[: tool.versions.index(older)]
    return next((each.version for each in reversed(newer) if not _is_deprecated(each, today)), tool.version)


def _is_deprecated(older: OlderVersion, today: date) -> bool:
    return (older.deprecated_on is not None and today >= older.deprecated_on) or is_over(older, today)
