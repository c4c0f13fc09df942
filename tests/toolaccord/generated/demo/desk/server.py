"""Declaration of desk-mcp.

A desk that books trips, and lets its callers wait.

Generated from tests/toolaccord/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from tests.toolaccord.generated.demo.desk import models, schemas
from tests.toolaccord.generated.dialects import PLATFORM
from toolaccord import Accepted, Cancelled, Declined, Root, Sampled, content
from toolaccord.declarations.asks import Elicitation, Roots, Sampling
from toolaccord.declarations.prompts import Prompt
from toolaccord.declarations.resources import Read, Resource
from toolaccord.declarations.tool import Server, Tool


class DeskAsks(Protocol):
    """Questions to the caller of a tool.

    A handler may run again from its start to get an answer. So it asks first, and writes after the last answer.
    """

    def supports(self, *names: Literal["traveller", "confirmation", "slogan", "folders"]) -> bool:
        """Return whether the caller can be asked each of *names*."""

    async def traveller(self, *, city: str, price: float) -> Accepted[models.TravellerAnswer] | Declined | Cancelled:
        """Ask who travels."""

    async def confirmation(
        self, *, seats: int, name: str
    ) -> Accepted[models.ConfirmationAnswer] | Declined | Cancelled:
        """Ask if the trip shall be booked."""

    async def slogan(self, *, city: str) -> Sampled | Declined:
        """Ask the caller's model for a slogan."""

    async def folders(self) -> tuple[Root, ...] | Declined:
        """Ask for the folders of the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskCall:
    """Sources, settings and time that a handler of desk-mcp gets with a request."""

    now: datetime
    """Time of the call, in UTC."""
    ask: DeskAsks
    """Asks the caller, in tools whose contract declares the ask."""


class Handlers(Protocol):
    """Coroutines of tools, resources and prompts, implemented in `tests.toolaccord.demo.desk`."""

    async def wait(self, request: models.WaitRequest, call: DeskCall, /) -> models.WaitResult:
        """Wait until the caller cancels the call."""

    async def book_trip(self, request: models.BookTripRequest, call: DeskCall, /) -> models.BookTripResult:
        """Book a trip, after asking who travels."""

    async def plan_trip(self, request: models.PlanTripRequest, call: DeskCall, /) -> models.PlanTripResult:
        """Plan a trip with everything that the caller knows."""

    async def quote_trip(self, request: models.QuoteTripRequest, call: DeskCall, /) -> models.QuoteTripResult:
        """Quote a trip, and ask only callers that can be asked."""

    async def nag(self, request: models.NagRequest, call: DeskCall, /) -> models.NagResult:
        """Ask again and again."""

    async def read_ticket(self, request: models.ReadTicketRequest, call: DeskCall, /) -> str:
        """Ticket of the reader to a city."""

    async def prompt_pack_for(
        self, request: models.PromptPackForRequest, call: DeskCall, /
    ) -> Sequence[content.Message]:
        """Pack for a trip."""


def server(handlers: Handlers) -> Server[DeskCall]:
    """Bind the tools of desk-mcp to *handlers*."""
    return Server(
        name="desk-mcp",
        title="Desk",
        version="1.0.0",
        description="A desk that books trips, and lets its callers wait.",
        instructions=None,
        dialect=PLATFORM,
        settings=(),
        sources=(),
        sessions=True,
        resources=(
            Resource(
                name="ticket",
                title=None,
                description="Ticket of the reader to a city.",
                uri_template="desk://tickets/{city}",
                mime_type="text/plain",
                kind="text",
                content=Read(
                    sources=(),
                    request=models.ReadTicketRequest,
                    parameters=schemas.READ_TICKET_PARAMETERS,
                    asks=("traveller",),
                    timeout_ms=3000,
                    handler=handlers.read_ticket,
                ),
            ),
        ),
        prompts=(
            Prompt(
                name="pack-for",
                title=None,
                description="Pack for a trip.",
                request=models.PromptPackForRequest,
                parameters=schemas.PROMPT_PACK_FOR_PARAMETERS,
                handler=handlers.prompt_pack_for,
                sources=(),
                asks=("traveller", "confirmation"),
                timeout_ms=3000,
            ),
        ),
        asks=(
            Elicitation(
                name="traveller",
                message="Who travels to {city} for {price} EUR?",
                schema=schemas.TRAVELLER_FORM,
                answer=models.TravellerAnswer,
            ),
            Elicitation(
                name="confirmation",
                message="Book {seats} seats for {name}?",
                schema=schemas.CONFIRMATION_FORM,
                answer=models.ConfirmationAnswer,
            ),
            Sampling(name="slogan", message="Praise {city}.", system_prompt="Be brief.", max_tokens=50),
            Roots(name="folders"),
        ),
        call=DeskCall,
        handler_settings=None,
        tools=(
            Tool(
                name="wait",
                title=None,
                version="1.0.0",
                description="Wait until the caller cancels the call",
                reads=(),
                writes=(),
                request=models.WaitRequest,
                parameters=schemas.WAIT_PARAMETERS,
                returns=schemas.WAIT_RETURNS,
                output=schemas.WAIT_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=60000,
                nullable_results=False,
                handler=handlers.wait,
            ),
            Tool(
                name="book_trip",
                title=None,
                version="1.0.0",
                description="Book a trip, after asking who travels",
                reads=(),
                writes=(),
                request=models.BookTripRequest,
                parameters=schemas.BOOK_TRIP_PARAMETERS,
                returns=schemas.BOOK_TRIP_RETURNS,
                output=schemas.BOOK_TRIP_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                asks=("traveller", "confirmation"),
                paginated=False,
                timeout_ms=3000,
                nullable_results=False,
                handler=handlers.book_trip,
            ),
            Tool(
                name="plan_trip",
                title=None,
                version="1.0.0",
                description="Plan a trip with everything that the caller knows",
                reads=(),
                writes=(),
                request=models.PlanTripRequest,
                parameters=schemas.PLAN_TRIP_PARAMETERS,
                returns=schemas.PLAN_TRIP_RETURNS,
                output=schemas.PLAN_TRIP_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                asks=("traveller", "slogan", "folders"),
                paginated=False,
                timeout_ms=3000,
                nullable_results=False,
                handler=handlers.plan_trip,
            ),
            Tool(
                name="quote_trip",
                title=None,
                version="1.0.0",
                description="Quote a trip, and ask only callers that can be asked",
                reads=(),
                writes=(),
                request=models.QuoteTripRequest,
                parameters=schemas.QUOTE_TRIP_PARAMETERS,
                returns=schemas.QUOTE_TRIP_RETURNS,
                output=schemas.QUOTE_TRIP_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                asks=("traveller",),
                paginated=False,
                timeout_ms=3000,
                nullable_results=False,
                handler=handlers.quote_trip,
            ),
            Tool(
                name="nag",
                title=None,
                version="1.0.0",
                description="Ask again and again",
                reads=(),
                writes=(),
                request=models.NagRequest,
                parameters=schemas.NAG_PARAMETERS,
                returns=schemas.NAG_RETURNS,
                output=schemas.NAG_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                asks=("confirmation",),
                paginated=False,
                timeout_ms=3000,
                nullable_results=False,
                handler=handlers.nag,
            ),
        ),
    )
