"""Numbers of versions, and the ranges in which one version answers callers of another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

Version: TypeAlias = tuple[int, int, int]
"""Major, minor and patch."""

_NUMBER = "(0|[1-9][0-9]{0,17})"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}")


def parse_version(text: Any) -> Version | None:
    """Return the numbers of a version; None for any other value."""
    match = _VERSION.fullmatch(text) if isinstance(text, str) else None
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


def find_answering(named: Any, offered: Sequence[str]) -> str | None:
    """Return the version that answers callers of *named*; *offered* has the newest first.

    It is the oldest one that is not older and in the same range: of the same major version, and below 1.0.0 also of
    the same minor one. A range holds compatible versions, since a break needs the next one. Else it is the newest that
    differs by its patch alone, which from 1.0.0 on has the same shape. None if there is neither.
    """
    wanted = parse_version(named)
    if wanted is None:
        return None
    parsed = [(each, parse_version(each) or wanted) for each in offered]
    fixed = 1 if wanted[0] else 2
    later = [name for name, version in parsed if version[:fixed] == wanted[:fixed] and version >= wanted]
    earlier_patches = [name for name, version in parsed if wanted[0] and version[:2] == wanted[:2]]
    return next(iter([*later[-1:], *earlier_patches]), None)
