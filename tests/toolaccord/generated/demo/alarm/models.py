"""Requests and results of alarm-mcp.

Generated from tests/toolaccord/contracts/demo/alarm.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class RaiseAlarmRequest(BaseModel):
    """Arguments of raise_alarm."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    place: Annotated[str, Field(max_length=100)]
    """Name of the place"""


class RaiseAlarmResult(BaseModel):
    """Result of raise_alarm."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    raised: bool


class Fire(BaseModel):
    """Something burns."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    place: Annotated[str, Field(max_length=20)]
    """Name of the place"""
    since: AwareDatetime | None = None
    """Start of the fire"""
    level: Annotated[int | None, Field(ge=1, le=3)] = None
    """Size of the fire"""


class Siren(BaseModel):
    """A siren howls, for listeners in Lisp."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    action: Literal["HOWL"]
    tone: Literal["rising", "steady"] | None = None
    """Tone of the siren"""
    place: Annotated[str, Field(max_length=100)]
    """Name of the place"""
    seconds: Annotated[list[float | int] | None, Field(max_length=1)] = None
    """Duration"""
