"""Requests and results of counter-mcp.

Generated from tests/toolaccord/contracts/demo/counter.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class CountRequest(BaseModel):
    """Arguments of count."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    to: Annotated[int, Field(ge=1, le=100)]
    """The last number"""


class CountResult(BaseModel):
    """Result of count."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    to: Annotated[int, Field(ge=1, le=100)]
    """The last number"""


class CountSilentlyRequest(BaseModel):
    """Arguments of count_silently."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    to: Annotated[int, Field(ge=1, le=100)]
    """The last number"""


class CountSilentlyResult(BaseModel):
    """Result of count_silently."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    to: Annotated[int, Field(ge=1, le=100)]
    """The last number"""
