"""Requests and results of museum-mcp.

Generated from tests/toolaccord/contracts/demo/museum.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolaccord.contract_model import ContractModel


class MovePieceRequest(ContractModel):
    """Arguments of move_piece."""

    room: Literal["north", "north-east", "south"]
    """Name of the room"""
    number: Annotated[int, Field(ge=1, le=99)]
    """Number of the piece"""
    place: Annotated[str, Field(max_length=40)]
    """The new place"""


class MovePieceResult(ContractModel):
    """Result of move_piece."""

    place: str


class ReadCatalogueRequest(ContractModel):
    """Variables in the URI of catalogue."""


class ReadRoomsRequest(ContractModel):
    """Variables in the URI of rooms."""


class ReadRoomsResult(ContractModel):
    """Content of rooms."""

    rooms: Annotated[list[Literal["north", "north-east", "south"]], Field(max_length=9)]


class ReadPieceRequest(ContractModel):
    """Variables in the URI of piece."""

    room: Literal["north", "north-east", "south"]
    """Name of the room"""
    number: Annotated[int, Field(ge=1, le=999)]
    """Number of the piece"""


class ReadPieceResult(ContractModel):
    """Content of piece."""

    number: int
    place: str


class ReadPhotoRequest(ContractModel):
    """Variables in the URI of photo."""

    name: Annotated[str, Field(max_length=40)]
    """Name of the photo"""


class PromptGuideMeRequest(ContractModel):
    """Arguments of the prompt guide-me."""

    room: Literal["north", "north-east", "south"]
    """Name of the room"""
    minutes: Annotated[int, Field(ge=1, le=90)] = 30
    """Length of the tour in minutes"""


class PromptTellRequest(ContractModel):
    """Arguments of the prompt tell."""

    number: Annotated[int, Field(ge=1, le=9)]
    """Number of the piece"""
