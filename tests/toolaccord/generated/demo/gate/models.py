"""Requests and results of gate-mcp.

Generated from tests/toolaccord/contracts/demo/gate.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class KnockRequest(BaseModel):
    """Arguments of knock."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: Annotated[str, Field(max_length=20)]
    """Name of the visitor"""


class KnockResult(BaseModel):
    """Result of knock."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    greeting: str
    """Greeting"""


class RingRequest(BaseModel):
    """Arguments of ring."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: Annotated[str, Field(max_length=20)]
    """Name of the visitor"""


class RingResult(BaseModel):
    """Result of ring."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    greeting: str
    """Greeting"""


class WaveRequest(BaseModel):
    """Arguments of wave."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: Annotated[str, Field(max_length=20)]
    """Name of the visitor"""


class WaveResult(BaseModel):
    """Result of wave."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    greeting: str
    """Greeting"""
