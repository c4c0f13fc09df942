"""Values of the bus's S-expressions, as JSON."""

import math
from typing import Any


def to_json(value: Any) -> Any:
    """Return a parsed S-expression as JSON.

    Keys lose the package of a Lisp symbol. A number that JSON lacks, such as an infinity, becomes None.
    """
    if isinstance(value, dict):
        return {name.rpartition(":")[2]: to_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
