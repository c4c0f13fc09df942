"""Book trips, ask travellers, and let callers wait.

`contracts/demo/desk.json` declares the server. `python -m tests.toolaccord.demo.desk` serves it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from tests.toolaccord.generated.demo.desk.models import (
    BookTripRequest,
    BookTripResult,
    NagRequest,
    NagResult,
    PlanTripRequest,
    PlanTripResult,
    PromptPackForRequest,
    QuoteTripRequest,
    QuoteTripResult,
    ReadTicketRequest,
    WaitRequest,
    WaitResult,
)
from tests.toolaccord.generated.demo.desk.server import DeskCall, server
from toolaccord import Accepted, Sampled
from toolaccord.content import Message, Text
from toolaccord.server.main import run

_LOG = logging.getLogger(__name__)


class Clerk:
    """The handlers."""

    async def wait(self, request: WaitRequest, _call: DeskCall, /) -> WaitResult:
        _LOG.info("%s waits", request.name)
        try:
            await asyncio.Event().wait()
        finally:
            _LOG.info("%s left", request.name)
        raise AssertionError

    async def book_trip(self, request: BookTripRequest, call: DeskCall, /) -> BookTripResult:
        answer = await call.ask.traveller(city=request.city, price=7)
        if not isinstance(answer, Accepted):
            return BookTripResult(booking=type(answer).__name__)
        form = answer.answer
        confirmed = await call.ask.confirmation(seats=form.seats, name=form.name)
        if not isinstance(confirmed, Accepted) or not confirmed.answer.yes:
            return BookTripResult(booking="not confirmed")
        _LOG.info("booked %s", form.name)
        wishes = "".join(f" with {each}" for each in (*(form.meals or ()), *(form.extras or ())))
        return BookTripResult(booking=f"{form.name}: {form.seats} {form.class_} to {request.city}{wishes}")

    async def plan_trip(self, request: PlanTripRequest, call: DeskCall, /) -> PlanTripResult:
        traveller, slogan, folders = await asyncio.gather(
            call.ask.traveller(city=request.city, price=7), call.ask.slogan(city=request.city), call.ask.folders()
        )
        name = traveller.answer.name if isinstance(traveller, Accepted) else "nobody"
        text = slogan.text if isinstance(slogan, Sampled) else "no slogan"
        uris = [root.uri for root in folders] if isinstance(folders, tuple) else []
        return PlanTripResult(plan=", ".join([name, text, *uris]))

    async def quote_trip(self, request: QuoteTripRequest, call: DeskCall, /) -> QuoteTripResult:
        if not call.ask.supports("traveller"):
            return QuoteTripResult(quote="from 7 EUR")
        await call.ask.traveller(city=request.city, price=7)
        return QuoteTripResult(quote="7 EUR")

    async def read_ticket(self, request: ReadTicketRequest, call: DeskCall, /) -> str:
        answer = await call.ask.traveller(city=request.city, price=7)
        return f"{answer.answer.name} to {request.city}" if isinstance(answer, Accepted) else type(answer).__name__

    async def prompt_pack_for(self, request: PromptPackForRequest, call: DeskCall, /) -> Sequence[Message]:
        answer = await call.ask.traveller(city=request.city, price=7)
        if not isinstance(answer, Accepted):
            return [Message("user", Text(type(answer).__name__))]
        confirmed = await call.ask.confirmation(seats=1, name=answer.answer.name)
        bags = 2 if isinstance(confirmed, Accepted) and confirmed.answer.yes else 1
        return [Message("user", Text(f"Pack {bags} bags of {answer.answer.name} for {request.city}."))]

    async def nag(self, request: NagRequest, call: DeskCall, /) -> NagResult:
        for count in range(request.times):
            await call.ask.confirmation(seats=count, name="you")
        return NagResult(count=request.times)


if __name__ == "__main__":
    raise SystemExit(run(server(Clerk())))
