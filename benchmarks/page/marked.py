"""The part of a page in docs/ that a benchmark writes, between two marks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
BEGIN, END = "<!-- written by ./run bench -- {name} -->\n", "<!-- end -->\n"


def write(name: str, lines: Sequence[str]) -> None:
    """Replace the part *name* of a page in docs/, which its first word names.

    The date and the machine come first.
    """
    page, begin = ROOT / f"docs/{name.split(maxsplit=1)[0]}.md", BEGIN.format(name=name)
    head, mark, rest = page.read_text(encoding="utf-8").partition(begin)
    assert mark, f"{page} has no place for the numbers"
    _, _, tail = rest.partition(END)
    measured = (
        f"Measured on {datetime.now(UTC).date()} on {os.cpu_count()} cores, the client and all backends among them."
    )
    page.write_text("\n".join([f"{head}{begin}", measured, "", *lines, "", f"{END}{tail}"]), encoding="utf-8")
