"""Requests and results of mail-mcp.

Generated from tests/toolaccord/contracts/demo/mail.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class SendRequest(BaseModel):
    """Arguments of send."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    text: Annotated[str, Field(max_length=100)]
    """Text of the letter"""
    weight: float | int = 1.0
    """Weight of the letter"""


class SendResult(BaseModel):
    """Result of send."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    letter: str
    """Identifier of the letter"""
    weight: float | int
    """Weight of the letter"""


class PostRequest(BaseModel):
    """Arguments of post."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    text: Annotated[str, Field(max_length=100)]
    """Text of the letter"""


class PostResult(BaseModel):
    """Result of post."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    letter: str
    """Identifier of the letter"""


class RemindRequest(BaseModel):
    """Arguments of remind."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class RemindResult(BaseModel):
    """Result of remind."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    letter: str
    """Identifier of the letter"""
