"""Typed client of desk-mcp.

Generated from tests/toolaccord/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Protocol, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo.desk import models, schemas
from toolaccord import Accepted, Cancelled, Declined, Root, Sampled, content
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import (
    AskAnswers,
    RemotePrompt,
    RemoteResource,
    RemoteServer,
    RemoteTool,
)

WAIT: Final = RemoteTool(
    name="wait",
    request=models.WaitRequest,
    result=models.WaitResult,
    errors=(),
    timeout_s=60.0,
    nullable_arguments=False,
    parameters=schemas.WAIT_PARAMETERS,
    version="1.0.0",
)
"""Wait until the caller cancels the call."""

BOOK_TRIP: Final = RemoteTool(
    name="book_trip",
    request=models.BookTripRequest,
    result=models.BookTripResult,
    errors=(),
    timeout_s=3.0,
    nullable_arguments=False,
    parameters=schemas.BOOK_TRIP_PARAMETERS,
    version="1.0.0",
)
"""Book a trip, after asking who travels."""

PLAN_TRIP: Final = RemoteTool(
    name="plan_trip",
    request=models.PlanTripRequest,
    result=models.PlanTripResult,
    errors=(),
    timeout_s=3.0,
    nullable_arguments=False,
    parameters=schemas.PLAN_TRIP_PARAMETERS,
    version="1.0.0",
)
"""Plan a trip with everything that the caller knows."""

QUOTE_TRIP: Final = RemoteTool(
    name="quote_trip",
    request=models.QuoteTripRequest,
    result=models.QuoteTripResult,
    errors=(),
    timeout_s=3.0,
    nullable_arguments=False,
    parameters=schemas.QUOTE_TRIP_PARAMETERS,
    version="1.0.0",
)
"""Quote a trip, and ask only callers that can be asked."""

NAG: Final = RemoteTool(
    name="nag",
    request=models.NagRequest,
    result=models.NagResult,
    errors=(),
    timeout_s=3.0,
    nullable_arguments=False,
    parameters=schemas.NAG_PARAMETERS,
    version="1.0.0",
)
"""Ask again and again."""

READ_TICKET: Final = RemoteResource(
    name="resources/read ticket",
    address="desk://tickets/{city}",
    result=str,
    errors=(),
    timeout_s=3.0,
)
"""Ticket of the reader to a city."""

PROMPT_PACK_FOR: Final = RemotePrompt(
    name="prompts/get pack-for",
    prompt="pack-for",
    request=models.PromptPackForRequest,
    errors=(),
    timeout_s=3.0,
)
"""Pack for a trip."""


class DeskAnswers(Protocol):
    """Answers to the questions of the server; each takes the message."""

    async def traveller(self, message: str, /) -> Accepted[models.TravellerAnswer] | Declined | Cancelled:
        """Ask who travels."""

    async def confirmation(self, message: str, /) -> Accepted[models.ConfirmationAnswer] | Declined | Cancelled:
        """Ask if the trip shall be booked."""

    async def slogan(self, message: str, /) -> Sampled | Declined:
        """Ask the caller's model for a slogan."""

    async def folders(self, /) -> tuple[Root, ...] | Declined:
        """Ask for the folders of the caller."""


def answer_asks(answers: DeskAnswers) -> AskAnswers:
    """Return *answers* as the option `answers` of a client."""
    return AskAnswers(
        elicitation={
            "traveller": answers.traveller,
            "confirmation": answers.confirmation,
        },
        sampling={
            "slogan": answers.slogan,
        },
        roots={
            "folders": answers.folders,
        },
    )


class DeskClient(ServerClient):
    """Client of desk-mcp.

    A desk that books trips, and lets its callers wait.
    """

    _server: ClassVar = RemoteServer(
        name="desk-mcp",
        module="tests.toolaccord.generated.demo.desk",
        dialect=dialects.PLATFORM,
    )

    async def wait(self, request: models.WaitRequest, **options: Unpack[CallOptions]) -> models.WaitResult:
        """Wait until the caller cancels the call."""
        return (await self.call(WAIT, request, **options)).result

    async def book_trip(self, request: models.BookTripRequest, **options: Unpack[CallOptions]) -> models.BookTripResult:
        """Book a trip, after asking who travels."""
        return (await self.call(BOOK_TRIP, request, **options)).result

    async def plan_trip(self, request: models.PlanTripRequest, **options: Unpack[CallOptions]) -> models.PlanTripResult:
        """Plan a trip with everything that the caller knows."""
        return (await self.call(PLAN_TRIP, request, **options)).result

    async def quote_trip(
        self, request: models.QuoteTripRequest, **options: Unpack[CallOptions]
    ) -> models.QuoteTripResult:
        """Quote a trip, and ask only callers that can be asked."""
        return (await self.call(QUOTE_TRIP, request, **options)).result

    async def nag(self, request: models.NagRequest, **options: Unpack[CallOptions]) -> models.NagResult:
        """Ask again and again."""
        return (await self.call(NAG, request, **options)).result

    async def read_ticket(self, request: models.ReadTicketRequest, **options: Unpack[CallOptions]) -> str:
        """Ticket of the reader to a city."""
        return (await self.read(READ_TICKET, request, **options)).result

    async def prompt_pack_for(
        self, request: models.PromptPackForRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """Pack for a trip."""
        return (await self.get_prompt(PROMPT_PACK_FOR, request, **options)).result
