"""URI templates of level 1 of RFC 6570 (Gregorio et al., 2012).

`{name}` stands for one percent-encoded value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

_VARIABLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def list_variables(template: str) -> list[str]:
    """Return the names of a template's variables, in order."""
    return _VARIABLE.findall(template)


def are_adjacent(template: str) -> bool:
    """Return True if nothing separates two variables, so that no URI tells them apart."""
    return "}{" in template


def admits_uri(template: str, uri: str) -> bool:
    """Return True if *uri* is one of a template.

    It may be a template itself, whose variables count as values.
    """
    parts = _VARIABLE.split(template)
    literals = [re.escape(_VARIABLE.sub("x", part)) for part in parts[::2]]
    return re.fullmatch("[^/?#]+".join(literals), _VARIABLE.sub("x", uri)) is not None


def expand(template: str, values: Mapping[str, Any]) -> str:
    """Return the URI of *values*: strings, numbers, and booleans as in JSON.

    Raises KeyError for a variable without a value.
    """
    return _VARIABLE.sub(lambda found: quote(format_value(values[found[1]]), safe=""), template)


def format_value(value: Any) -> str:
    """Return a string, a boolean, or a number without an exponent, as MCP sends it in a text."""
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")
    return str(value).lower() if isinstance(value, bool) else str(value)
