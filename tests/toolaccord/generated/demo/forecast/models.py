"""Requests and results of forecast-mcp.

Generated from tests/toolaccord/contracts/demo/forecast.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class ForecastRequest(BaseModel):
    """Arguments of forecast."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    place: Annotated[str, Field(max_length=40)]
    """Name of the place"""
    fresh: bool = False
    """Bypass the cache"""


class ForecastResult(BaseModel):
    """Result of forecast."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    load: int
    """Number of the load, over all replicas"""
    text: str
    """Weather in words"""
