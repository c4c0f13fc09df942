"""Policies of clients whose real servers are killed, frozen and away."""

import asyncio
import os
import shlex
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.demo.ledger import TABLE
from tests.toolaccord.demo.library import BookNotFound, GetBookRequest, MisbehaveRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.gate.client import KNOCK, GateClient
from tests.toolaccord.generated.demo.gate.models import KnockRequest
from tests.toolaccord.generated.demo.ledger.client import LedgerClient
from tests.toolaccord.generated.demo.ledger.models import CountEntriesRequest, EnterRequest
from tests.toolaccord.generated.demo.library.client import GET_BOOK
from tests.toolaccord.listener import listening
from tests.toolaccord.process import PATIENCE_S, ROOT
from tests.toolaccord.scripted_connection import Recorder
from toolaccord.client.connection import Era
from toolaccord.client.policies import ClientCache, ClientPolicies, Deadline, Retry, ToolCache
from toolaccord.errors import RateLimited, ServerGone, TimedOut, Unauthorised, UndeclaredError

ERAS: list[Era] = ["auto", "handshake", "stateless"]
A_BOOK = GetBookRequest(id=7)
SOON = Retry(max_attempts=3, initial_delay_s=0.01, max_delay_s=0.01)
PATIENT = Deadline(timeout_s=PATIENCE_S)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


class Started:
    """Command of a server that writes the id of each of its processes to a file."""

    def __init__(
        self, folder: Path, module: str = "tests.toolaccord.demo.library", *, first: str = ":", again: str = ":"
    ) -> None:
        """The shell runs *first* before the first process, and *again* before each further one."""
        self._file, flag = folder / "pids", folder / "flag"
        once = f"if [ -e {flag} ]; then {again}; else touch {flag}; {first}; fi"
        command = f"{once}; echo $$ >> {self._file}; exec {shlex.quote(sys.executable)} -m {module}"
        self.options: dict[str, Any] = {"command": "sh", "cwd": ROOT}
        self.arguments = ("-c", command)

    @property
    def pids(self) -> list[int]:
        return [int(line) for line in self._file.read_text(encoding="ascii").split()] if self._file.exists() else []

    def library(self, policies: ClientPolicies, **options: Any) -> LibraryClient:
        """Return a client of the library, which has not started yet."""
        env = {"SHELF_URL": "shelf://wall"}
        return LibraryClient.stdio(*self.arguments, env=env, policies=policies, **self.options, **options)


@pytest.mark.parametrize("era", ERAS)
async def test_a_killed_process_is_started_again_by_the_next_attempt(era: Era, tmp_path: Path) -> None:
    started, observer = Started(tmp_path), Recorder()
    async with started.library(ClientPolicies(retry=SOON, deadline=PATIENT, observer=observer), era=era) as client:
        await client.get_book(A_BOOK)
        os.kill(started.pids[0], signal.SIGKILL)
        assert (await client.get_book(A_BOOK)).id == 7
        assert len(started.pids) == 2
        with pytest.raises(BookNotFound):
            await client.get_book(GetBookRequest(id=999))
    assert observer.names().count("retry") <= 1, "the kill may be noticed before the call"
    assert not any(map(is_running, started.pids))


async def test_calls_in_flight_of_a_killed_process_are_repeated_by_one_new_process(tmp_path: Path) -> None:
    started = Started(tmp_path)
    policies = ClientPolicies(retry=SOON, deadline=PATIENT)
    async with started.library(policies) as client, asyncio.timeout(PATIENCE_S):
        await client.get_book(A_BOOK)
        os.kill(started.pids[0], signal.SIGSTOP)
        calls = [asyncio.create_task(client.get_book(GetBookRequest(id=number))) for number in range(1, 21)]
        await asyncio.wait(calls, timeout=0)
        os.kill(started.pids[0], signal.SIGKILL)
        assert [book.id for book in await asyncio.gather(*calls)] == list(range(1, 21))
    assert len(started.pids) == 2


async def test_without_retries_the_next_call_starts_the_killed_process_again(tmp_path: Path) -> None:
    started = Started(tmp_path)
    async with started.library(ClientPolicies()) as client, asyncio.timeout(PATIENCE_S):
        waiting = asyncio.create_task(client.misbehave(MisbehaveRequest(how="wait")))
        await client.get_book(A_BOOK)
        os.kill(started.pids[0], signal.SIGKILL)
        with pytest.raises(ServerGone, match=r"gives the reason\.$"):
            await waiting
        assert (await client.get_book(A_BOOK)).id == 7
    assert len(started.pids) == 2


async def test_a_process_that_never_starts_is_started_as_often_as_the_retries_allow(tmp_path: Path) -> None:
    started, observer = Started(tmp_path, module="no_such_module"), Recorder()
    async with started.library(ClientPolicies(retry=SOON, deadline=PATIENT, observer=observer)) as client:
        assert len(started.pids) == 1
        with pytest.raises(ServerGone):
            await client.get_book(A_BOOK)
    assert len(started.pids) == 4
    assert observer.names() == ["attempt", "retry", "attempt", "retry", "attempt", "exhausted"]


async def test_a_write_whose_server_dies_is_repeated_with_its_key_and_happens_once(
    tmp_path: Path, postgres_url: str
) -> None:
    connection: asyncpg.Connection = await asyncpg.connect(postgres_url)
    await connection.execute(TABLE)
    await connection.close()
    started = Started(tmp_path, module="tests.toolaccord.demo.ledger", first="export LEDGER_DIES=after")
    client = LedgerClient.stdio(
        *started.arguments,
        env={"DATABASE_URL": postgres_url},
        policies=ClientPolicies(retry=SOON, deadline=PATIENT),
        **started.options,
    )
    async with client:
        entered = await client.enter(EnterRequest(text="rent", amount=9.5), idempotency_key="march")
        assert entered.text == "rent"
        assert (await client.count_entries(CountEntriesRequest())).count == 1
    assert len(started.pids) == 2


async def test_a_frozen_process_is_waited_for_no_longer_than_the_deadline_and_then_a_stale_result_is_returned(
    tmp_path: Path,
) -> None:
    started, observer = Started(tmp_path), Recorder()
    policies = ClientPolicies(
        retry=SOON,
        deadline=Deadline(timeout_s=PATIENCE_S, attempt_timeout_s=0.2),
        cache=ClientCache(tools={GET_BOOK: ToolCache(ttl_s=1e-6, stale_if_error_s=3600)}, prefix="test:"),
        observer=observer,
    )
    async with started.library(policies) as client, asyncio.timeout(PATIENCE_S):
        while True:  # the first attempts may take longer than 0.2 s on a busy machine
            try:
                await client.get_book(A_BOOK)
                break
            except TimedOut:
                continue
        os.kill(started.pids[0], signal.SIGSTOP)
        observer.events.clear()
        stale = await client.call(GET_BOOK, A_BOOK)
        assert (stale.result.id, stale.is_stale) == (7, True)
        assert observer.names() == ["attempt", "retry", "attempt", "retry", "attempt", "miss", "exhausted", "stale"]
        with pytest.raises(TimedOut):
            await client.get_book(GetBookRequest(id=8), timeout_s=0.3)
        os.kill(started.pids[0], signal.SIGCONT)


async def test_a_client_of_an_absent_server_opens_and_calls_connect_once_it_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    client = LibraryClient.http(f"http://127.0.0.1:{port}/mcp", policies=ClientPolicies(retry=SOON, deadline=PATIENT))
    async with client:
        with pytest.raises(ServerGone):
            await client.get_book(A_BOOK)
        async with listening("--port", str(port)):
            assert (await client.get_book(A_BOOK)).id == 7


async def test_a_call_over_http_is_repeated_until_its_killed_server_is_back() -> None:
    waiting = asyncio.Event()

    class Patient(Recorder):
        def on_retry(self, *event: Any) -> None:
            super().on_retry(*event)
            waiting.set()

    observer = Patient()
    retry = Retry(max_attempts=10_000, initial_delay_s=0.01, max_delay_s=0.01)
    async with listening() as first:
        port = first.port
        client = LibraryClient.http(
            f"http://127.0.0.1:{port}/mcp", policies=ClientPolicies(retry=retry, deadline=PATIENT, observer=observer)
        )
        async with client:
            await client.get_book(A_BOOK)
            first.process.signal(signal.SIGKILL)
            await first.process.exit_code()
            call = asyncio.create_task(client.get_book(A_BOOK))
            await waiting.wait()
            async with listening("--port", str(port)):
                assert (await call).id == 7


async def test_a_rejected_token_is_raised_at_once_when_a_client_opens() -> None:
    async with listening(environ={"MCP_AUTH_TOKEN": "the-right-token"}) as server:
        client = LibraryClient.http(
            f"http://127.0.0.1:{server.port}/mcp", token="another", policies=ClientPolicies(retry=SOON)
        )
        with pytest.raises(Unauthorised):
            async with client:
                raise AssertionError("it is open")


async def test_a_call_without_the_time_that_a_rate_limit_wants_fails_at_once(tmp_path: Path) -> None:
    observer = Recorder()
    started = Started(tmp_path, module="tests.toolaccord.demo.gate")
    client = GateClient.stdio(
        *started.arguments,
        env={"REDIS_URL": "redis://127.0.0.1:9"},
        policies=ClientPolicies(
            retry=Retry(max_attempts=2, initial_delay_s=0.01, max_delay_s=0.05), deadline=PATIENT, observer=observer
        ),
        **started.options,
    )
    async with client:
        for _ in range(3):
            await client.knock(KnockRequest(name="Ann"))
        with pytest.raises(RateLimited) as caught:
            await client.call(KNOCK, KnockRequest(name="Ann"), timeout_s=1)
    assert isinstance(caught.value, UndeclaredError)
    assert (caught.value.code, caught.value.details["retry_after_s"] >= 1) == ("MCP-006", True)
    assert not [event for event in observer.events if event[0] == "retry"]


async def test_cancelling_an_opening_leaves_no_process(tmp_path: Path) -> None:
    pipe = tmp_path / "pid"
    os.mkfifo(pipe)
    client = LibraryClient.stdio("-c", f"echo $$ > {pipe}; exec sleep 3600", command="sh", policies=ClientPolicies())
    opening = asyncio.create_task(client.__aenter__())
    started = int(await asyncio.to_thread(pipe.read_text, encoding="ascii"))
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert not is_running(started)


async def test_closing_a_client_that_starts_its_process_again_leaves_no_process(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    started = Started(tmp_path, again=f"echo $$ > {pipe}; exec sleep 3600")
    async with started.library(ClientPolicies(deadline=PATIENT)) as client, asyncio.timeout(PATIENCE_S):
        await client.get_book(A_BOOK)
        os.kill(started.pids[0], signal.SIGKILL)
        with suppress(ServerGone):  # unless the kill was noticed before
            await client.get_book(A_BOOK, timeout_s=0.1)
        call = asyncio.create_task(client.get_book(A_BOOK))
        again = int(await asyncio.to_thread(pipe.read_text, encoding="ascii"))
    with pytest.raises(ServerGone):
        await call
    assert not is_running(again)


async def test_a_call_after_closing_raises_an_error_that_explains_it(tmp_path: Path) -> None:
    client = Started(tmp_path).library(ClientPolicies(retry=SOON))
    with pytest.raises(ServerGone, match="enter it with `async with`"):
        await client.get_book(A_BOOK)
    assert Started(tmp_path).pids == []


async def test_a_stale_result_remains_when_both_server_and_redis_die(tmp_path: Path) -> None:
    started = Started(tmp_path, again="exit 1")
    with Valkey(tmp_path).running() as valkey:
        tools = {GET_BOOK: ToolCache(ttl_s=1e-6, stale_if_error_s=3600)}
        cache = ClientCache(tools=tools, prefix="test:", url=valkey.url)
        async with started.library(ClientPolicies(retry=SOON, deadline=PATIENT, cache=cache)) as client:
            await client.get_book(A_BOOK)
            valkey.stop(signal.SIGKILL)
            os.kill(started.pids[0], signal.SIGKILL)
            stale = await client.call(GET_BOOK, A_BOOK)
    assert (stale.result.id, stale.is_stale) == (7, True)


def is_running(pid: int) -> bool:
    """Return whether the process exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
