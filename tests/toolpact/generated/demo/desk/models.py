"""Requests and results of desk-mcp.

Generated from tests/toolpact/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class WaitRequest(BaseModel):
    """Arguments of wait."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: Annotated[str, Field(max_length=20)]
    """Name of the caller"""


class WaitResult(BaseModel):
    """Result of wait."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    greeting: str
    """Greeting"""
