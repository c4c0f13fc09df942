"""A typed client of a server that runs as a child process."""

import asyncio
import dataclasses
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pytest

from tests.toolaccord.demo.library import BookNotFound, GetBookRequest, ListBooksRequest, MisbehaveRequest, ShelfGone
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LIST_BOOKS, MISBEHAVE
from tests.toolaccord.process import PATIENCE_S, ROOT
from toolaccord.client.connection import ConnectionOptions, Era
from toolaccord.errors import BrokenAnswer, ServerGone, TimedOut, TransportError, UndeclaredError

ENVIRONMENT = {"SHELF_URL": "shelf://wall"}
ERAS: list[Era] = ["auto", "handshake", "stateless"]


def library(**options: Unpack[ConnectionOptions]) -> LibraryClient:
    """Return a client of the library, which has not started yet."""
    return LibraryClient.stdio(env=ENVIRONMENT, cwd=ROOT, **options)


def library_with_pid_file(file: Path) -> LibraryClient:
    """Return a client of a library that writes its process id to *file*."""
    script = f'echo $$ > {file}; exec "$0" -m tests.toolaccord.demo.library'
    return LibraryClient.stdio("-c", script, sys.executable, command="sh", env=ENVIRONMENT, cwd=ROOT)


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_returns_a_result_or_raises_the_declared_error_in_both_eras(era: Era) -> None:
    async with library(era=era) as client:
        answered = await client.call(GET_BOOK, GetBookRequest(id=7), corr_id="mine")
        assert (answered.result.title, answered.corr_id, answered.cached) == ("get 7", "mine", False)
        with pytest.raises(BookNotFound, match="there is no book 999"):
            await client.call(GET_BOOK, GetBookRequest(id=999))
        with pytest.raises(ShelfGone):
            await client.call(MISBEHAVE, MisbehaveRequest(how="source"))
        with pytest.raises(UndeclaredError, match="INTERNAL_ERROR: The server failed to answer"):
            await client.call(MISBEHAVE, MisbehaveRequest(how="crash"))
        pages = [page async for page in client.pages(LIST_BOOKS, ListBooksRequest(shelf="A", limit=100))]
        assert [len(page.items) for page in pages] == [100, 100]


async def test_many_concurrent_calls_each_receive_their_own_answer() -> None:
    async with library() as client:
        answers = await asyncio.gather(*(client.call(GET_BOOK, GetBookRequest(id=each)) for each in range(1, 201)))
        assert [answer.result.id for answer in answers] == list(range(1, 201))


async def test_calls_in_flight_raise_server_gone_when_the_server_dies(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    async with library_with_pid_file(file) as client, asyncio.timeout(PATIENCE_S):
        waiting = [asyncio.create_task(client.call(MISBEHAVE, MisbehaveRequest(how="wait"))) for _ in range(3)]
        await client.call(GET_BOOK, GetBookRequest(id=7))
        os.kill(int(file.read_text(encoding="ascii")), signal.SIGKILL)
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [ServerGone] * 3
        assert str(outcomes[0]).startswith("No answer from library-mcp: Connection closed. Its log, on standard error,")
        with pytest.raises(ServerGone):
            await client.call(GET_BOOK, GetBookRequest(id=7))


async def test_a_call_that_times_out_raises_and_does_not_affect_other_calls() -> None:
    async with library() as client, asyncio.timeout(PATIENCE_S):
        with pytest.raises(TimedOut, match=r"library-mcp did not answer misbehave within 0\.01 s"):
            await client.call(MISBEHAVE, MisbehaveRequest(how="wait"), timeout_s=0.01)
        assert (await client.call(GET_BOOK, GetBookRequest(id=7))).result.id == 7


async def test_calls_to_a_server_that_hangs_time_out(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    unchecked = replace(GET_BOOK, parameters=None)
    async with library_with_pid_file(file) as client, asyncio.timeout(PATIENCE_S):
        os.kill(int(file.read_text(encoding="ascii")), signal.SIGSTOP)
        calls = (
            client.call(unchecked, GetBookRequest.model_construct(id=7, reason="x" * 9999), timeout_s=0.2)
            for _ in range(50)
        )
        outcomes = await asyncio.gather(*calls, return_exceptions=True)  # more than a pipe holds
        assert {type(outcome) for outcome in outcomes} == {TimedOut}


@pytest.mark.parametrize("era", ERAS)
async def test_opening_raises_server_gone_if_the_server_does_not_start(era: Era, tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+", encoding="utf-8") as log:
        client = LibraryClient.stdio(cwd=ROOT, stderr=log, era=era)
        with pytest.raises(ServerGone, match="No answer from library-mcp: Connection closed"):
            async with client:
                raise AssertionError("it is open")
        log.seek(0)
        assert "SHELF_URL is required and not set" in log.read()


async def test_the_error_names_a_command_that_does_not_exist() -> None:
    with pytest.raises(ServerGone, match=r"library-mcp could not be reached: .*no-such-command"):
        async with LibraryClient.stdio(command="no-such-command"):
            raise AssertionError("it is open")


async def test_opening_a_server_that_is_never_ready_times_out() -> None:
    with pytest.raises(TimedOut, match=r"library-mcp was not ready within 0\.1 s"):
        async with LibraryClient.stdio("3600", command="sleep", open_timeout_s=0.1):
            raise AssertionError("it is open")


async def test_calling_a_tool_that_the_server_lacks_raises_broken_answer() -> None:
    lend = dataclasses.replace(GET_BOOK, name="lend_book")
    async with library() as client:
        with pytest.raises(
            BrokenAnswer, match=r"rejected the call \(-32602\): Unknown tool: lend_book\. The server may be"
        ):
            await client.call(lend, GetBookRequest(id=7))


async def test_a_call_before_opening_raises_an_error_that_explains_it() -> None:
    with pytest.raises(TransportError, match="enter it with `async with`"):
        await library().call(GET_BOOK, GetBookRequest(id=7))


async def test_different_tasks_may_open_use_and_close_a_client() -> None:
    client = library()
    await asyncio.create_task(client.__aenter__())
    assert (await asyncio.create_task(client.call(GET_BOOK, GetBookRequest(id=7)))).result.id == 7
    await asyncio.create_task(client.__aexit__(None, None, None))


async def test_cancelling_an_opening_leaves_no_process(tmp_path: Path) -> None:
    pipe = tmp_path / "pid"
    os.mkfifo(pipe)
    script = f"echo $$ > {pipe}; exec sleep 3600"
    opening = asyncio.create_task(LibraryClient.stdio("-c", script, command="sh").__aenter__())
    started = int(await asyncio.to_thread(pipe.read_text, encoding="ascii"))
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    with pytest.raises(ProcessLookupError):
        os.kill(started, 0)
