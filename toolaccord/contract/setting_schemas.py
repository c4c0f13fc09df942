"""Keywords of JSON Schema that a setting has beside its other keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from toolaccord.contract.constraints import Constraint


class SettingSchema(TypedDict, total=False):
    """The schema of a setting's value."""

    type: Annotated[Literal["string", "integer", "number", "boolean"], Constraint(default="string")]
    """Type to which the text is converted."""
    minimum: float
    """Minimum value."""
    maximum: float
    """Maximum value."""
    minLength: Annotated[int, Constraint(minimum=0)]
    """Minimum number of characters."""
    maxLength: Annotated[int, Constraint(minimum=0)]
    """Maximum number of characters."""
    pattern: str
    """Regular expression that the text must match."""
    enum: Annotated[list[Any], Constraint(minItems=1, uniqueItems=True)]
    """Allowed values."""
