"""Streams end with the proof of their callers."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.toolaccord.agent.a2a.guide import Guide
from tests.toolaccord.agent.a2a.guide import serving as serving_agent
from tests.toolaccord.agent.a2a.served import PATIENCE_S, say
from tests.toolaccord.callers.authorization_server import RESOURCE
from tests.toolaccord.callers.authorization_server import serving as authorizing
from tests.toolaccord.demo.desk import Clerk
from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.desk.server import server as desk
from tests.toolaccord.generated.demo.museum.server import server as museum
from tests.toolaccord.process import call, request
from tests.toolaccord.transports.http.sessions.asgi_client import Client, Response, serving
from tests.toolaccord.transports.http.sessions.test_requests import answer
from tests.toolaccord.transports.http.test_mcp_fast_path import stateless_headers
from tests.toolaccord.transports.test_subscriptions import PIECE, listen, move
from toolaccord.callers.proof import TokenProof
from toolaccord.callers.rules import JwtRules, TokenRules
from toolaccord.errors import SourceError
from toolaccord.handler import Caller
from toolaccord.tasks import following
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.task import TaskKey
from toolaccord.testing import ManualClock
from toolaccord.transports.http import security
from toolaccord.transports.http.sessions import responses
from toolaccord.transports.mcp.sdk import listening


class Callers:
    """A file with the tokens of callers, and the clock by which it is read."""

    def __init__(self, path: Path, clock: ManualClock) -> None:
        self._path = path
        self._clock = clock
        self.environ = {"MCP_TOKEN_FILE": str(path)}
        self.write(reader={"sha256": ["old"]})

    def write(self, **entries: dict[str, Any]) -> None:
        """Write these callers beside a curator."""
        callers = {"curator": {"sha256": ["curator"]}, **entries}
        for each in callers.values():
            each["sha256"] = [sha256(token.encode()).hexdigest() for token in each["sha256"]]
        self._path.write_text(json.dumps({"callers": callers}))
        self._clock.advance(1)

    def expire(self) -> None:
        self.write(reader={"sha256": ["old"], "expires_on": "2026-01-01"})
        self._clock.advance(24 * 3600)

    def remove(self) -> None:
        self.write()

    def replace(self) -> None:
        self.write(reader={"sha256": ["new"]})


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def callers(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Callers:
    monkeypatch.setattr(security, "SystemClock", lambda: clock)
    return Callers(tmp_path / "callers.json", clock)


async def watch(client: Client) -> Response:
    """Return the stream of a session that hears of a piece."""
    await client.initialize()
    await client.send("POST", request(1, "resources/subscribe", uri=PIECE))
    stream = client.start("GET")
    await stream.has(PIECE)  # a new stream tells of all that may have changed
    return stream


async def hear(client: Client) -> Response:
    """Return the response to a request that hears of a piece."""
    stream = client.start("POST", listen(PIECE), **stateless_headers(listen(PIECE)))
    await stream.has("acknowledged")
    return stream


async def change(client: Client) -> None:
    """Change the piece."""
    assert (await client.send("POST", move(), **stateless_headers(move()))).status == 200


@pytest.mark.parametrize("end", [Callers.expire, Callers.remove, Callers.replace])
@pytest.mark.parametrize("open_stream", [watch, hear])
async def test_a_stream_tells_of_nothing_that_happens_after_the_end_of_its_token(
    callers: Callers, open_stream: Callable[[Client], Any], end: Callable[[Callers], None]
) -> None:
    async with serving(museum(Keeper()), callers.environ) as server, asyncio.timeout(PATIENCE_S):
        reader, curator = server.another("old"), server.another("curator")
        stream: Response = await open_stream(reader)
        end(callers)
        told = stream.text
        await change(curator)
        await stream.has_ended.wait()
        assert PIECE not in stream.text.removeprefix(told)
        assert (await reader.send("GET")).status == 401


@pytest.mark.parametrize("open_stream", [watch, hear])
async def test_a_silent_stream_ends_with_its_token_too(
    callers: Callers, open_stream: Callable[[Client], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses, "_PING_INTERVAL_S", 0.01)
    monkeypatch.setattr(listening, "_LOOK_S", 0.01)
    async with serving(museum(Keeper()), callers.environ) as server, asyncio.timeout(PATIENCE_S):
        stream: Response = await open_stream(server.another("old"))
        callers.remove()
        await stream.has_ended.wait()


async def test_a_stream_goes_on_while_its_token_has_a_successor_beside_it(callers: Callers) -> None:
    async with serving(museum(Keeper()), callers.environ) as server, asyncio.timeout(PATIENCE_S):
        stream = await hear(server.another("old"))
        callers.write(reader={"sha256": ["new", "old"], "scopes": ["more"], "expires_on": "2030-01-01"})
        await change(server.another("curator"))
        await stream.has("resources/updated")
        assert not stream.has_ended.is_set()


async def test_many_events_of_many_streams_cost_one_look_a_second(
    callers: Callers, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    prove, looks = TokenProof.prove, list[str]()

    async def count(proof: TokenProof, token: str) -> Caller | None:
        looks.append(token)
        return await prove(proof, token)

    monkeypatch.setattr(TokenProof, "prove", count)
    async with serving(museum(Keeper()), callers.environ) as server, asyncio.timeout(PATIENCE_S):
        reader, curator = server.another("old"), server.another("curator")
        streams = [await hear(reader) for _ in range(3)]
        counts = []
        for is_first in [True, False, False, True, False]:
            clock.advance(is_first)
            await change(curator)
            for stream in streams:
                await stream.has("resources/updated")
                stream.text = ""
            counts.append(looks.count("old"))
        assert [each - counts[0] for each in counts] == [0, 0, 0, 1, 1]


async def test_a_client_that_cannot_resume_has_its_answer_after_the_end_of_its_token(callers: Callers) -> None:
    async with serving(desk(Clerk()), callers.environ) as server, asyncio.timeout(PATIENCE_S):
        reader = server.another("old")
        await reader.initialize(elicitation={})
        reader.session["mcp-protocol-version"] = "2025-06-18"
        stream = reader.start("POST", call(1, "book_trip", city="Rome"))
        await stream.has("elicitation/create")
        callers.expire()
        assert (await reader.send("GET")).status == 401
        callers.replace()
        reader.session["authorization"] = "Bearer new"
        await reader.send("POST", answer(stream.messages[0], name="Ann", seats=2, **{"class": "first"}))
        await stream.has("yes")
        await reader.send("POST", answer(stream.messages[1], yes=True))
        await stream.has("Ann: 2 first to Rome")
        await stream.has_ended.wait()


async def test_a_call_goes_on_in_its_session_and_its_caller_resumes_the_stream_with_a_new_token(
    callers: Callers,
) -> None:
    async with serving(desk(Clerk()), callers.environ) as server, asyncio.timeout(PATIENCE_S):
        reader = server.another("old")
        await reader.initialize(elicitation={})
        stream = reader.start("POST", call(1, "book_trip", city="Rome"))
        await stream.has("elicitation/create")
        place = [line.removeprefix("id: ") for line in stream.text.splitlines() if line.startswith("id: ")][-1]
        callers.replace()
        reader.session["authorization"] = "Bearer new"
        await reader.send("POST", answer(stream.messages[0], name="Ann", seats=2, **{"class": "first"}))
        await stream.has_ended.wait()
        assert len(stream.messages) == 1
        resumed = reader.start("GET", **{"last-event-id": place})
        await resumed.has("yes")
        await reader.send("POST", answer(resumed.messages[0], yes=True))
        await resumed.has("Ann: 2 first to Rome")


@asynccontextmanager
async def follow_task(callers: Callers) -> AsyncIterator[tuple[Guide, AsyncIterator[str]]]:
    """Give an agent that runs a task, and the events of that task for a caller."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": {"message": say("wait")}}
    headers = {"Authorization": "Bearer old", "A2A-Version": "1.0"}
    async with (
        asyncio.timeout(PATIENCE_S),
        serving_agent(MCP_TOKEN_FILE=callers.environ["MCP_TOKEN_FILE"]) as (agent, guide),
        agent.http.stream("POST", "/a2a/v1", json=body, headers=headers) as response,
    ):
        lines = (line async for line in response.aiter_lines() if line.startswith("data: "))
        assert "SUBMITTED" in await anext(lines)
        await guide.started.acquire()
        yield guide, lines


async def test_an_agent_tells_no_more_of_a_task_after_the_end_of_a_token(callers: Callers) -> None:
    async with follow_task(callers) as (guide, lines):
        callers.remove()
        guide.gate.set()
        assert not [line async for line in lines if "COMPLETED" in line or "You said" in line]


async def test_a_stream_of_an_agent_ends_with_its_token_while_the_store_of_tasks_is_away(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_records: TaskRecords, _key: TaskKey) -> None:
        raise SourceError("away")

    monkeypatch.setattr(following, "_LOOK_S", 0.01)
    async with follow_task(callers) as (_, lines):
        with monkeypatch.context() as patching:
            patching.setattr(TaskRecords, "read", fail)
            callers.remove()
            assert not [line async for line in lines if "WORKING" not in line]


async def test_a_token_of_an_authorization_server_proves_nothing_after_its_end_or_that_of_its_key() -> None:
    with authorizing() as issuer:
        clock = ManualClock()
        rules = JwtRules(issuer=issuer.issuer, audience=RESOURCE, keys_url=issuer.keys_url)
        proof = TokenProof(TokenRules(jwt=rules), clock)
        now = clock.now().timestamp()
        short, long = (issuer.sign(issuer.claims(now, exp=now + lasts_s)) for lasts_s in (600, 7200))
        callers = {token: await proof.prove(token) for token in (short, long)}

        async def proven() -> list[bool]:
            return [await proof.still_proves(token, caller) for token, caller in callers.items() if caller]

        assert await proven() == [True, True]
        clock.advance(700)
        assert await proven() == [False, True]
        issuer.keys["two"] = issuer.keys.pop("one")
        clock.advance(300)
        assert await proof.prove(issuer.sign(issuer.claims(now), key="two")) is None  # so the keys are fetched again
        assert await proven() == [False, False]
        await proof.close()
