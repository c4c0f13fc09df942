"""Models that several servers share.

Generated from contracts/shared.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Pagination(BaseModel):
    """Which part of the whole list a page is."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    offset: Annotated[int, Field(ge=0)]
    """How many items were skipped"""
    limit: Annotated[int, Field(ge=1)]
    """How many items a page holds at most"""
    total: Annotated[int, Field(ge=0)]
    """How many items there are in all"""
    has_more: bool
    """Whether items follow this page"""
