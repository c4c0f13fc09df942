"""Requests and results of museum-mcp.

Generated from tests/toolaccord/contracts/demo/museum.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class MovePieceRequest(BaseModel):
    """Arguments of move_piece."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    room: Literal["north", "north-east", "south"]
    """Name of the room"""
    number: Annotated[int, Field(ge=1, le=99)]
    """Number of the piece"""
    place: Annotated[str, Field(max_length=40)]
    """The new place"""


class MovePieceResult(BaseModel):
    """Result of move_piece."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    place: str


class ReadCatalogueRequest(BaseModel):
    """Variables in the URI of catalogue."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class ReadRoomsRequest(BaseModel):
    """Variables in the URI of rooms."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class ReadRoomsResult(BaseModel):
    """Content of rooms."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    rooms: Annotated[list[Literal["north", "north-east", "south"]], Field(max_length=9)]


class ReadPieceRequest(BaseModel):
    """Variables in the URI of piece."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    room: Literal["north", "north-east", "south"]
    """Name of the room"""
    number: Annotated[int, Field(ge=1, le=999)]
    """Number of the piece"""


class ReadPieceResult(BaseModel):
    """Content of piece."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    number: int
    place: str


class ReadPhotoRequest(BaseModel):
    """Variables in the URI of photo."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: Annotated[str, Field(max_length=40)]
    """Name of the photo"""


class PromptGuideMeRequest(BaseModel):
    """Arguments of the prompt guide-me."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    room: Literal["north", "north-east", "south"]
    """Name of the room"""
    minutes: Annotated[int, Field(ge=1, le=90)] = 30
    """Length of the tour in minutes"""


class PromptTellRequest(BaseModel):
    """Arguments of the prompt tell."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    number: Annotated[int, Field(ge=1, le=9)]
    """Number of the piece"""
