"""Layout of JSON files: a part that fits takes one line, so that a change of it changes one."""

from __future__ import annotations

import json
from typing import Any

WIDTH = 120
"""Characters of a line at most, where a container can be broken."""
_encode = json.JSONEncoder(ensure_ascii=False).encode


def format_json(value: Any) -> str:
    """Return a value as indented JSON, members in their order; the root takes several lines."""
    return f"{_break_lines(value, '') if value else _encode(value)}\n"


def _break_lines(value: Any, indent: str) -> str:
    """Return a container with each member or item on a line of its own."""
    inner, last = f"{indent}  ", len(value) - 1
    heads = [f"{_encode(name)}: " for name in value] if isinstance(value, dict) else [""] * len(value)
    parts = value.values() if isinstance(value, dict) else value
    lines = [
        f"{inner}{head}{_format_part(part, inner, len(head) + (index < last))}"
        for index, (head, part) in enumerate(zip(heads, parts, strict=True))
    ]
    start, end = "{}" if isinstance(value, dict) else "[]"
    return ",\n".join([f"{start}\n{lines[0]}", *lines[1:]]) + f"\n{indent}{end}"


def _format_part(value: Any, indent: str, used: int) -> str:
    """Return a value on one line if it fits beside *used* characters, else on several."""
    text = _encode(value)
    fits = len(indent) + used + len(text) <= WIDTH
    return text if fits or not value or not isinstance(value, dict | list) else _break_lines(value, indent)
