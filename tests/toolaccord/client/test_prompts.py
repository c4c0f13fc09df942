"""Typed clients get prompts and completions, in both eras, with and without policies."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.toolaccord.compilation import FOLDER
from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.errors import PieceOnLoan
from tests.toolaccord.generated.demo.museum.client import COMPLETE_TELL_NUMBER, PROMPT_TELL, MuseumClient
from tests.toolaccord.generated.demo.museum.models import PromptGuideMeRequest, PromptTellRequest
from tests.toolaccord.generated.demo.museum.server import MuseumCall, server
from tests.toolaccord.scripted_connection import ScriptedConnection
from toolaccord.client.connection import ToolResponse
from toolaccord.client.declarations import Completed, RemotePrompt
from toolaccord.client.policies import ClientCache, ClientPolicies, ToolCache
from toolaccord.content import EmbeddedResource, Image, Message, Text
from toolaccord.errors import BrokenAnswer, UndeclaredError
from toolaccord.testing import Era, connection

CACHED = ClientPolicies(cache=ClientCache(prefix="museum:", tools={PROMPT_TELL: ToolCache(ttl_s=60)}))


@pytest.fixture(params=["stateless", "handshake"])
def era(request: pytest.FixtureRequest) -> Era:
    found: Era = request.param
    return found


@pytest.fixture(params=[None, CACHED], ids=["plain", "policies"])
def client(era: Era, request: pytest.FixtureRequest) -> MuseumClient:
    return MuseumClient(connection(server(Keeper()), era=era), request.param)


async def test_messages_are_records_of_each_kind_of_content(client: MuseumClient) -> None:
    logo = (FOLDER / "contracts/demo/files/logo.png").read_bytes()
    async with client:
        assert await client.prompt_guide_me(PromptGuideMeRequest(room="north-east", minutes=20)) == (
            Message("user", Text("Guide me through north-east in 20 minutes, { please }.")),
            Message("user", Image(logo, "image/png")),
            Message("assistant", EmbeddedResource("museum://rules", "Do not touch.", "text/plain")),
            Message("assistant", EmbeddedResource("museum://logo", logo, "image/png")),
        )


async def test_an_argument_that_was_not_set_has_the_default_of_the_server(client: MuseumClient) -> None:
    async with client:
        first, *_ = await client.prompt_guide_me(PromptGuideMeRequest(room="north"))
    assert first.content == Text("Guide me through north in 30 minutes, { please }.")


async def test_only_arguments_that_were_set_are_sent_and_each_as_a_text() -> None:
    scripted = ScriptedConnection({})
    async with MuseumClient(scripted) as client:
        with pytest.raises(BrokenAnswer):
            await client.prompt_guide_me(PromptGuideMeRequest(room="north"))
        with pytest.raises(BrokenAnswer):
            await client.prompt_tell(PromptTellRequest(number=3))
    assert [each.arguments for each in scripted.sent] == [
        {"name": "guide-me", "arguments": {"room": "north"}},
        {"name": "tell", "arguments": {"number": "3"}},
    ]


async def test_metadata_of_a_prompt_and_of_a_completion_come_by_their_declarations(client: MuseumClient) -> None:
    async with client:
        first = await client.get_prompt(PROMPT_TELL, PromptTellRequest(number=3), corr_id="first")
        again = await client.get_prompt(PROMPT_TELL, PromptTellRequest(number=3))
        completed = await client.complete(COMPLETE_TELL_NUMBER, "2", corr_id="second")
    assert first.result == again.result == (Message("user", Text("Tell me of piece 4.")),)
    assert first.corr_id == "first"
    assert (completed.result.values, completed.corr_id) == (("2",), "second")


async def test_a_cached_prompt_is_sent_once() -> None:
    scripted = _Museum('{"messages":[{"role":"user","content":{"type":"text","text":"Tell me."}}]}')
    async with MuseumClient(scripted, CACHED) as client:
        answers = [await client.get_prompt(PROMPT_TELL, PromptTellRequest(number=3)) for _ in range(2)]
    assert [(each.result, each.cached) for each in answers] == [
        ((Message("user", Text("Tell me.")),), None),
        ((Message("user", Text("Tell me.")),), True),
    ]
    assert len(scripted.sent) == 1


async def test_arguments_and_variables_are_completed(client: MuseumClient) -> None:
    async with client:
        assert await client.complete_guide_me_room("NORTH") == Completed(
            values=("north", "north-east"), total=2, hasMore=False
        )
        assert (await client.complete_piece_room("s")).values == ("south",)
        many = await client.complete_photo_name("x")
    assert (many.values[:2], len(many.values), many.total, many.has_more) == (("x0", "x1"), 100, 250, True)


async def test_a_declared_error_is_raised_by_its_class(client: MuseumClient) -> None:
    async with client:
        with pytest.raises(PieceOnLoan) as caught:
            await client.prompt_tell(PromptTellRequest(number=1))
    assert caught.value.details == {"lent_to": "Hermitage"}


async def test_an_error_of_a_completion_is_raised_by_the_class_of_its_prompt() -> None:
    class OnTour(Keeper):
        async def complete_tell_number(self, _call: MuseumCall, /) -> Mapping[str, Sequence[str]]:
            raise PieceOnLoan("All pieces are on loan.", lent_to="Hermitage")

    async with MuseumClient(connection(server(OnTour()))) as client:
        with pytest.raises(PieceOnLoan, match="All pieces"):
            await client.complete_tell_number("2")


async def test_a_failed_source_is_an_undeclared_error(client: MuseumClient) -> None:
    async with client:
        with pytest.raises(UndeclaredError) as caught:
            await client.prompt_tell(PromptTellRequest(number=2))
    assert (caught.value.code, caught.value.retryable) == ("UNAVAILABLE", True)


async def test_a_server_without_the_prompt_is_another_one_than_the_client_expects(client: MuseumClient) -> None:
    unknown = RemotePrompt(name="prompts/get sing", prompt="sing", request=PromptTellRequest, errors=(), timeout_s=5.0)
    async with client:
        with pytest.raises(BrokenAnswer, match=r"no such prompt\. The server may be another one"):
            await client.get_prompt(unknown, PromptTellRequest(number=1))


class _Museum(ScriptedConnection):
    """Connection that answers everything with one text."""

    def __init__(self, text: str) -> None:
        super().__init__({})
        self._text = text

    async def call(self, *sent: Any) -> ToolResponse:
        await super().call(*sent)
        return ToolResponse(text=self._text, is_error=False, corr_id=None)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"messages":[{"role":"user"}]}',
        '{"messages":[{"role":"user","content":{"type":"image","data":"?","mimeType":"image/png"}}]}',
    ],
)
async def test_messages_that_no_record_holds_break_the_answer(text: str) -> None:
    async with MuseumClient(_Museum(text)) as client:
        with pytest.raises(BrokenAnswer, match="museum-mcp answered prompts/get tell with invalid messages"):
            await client.prompt_tell(PromptTellRequest(number=3))


async def test_a_message_of_an_unknown_kind_is_left_out() -> None:
    text = '{"messages":[{"role":"user","content":{"type":"smell"}},{"role":"assistant","content":{"type":"text","text":"Yes"}}]}'
    async with MuseumClient(_Museum(text)) as client:
        assert await client.prompt_tell(PromptTellRequest(number=3)) == (Message("assistant", Text("Yes")),)


@pytest.mark.parametrize("text", ["[", '{"total":1}', '{"values":"abc"}'])
async def test_a_completion_without_values_breaks_the_answer(text: str) -> None:
    async with MuseumClient(_Museum(text)) as client:
        with pytest.raises(BrokenAnswer, match="museum-mcp answered completion/complete tell number"):
            await client.complete_tell_number("1")
