"""Requests and results of ledger-mcp.

Generated from tests/toolaccord/contracts/demo/ledger.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class EnterRequest(BaseModel):
    """Arguments of enter."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    text: Annotated[str, Field(max_length=100)]
    """Text of the entry"""
    amount: float | int = 1.0
    """Amount of the entry"""


class EnterResult(BaseModel):
    """Result of enter."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    number: int
    """Number of the entry"""
    text: str
    """Text of the entry"""
    amount: float | int
    """Amount of the entry"""


class CorrectRequest(BaseModel):
    """Arguments of correct."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    text: Annotated[str, Field(max_length=100)]
    """Text of the entry"""
    amount: float | int = 1.0
    """Amount of the entry"""


class CorrectResult(BaseModel):
    """Result of correct."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    number: int
    """Number of the entry"""
    text: str
    """Text of the entry"""
    amount: float | int
    """Amount of the entry"""


class CountEntriesRequest(BaseModel):
    """Arguments of count_entries."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class CountEntriesResult(BaseModel):
    """Result of count_entries."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    count: int
    """Number of entries"""
