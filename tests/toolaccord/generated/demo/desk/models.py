"""Requests and results of desk-mcp.

Generated from tests/toolaccord/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolaccord.contract_model import ContractModel


class WaitRequest(ContractModel):
    """Arguments of wait."""

    name: Annotated[str, Field(max_length=20)]
    """Name of the caller"""


class WaitResult(ContractModel):
    """Result of wait."""

    greeting: str
    """Greeting"""


class BookTripRequest(ContractModel):
    """Arguments of book_trip."""

    city: Annotated[str, Field(max_length=2000)]
    """Destination"""


class BookTripResult(ContractModel):
    """Result of book_trip."""

    booking: str
    """Booking, or the reason for none"""


class PlanTripRequest(ContractModel):
    """Arguments of plan_trip."""

    city: Annotated[str, Field(max_length=2000)]
    """Destination"""


class PlanTripResult(ContractModel):
    """Result of plan_trip."""

    plan: str
    """The plan"""


class QuoteTripRequest(ContractModel):
    """Arguments of quote_trip."""

    city: Annotated[str, Field(max_length=2000)]
    """Destination"""


class QuoteTripResult(ContractModel):
    """Result of quote_trip."""

    quote: str
    """The quote"""


class NagRequest(ContractModel):
    """Arguments of nag."""

    times: Annotated[int, Field(ge=1, le=100)]
    """Number of questions"""


class NagResult(ContractModel):
    """Result of nag."""

    count: int
    """Number of answers"""


class ReadTicketRequest(ContractModel):
    """Variables in the URI of ticket."""

    city: Annotated[str, Field(max_length=40)]
    """Destination"""


class PromptPackForRequest(ContractModel):
    """Arguments of the prompt pack-for."""

    city: Annotated[str, Field(max_length=40)]
    """Destination"""


class TravellerAnswer(ContractModel):
    """Ask who travels."""

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


class ConfirmationAnswer(ContractModel):
    """Ask if the trip shall be booked."""

    yes: bool
    """True to book"""
