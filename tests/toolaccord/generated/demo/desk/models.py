"""Requests and results of desk-mcp.

Generated from tests/toolaccord/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

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


class BookTripRequest(BaseModel):
    """Arguments of book_trip."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    city: Annotated[str, Field(max_length=2000)]
    """Destination"""


class BookTripResult(BaseModel):
    """Result of book_trip."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    booking: str
    """Booking, or the reason for none"""


class PlanTripRequest(BaseModel):
    """Arguments of plan_trip."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    city: Annotated[str, Field(max_length=2000)]
    """Destination"""


class PlanTripResult(BaseModel):
    """Result of plan_trip."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    plan: str
    """The plan"""


class QuoteTripRequest(BaseModel):
    """Arguments of quote_trip."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    city: Annotated[str, Field(max_length=2000)]
    """Destination"""


class QuoteTripResult(BaseModel):
    """Result of quote_trip."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    quote: str
    """The quote"""


class NagRequest(BaseModel):
    """Arguments of nag."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    times: Annotated[int, Field(ge=1, le=100)]
    """Number of questions"""


class NagResult(BaseModel):
    """Result of nag."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    count: int
    """Number of answers"""


class ReadTicketRequest(BaseModel):
    """Variables in the URI of ticket."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    city: Annotated[str, Field(max_length=40)]
    """Destination"""


class PromptPackForRequest(BaseModel):
    """Arguments of the prompt pack-for."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    city: Annotated[str, Field(max_length=40)]
    """Destination"""


class TravellerAnswer(BaseModel):
    """Ask who travels."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    name: Annotated[str, Field(max_length=40)]
    """Name of the traveller"""
    seats: Annotated[int, Field(ge=1, le=9)] = 1
    """Number of seats"""
    class_: Annotated[Literal["first", "second"], Field(alias="class")] = "second"
    """Class of the seats"""
    meals: Annotated[list[Literal["v", "k"]] | None, Field(max_length=2)] = None
    """Meals on the way"""
    extras: Annotated[list[Literal["bicycle", "dog"]] | None, Field(max_length=2, min_length=1)] = None
    """Things that travel, too"""


class ConfirmationAnswer(BaseModel):
    """Ask if the trip shall be booked."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    yes: bool
    """True to book"""
