"""The index that pages search, as a script: browsers load no JSON from files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

ASSET = "assets/search-index.js"


class Entry(NamedTuple):
    """Something that readers look for."""

    title: str
    kind: str
    """A tool, a field, an error, a page and so on."""
    url: str
    """Its page and anchor, relative to the site."""
    place: str
    """The title of what it belongs to."""
    summary: str = ""


def format_index(entries: Iterable[Entry]) -> str:
    """Format the index; equal entries count once."""
    listed = json.dumps(list(dict.fromkeys(entries)), separators=(",", ":"))
    return f"globalThis.siteIndex = {listed};\n"
