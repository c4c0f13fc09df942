"""Requests and results of relay-mcp.

Generated from tests/toolaccord/contracts/demo/relay.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class EchoRequest(BaseModel):
    """Arguments of echo."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    text: Annotated[str, Field(max_length=1000000)]
    """Text to say"""


class EchoResult(BaseModel):
    """Result of echo."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    text: str
    """The same text"""
    station: str
    """Name of the station"""


class SignalHoldRequest(BaseModel):
    """Arguments of signal.hold."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    signal: Annotated[str, Field(max_length=20)]
    """Name of the signal"""


class SignalHoldResult(BaseModel):
    """Result of signal.hold."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    signal: str
    """Name of the signal"""


class SignalReleaseRequest(BaseModel):
    """Arguments of signal.release."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    signal: Annotated[str, Field(max_length=20)]
    """Name of the signal"""


class SignalReleaseResult(BaseModel):
    """Result of signal.release."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    signal: str
    """Name of the signal"""


class StallRequest(BaseModel):
    """Arguments of stall."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class StallResult(BaseModel):
    """Result of stall."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class FailRequest(BaseModel):
    """Arguments of fail."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    by: Literal["declared", "source", "crash"]
    """Kind of the failure"""
    text: Annotated[str, Field(max_length=100)]
    """Text of the failure"""


class FailResult(BaseModel):
    """Result of fail."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TradeSubmitRequest(BaseModel):
    """Arguments of trade.submit."""

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class TradeSubmitResult(BaseModel):
    """Result of trade.submit."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class PromptSpellRequest(BaseModel):
    """Arguments of the prompt spell."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    word: Literal["bad", "cab"]
    """The word"""
