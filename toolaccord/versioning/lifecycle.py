"""Lifecycle of a tool's versions: live, deprecated or past their sunset, on a given day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from toolaccord.declarations.operation import AnyOperation, OlderVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """Notice to the callers of a deprecated version."""

    deprecated_on: date
    """The first day of the deprecation."""
    sunset_on: date | None
    """The last day on which the version is answered; None while it has none."""
    successor: str
    """The version to call instead."""


def live_versions(tool: AnyOperation, today: date) -> list[str]:
    """Return the versions of *tool* that are answered, the newest first."""
    return [tool.version, *(older.version for older in tool.versions if not is_past_sunset(older, today))]


def deprecated_versions(tool: AnyOperation, today: date) -> list[str]:
    """Return the versions of *tool* that are answered and deprecated, the newest first."""
    return [
        older.version for older in tool.versions if _is_deprecated(older, today) and not is_past_sunset(older, today)
    ]


def is_past_sunset(older: OlderVersion, today: date) -> bool:
    """Return whether the version is no longer answered; *today* is a day in UTC."""
    return older.sunset_on is not None and today > older.sunset_on


def deprecation_of(tool: AnyOperation, older: OlderVersion, today: date) -> Deprecation | None:
    """Return the notice to callers of an *older* version; None while it is not deprecated."""
    if older.deprecated_on is None or today < older.deprecated_on:
        return None
    successor = successor_of(tool, older, today)
    return Deprecation(deprecated_on=older.deprecated_on, sunset_on=older.sunset_on, successor=successor)


def successor_of(tool: AnyOperation, older: OlderVersion, today: date) -> str:
    """Return the next newer version that is not deprecated itself."""
    newer = tool.versions[: tool.versions.index(older)]
    return next((each.version for each in reversed(newer) if not _is_deprecated(each, today)), tool.version)


def _is_deprecated(older: OlderVersion, today: date) -> bool:
    return (older.deprecated_on is not None and today >= older.deprecated_on) or is_past_sunset(older, today)
