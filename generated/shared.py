"""Models that several servers share.

Generated from contracts/shared.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Pagination(BaseModel):
    """Position of a page in the whole list."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    offset: Annotated[int, Field(ge=0)]
    """Number of skipped items"""
    limit: Annotated[int, Field(ge=1)]
    """Maximum number of items in a page"""
    total: Annotated[int, Field(ge=0)]
    """Number of items in the whole list"""
    has_more: bool
    """True if items follow this page"""
