"""Asks, answered by callbacks of a typed client."""

from dataclasses import replace
from typing import ClassVar

import pytest

from tests.toolaccord.generated.demo.desk import client
from tests.toolaccord.generated.demo.desk.client import answer_asks
from tests.toolaccord.generated.demo.desk.models import (
    BookTripRequest,
    ConfirmationAnswer,
    PlanTripRequest,
    TravellerAnswer,
)
from tests.toolaccord.listener import Listener
from toolaccord import Accepted, Cancelled, Declined, Root, Sampled
from toolaccord.client.connection import Era
from toolaccord.errors import BrokenAnswer

pytestmark = pytest.mark.asyncio(loop_scope="module")


class DeskClient(client.DeskClient):
    """Calls the desk."""

    _server: ClassVar = replace(client.DeskClient._server, module="tests.toolaccord.demo.desk")


class Traveller:
    """Answers everything."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    async def traveller(self, message: str, /) -> Accepted[TravellerAnswer] | Declined | Cancelled:
        self.messages.append(message)
        return Accepted(TravellerAnswer(name="Ann"))

    async def confirmation(self, message: str, /) -> Accepted[ConfirmationAnswer] | Declined | Cancelled:
        self.messages.append(message)
        return Accepted(ConfirmationAnswer(yes=True))

    async def slogan(self, message: str, /) -> Sampled | Declined:
        return Sampled(message.upper(), "loud-1")

    async def folders(self) -> tuple[Root, ...] | Declined:
        return (Root("file:///home/ann", "home"),)


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_callbacks_of_the_contract_answer_what_a_server_asks(desk: Listener, era: Era) -> None:
    person = Traveller()
    url = f"{desk.client.base_url}/mcp"
    async with DeskClient.http(url, token="first", era=era, answers=answer_asks(person)) as typed:
        booked = await typed.book_trip(BookTripRequest(city="Rome"))
        planned = await typed.plan_trip(PlanTripRequest(city="Rome"))
    assert booked.booking == "Ann: 1 second to Rome"
    assert planned.plan == "Ann, PRAISE ROME., file:///home/ann"
    assert person.messages[:2] == ["Who travels to Rome for 7 EUR?", "Book 1 seats for Ann?"]


async def test_a_client_without_answers_says_that_it_cannot_be_asked(desk: Listener) -> None:
    async with DeskClient.http(f"{desk.client.base_url}/mcp", token="first") as typed:
        with pytest.raises(BrokenAnswer, match="needs a client with the capability elicitation"):
            await typed.book_trip(BookTripRequest(city="Rome"))


class Silent(Traveller):
    """Declines whatever is no form."""

    async def slogan(self, _message: str, /) -> Declined:
        return Declined()

    async def folders(self) -> Declined:
        return Declined()


async def test_a_sampling_and_folders_can_be_declined_in_the_handshake_era_alone(desk: Listener) -> None:
    url, answers = f"{desk.client.base_url}/mcp", answer_asks(Silent())
    async with DeskClient.http(url, token="first", era="handshake", answers=answers) as typed:
        assert (await typed.plan_trip(PlanTripRequest(city="Rome"))).plan == "Ann, no slogan"
    async with DeskClient.http(url, token="first", era="stateless", answers=answers) as typed:
        with pytest.raises(BrokenAnswer, match="The client does not answer this ask"):
            await typed.plan_trip(PlanTripRequest(city="Rome"))
