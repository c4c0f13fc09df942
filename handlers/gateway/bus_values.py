"""Values of the bus's S-expressions, as JSON."""

import math
from typing import Any


def to_json(value: Any) -> Any:
    """Return a parsed S-expression as JSON: keys without a Lisp package, null for a number that JSON lacks."""
    if isinstance(value, dict):
        return {name.rpartition(":")[2]: to_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
