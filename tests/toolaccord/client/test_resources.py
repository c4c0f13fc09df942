"""Typed clients read resources, in both eras, with and without policies."""

import pytest

from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.errors import PieceOnLoan
from tests.toolaccord.generated.demo.museum.client import MuseumClient
from tests.toolaccord.generated.demo.museum.models import ReadPhotoRequest, ReadPieceRequest, ReadPieceResult
from tests.toolaccord.generated.demo.museum.server import server
from tests.toolaccord.scripted_connection import ScriptedConnection
from toolaccord import ResourceNotFound
from toolaccord.client.policies import ClientPolicies
from toolaccord.errors import BrokenAnswer, UndeclaredError
from toolaccord.testing import Era, connection


@pytest.fixture(params=["stateless", "handshake"])
def era(request: pytest.FixtureRequest) -> Era:
    found: Era = request.param
    return found


@pytest.fixture(params=[None, ClientPolicies()], ids=["plain", "policies"])
def client(era: Era, request: pytest.FixtureRequest) -> MuseumClient:
    return MuseumClient(connection(server(Keeper()), era=era), request.param)


async def test_a_content_has_the_type_of_the_contract(client: MuseumClient) -> None:
    async with client:
        assert await client.read_rules() == "Do not touch."
        assert (await client.read_logo()).startswith(b"\x89PNG")
        assert await client.read_piece(ReadPieceRequest(room="north", number=2)) == ReadPieceResult(
            number=2, place="shelf"
        )


@pytest.mark.parametrize("name", ["a/b", "50%", "ü ?#{x}", "a&b=c"])
async def test_any_text_in_a_uri_reaches_the_handler_as_it_was(client: MuseumClient, name: str) -> None:
    async with client:
        assert await client.read_photo(ReadPhotoRequest(name=name)) == name.encode()


async def test_an_unknown_resource_is_an_error_of_its_own(client: MuseumClient) -> None:
    async with client:
        with pytest.raises(ResourceNotFound, match="no piece 9"):
            await client.read_piece(ReadPieceRequest(room="north", number=9))


async def test_a_declared_error_is_raised_by_its_class(client: MuseumClient) -> None:
    async with client:
        with pytest.raises(PieceOnLoan) as caught:
            await client.read_piece(ReadPieceRequest(room="south", number=1))
    assert caught.value.details == {"lent_to": "Hermitage"}


async def test_a_failed_source_is_an_undeclared_error(client: MuseumClient) -> None:
    async with client:
        with pytest.raises(UndeclaredError) as caught:
            await client.read_piece(ReadPieceRequest(room="south", number=2))
    assert (caught.value.code, caught.value.retryable) == ("UNAVAILABLE", True)


async def test_a_content_of_another_kind_breaks_the_answer() -> None:
    async with MuseumClient(ScriptedConnection({"number": "two"})) as client:
        with pytest.raises(BrokenAnswer, match="museum-mcp answered resources/read logo with a content"):
            await client.read_logo()
        with pytest.raises(BrokenAnswer, match="museum-mcp answered resources/read piece"):
            await client.read_piece(ReadPieceRequest(room="north", number=2))
