"""Requests and results of gallery-mcp.

Generated from tests/toolaccord/contracts/demo/gallery.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class DrawRequest(BaseModel):
    """Arguments of draw."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    size: Annotated[int, Field(ge=1, le=10000000)]
    """Bytes of the picture"""
    kind: Literal["image/png", "image/gif"] = "image/png"
    """Media type"""


class ExplainRequest(BaseModel):
    """Arguments of explain."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    broken: bool = False
    """Leaves the content out"""


class ExplainResult(BaseModel):
    """Result of explain."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    title: Annotated[str, Field(max_length=100)]
    """Title of the picture"""


class TellRequest(BaseModel):
    """Arguments of tell."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
