import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.toolaccord.process import Gate, call, code, data, request, started, stateless_call


async def test_both_eras_are_served() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        assert data(await server.receive()) == {"id": 7, "title": "get 7"}
    async with started() as server:
        await server.send(stateless_call(1, "get_book", id=7))
        assert data(await server.receive()) == {"id": 7, "title": "get 7"}


async def test_a_stray_print_goes_to_standard_error() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "misbehave", how="print"))
        assert data(await server.receive()) == {"done": 1, "ratio": None}
        await server.log_has("a stray print")


async def test_a_line_of_ten_megabytes_is_answered_where_the_limit_is_higher() -> None:
    async with started(environ={"MCP_MAX_BODY_BYTES": "20000000"}) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7, reason="a" * 10_000_000), call(2, "get_book", id=8))
        answers = await server.receive_all(1, 2)
        assert code(answers[1]) == "REASON_TOO_LONG"
        assert data(answers[2])["id"] == 8


@pytest.mark.parametrize("era", ["undecided", "handshake"])
@pytest.mark.parametrize("arguments", [(), ("--reference",)], ids=["fast path", "reference"])
async def test_a_line_beyond_the_limit_is_rejected_and_the_next_call_works(
    arguments: tuple[str, ...], era: str
) -> None:
    async with started(*arguments) as server:
        if era == "handshake":
            await server.shake_hands()
        await server.write(b"x" * 4_194_305)
        error = (await server.receive())["error"]
        assert error == {
            "code": -32600,
            "message": "Invalid request: the line is longer than 4194304 bytes (MCP_MAX_BODY_BYTES)",
        }
        await server.write(b"x" * 1_000_000 + b"\n")
        if era == "undecided":
            await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        assert data(await server.receive())["id"] == 7


BROKEN: list[tuple[bytes, Any, int]] = [
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{', 1, -32700),
    (b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"\xff\xfe"}}', 2, -32700),
    (b"\x00\x01\x02", None, -32700),
    (b"Content-Length: 17\r", None, -32700),
    (b'{"jsonrpc":"2.0","id":3,"x":' + b"[" * 100_000, 3, -32700),
    (b'{"jsonrpc":"1.0","id":4,"method":"ping"}', 4, -32600),
    (b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]', 5, -32600),
    (b"[]", None, -32600),
    (b"5", None, -32600),
    (b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":[]}', 6, -32600),
]


async def test_broken_lines_get_error_responses_and_the_next_call_works() -> None:
    async with started() as server:
        for line, request_id, expected in BROKEN:  # before the first request, when the era is not yet decided
            await server.write(line + b"\n")
            response = await server.receive()
            assert (response["id"], response["error"]["code"]) == (request_id, expected)
        await server.shake_hands()
        for line, request_id, expected in BROKEN:
            await server.write(line + b"\n")
            await server.send(call("next", "get_book", id=7))
            answers = await server.receive_all(request_id, "next")
            assert answers[request_id]["error"]["code"] == expected
            assert data(answers["next"])["id"] == 7


async def test_every_request_of_a_batch_gets_an_error_response() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send([call(1, "get_book", id=1), call("b", "get_book", id=2)])
        answers = await server.receive_all(1, "b")
        assert {answer["error"]["code"] for answer in answers.values()} == {-32600}


async def test_empty_lines_and_notifications_are_not_answered() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.write(b"\n \r\n")
        await server.send({"jsonrpc": "2.0", "method": "notifications/unknown"}, call(1, "get_book", id=7))
        assert (await server.receive())["id"] == 1


async def test_a_number_that_is_not_finite_is_rejected_with_its_location() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.write(json.dumps(call(1, "list_books", shelf="A", limit=float("nan"))).encode() + b"\n")
        answer = await server.receive()
        assert code(answer) == "INVALID_PARAMETER"
        (violation,) = answer["result"]["structuredContent"]["error"]["details"]["violations"]
        assert violation["at"] == "/limit"


async def test_text_that_is_not_unicode_is_rejected_in_every_member() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "list_books", shelf="\ud800"), call(2, "\ud800"), call("\ud800", "get_book", id=7))
        answers = await server.receive_all(1, 2, "\ud800")
        assert code(answers[1]) == "INVALID_SHELF"
        assert answers[2]["error"]["code"] == -32602
        assert data(answers["\ud800"])["id"] == 7


@pytest.mark.parametrize("era", [call, stateless_call])
async def test_no_text_of_an_exception_reaches_the_host_and_no_secret_the_log(era: Any) -> None:
    async with started() as server:
        if era is call:
            await server.shake_hands()
        await server.send(era(1, "misbehave", how="crash"), era(2, "nonsense"))
        answers = await server.receive_all(1, 2)
        assert code(answers[1]) == "INTERNAL_ERROR"
        assert answers[2]["error"] == {"code": -32602, "message": "Unknown tool: nonsense"}
        assert "effect" not in json.dumps(answers)
        await server.log_has("the effect")
        server.close_input()
        assert await server.exit_code() == 0
        assert b"the cause" in server.logged
        assert b"s3cr3t" not in server.logged


async def test_calls_are_answered_while_another_hangs() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(
            call("hung", "misbehave", how="wait"), *(call(number, "get_book", id=7) for number in range(500))
        )
        answers = await server.receive_all(*range(500))
        assert {data(answer)["id"] for answer in answers.values()} == {7}


async def test_an_answer_larger_than_any_buffer_arrives_whole_at_a_slow_host() -> None:
    async with started() as server:
        await server.shake_hands()
        calls = [call(number, "list_books", shelf="A", limit=100, offset=number) for number in range(100)]
        await server.send(*calls)
        await server.log_has('"call"')
        answers = await server.receive_all(*range(100))
        assert [data(answers[number])["items"][0]["id"] for number in range(100)] == list(range(1, 101))


async def test_a_cancelled_call_is_not_answered_and_the_next_one_is() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "misbehave", how="wait"))
        await server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        await server.send(call(2, "get_book", id=7))
        assert (await server.receive())["id"] == 2
        server.close_input()
        assert await server.rest() == []
        assert await server.exit_code() == 0
        assert b'"status":"cancelled"' in server.logged


# --- stopping ------------------------------------------------------------------------------------------------------


async def test_calls_in_flight_are_answered_after_the_end_of_input() -> None:
    async with started(environ={"LIBRARY_TIMEOUT_MS": "300"}) as server:
        await server.shake_hands()
        await server.send(*(call(number, "get_book", id=7) for number in range(50)), call("x", "misbehave", how="wait"))
        server.close_input()
        answers = {answer["id"]: answer for answer in await server.rest()}
        assert set(answers) == {*range(50), "x"}
        assert code(answers["x"]) == "TIMEOUT"
        assert await server.exit_code() == 0
        assert b"shelf closed: ***" in server.logged


async def test_a_last_line_without_a_newline_is_answered() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.write(json.dumps(call(1, "get_book", id=7)).encode())
        server.close_input()
        assert [answer["id"] for answer in await server.rest()] == [1]
        assert await server.exit_code() == 0


async def test_an_empty_input_is_not_an_error() -> None:
    async with started() as server:
        server.close_input()
        assert await server.rest() == []
        assert await server.exit_code() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("how", ["wait", "block"])
async def test_a_signal_ends_the_process_in_bounded_time(number: int, how: str) -> None:
    async with started(environ={"MCP_GRACE_S": "0.2"}) as server:
        await server.shake_hands()
        await server.send(request("list", "tools/list"))
        await server.receive()
        await server.log_has("shelf started")
        await server.send(call(1, "misbehave", how=how))
        if how == "wait":
            await server.send(request("after", "ping"))
            assert (await server.receive())["id"] == "after"
        else:
            await server.log_has('"stuck"')
            server.wait_until_asleep()
        server.signal(number)
        assert await server.exit_code() == 0
        assert (b"shelf closed: ***" in server.logged) == (how == "wait")
        assert (b"ended by force" in server.logged) == (how == "block")


async def test_a_call_in_flight_is_finished_after_a_signal_and_a_new_one_is_rejected(gate: Gate) -> None:
    async with started(environ=gate.environ) as server:
        await server.shake_hands()
        await server.send(call(1, "misbehave", how="gate"))
        await server.log_has("at the gate")
        server.signal(signal.SIGTERM)
        await server.log_has("asked to stop")
        await server.send(call(2, "get_book", id=7))
        response = await server.receive()
        assert response["id"] == 2
        assert response["error"] == {"code": -32603, "message": "The server is stopping"}
        gate.open()
        assert data(await server.receive()) == {"done": 1, "ratio": None}
        assert await server.exit_code() == 0
        assert b"shelf closed: ***" in server.logged


async def test_responses_to_replayed_messages_never_reach_the_host(gate: Gate) -> None:
    environ = gate.environ | {"MCP_GRACE_S": "3600", "LIBRARY_TIMEOUT_MS": "3600000"}
    async with started(environ=environ) as server:
        await server.shake_hands()
        await server.send(call(1, "misbehave", how="gate"))
        await server.log_has("at the gate")
        server.signal(signal.SIGTERM)
        await server.log_has("asked to stop")
        await server.write(b"{\n")  # for the SDK, which gets the handshake replayed first
        response = await server.receive()
        assert (response["id"], response["error"]["code"]) == (None, -32700)
        gate.open()
        assert [answer["id"] for answer in await server.rest()] == [1]


async def test_a_second_signal_ends_the_process_at_once(gate: Gate) -> None:
    async with started(environ=gate.environ | {"MCP_GRACE_S": "3600", "LIBRARY_TIMEOUT_MS": "3600000"}) as server:
        await server.shake_hands()
        await server.send(call(1, "misbehave", how="gate"))
        await server.log_has("at the gate")
        server.signal(signal.SIGTERM)
        await server.log_has("asked to stop")
        server.signal(signal.SIGTERM)
        assert await server.exit_code() == 0
        assert b"shelf closed: ***" in server.logged


@pytest.mark.parametrize("arguments", [(), ("--reference",)])
async def test_a_call_that_exceeds_the_grace_period_gets_an_error_response(
    arguments: tuple[str, ...], gate: Gate
) -> None:
    environ = gate.environ | {"MCP_GRACE_S": "0.2", "LIBRARY_TIMEOUT_MS": "3600000"}
    async with started(*arguments, environ=environ) as server:
        await server.shake_hands()
        await server.send(call("7", "misbehave", how="gate"), call(8, "misbehave", how="wait"))
        await server.log_has("at the gate")
        await server.send(request("listed", "tools/list"))
        assert (await server.receive())["id"] == "listed"
        server.signal(signal.SIGTERM)
        response = await server.rest()
        assert [answer["id"] for answer in response] == ["7", 8]
        for answer in response:
            assert answer["error"] == {"code": -32603, "message": "The server is stopping"}
        assert await server.exit_code() == 0
        assert b"Traceback" not in server.logged


async def test_a_signal_after_the_end_of_input_leaves_calls_the_grace_period(gate: Gate) -> None:
    environ = gate.environ | {"MCP_GRACE_S": "0.2", "LIBRARY_TIMEOUT_MS": "3600000"}
    async with started(environ=environ) as server:
        await server.shake_hands()
        await server.send(call(7, "misbehave", how="gate"))
        await server.log_has("at the gate")
        server.close_input()
        server.signal(signal.SIGTERM)
        (response,) = await server.rest()
        assert response == {"jsonrpc": "2.0", "id": 7, "error": {"code": -32603, "message": "The server is stopping"}}
        assert await server.exit_code() == 0
        assert b"shelf closed: ***" in server.logged
        assert b"by force" not in server.logged


async def test_a_cancelled_call_gets_no_error_response_at_the_end(gate: Gate) -> None:
    environ = gate.environ | {"MCP_GRACE_S": "0.2", "LIBRARY_TIMEOUT_MS": "3600000"}
    async with started(environ=environ) as server:
        await server.shake_hands()
        await server.send(call(7, "misbehave", how="gate"))
        await server.log_has("at the gate")
        await server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
        await server.log_has('"status":"cancelled"')
        server.signal(signal.SIGTERM)
        assert await server.rest() == []
        assert await server.exit_code() == 0


async def test_further_signals_change_nothing() -> None:
    async with started() as server:
        await server.shake_hands()
        for _ in range(5):
            server.signal(signal.SIGTERM)
            server.signal(signal.SIGINT)
        assert await server.exit_code() == 0
        assert b"Traceback" not in server.logged


async def test_a_slow_host_gets_everything_after_the_end_of_input() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(*(call(number, "list_books", shelf="A", limit=100) for number in range(100)))
        server.close_input()
        await asyncio.sleep(1.2)  # longer than a stopping server waits for its host
        assert {answer["id"] for answer in await server.rest()} == set(range(100))
        assert await server.exit_code() == 0


async def test_a_signal_before_the_first_request_ends_the_process_too() -> None:
    async with started() as server:
        await server.shake_hands()
        server.signal(signal.SIGTERM)
        assert await server.exit_code() == 0
        assert b"shelf closed: ***" in server.logged


async def test_a_host_that_reads_nothing_does_not_keep_the_process_alive() -> None:
    async with started(environ={"MCP_GRACE_S": "0.2"}) as server:
        await server.shake_hands()
        await server.send(*(call(number, "list_books", shelf="A", limit=100, offset=number) for number in range(50)))
        await server.log_has('"tool":"list_books"')
        server.signal(signal.SIGTERM)
        assert await server.exit_code() == 0


async def test_sources_are_warmed_up_once_after_the_first_list_of_tools() -> None:
    async with started() as server:
        await server.shake_hands()
        assert b"shelf started" not in server.logged
        await server.send(request(1, "tools/list"), request(2, "tools/list"))
        await server.receive_all(1, 2)
        await server.log_has("shelf started")
        server.close_input()
        await server.exit_code()
        assert server.logged.count(b"shelf started") == 1


async def test_a_server_with_a_short_deadline_connects_before_it_answers() -> None:
    async with started(environ={"LIBRARY_TIMEOUT_MS": "1999"}) as server:
        await server.shake_hands()
        server.close_input()
        await server.exit_code()
        assert server.logged.count(b"shelf started") == 1


async def test_the_warm_up_after_a_first_call_has_no_correlation_id() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        await server.receive()
        await server.log_has("shelf started")
        (line,) = (line for line in server.logged.splitlines() if b"shelf started" in line)
        assert b"corr_id" not in line


async def test_an_abandoned_call_warms_nothing_up(gate: Gate) -> None:
    async with started(environ=gate.environ | {"MCP_GRACE_S": "0", "LIBRARY_TIMEOUT_MS": "3600000"}) as server:
        await server.shake_hands()
        await server.send(call(1, "misbehave", how="gate"))
        await server.log_has("at the gate")
        server.signal(signal.SIGTERM)
        assert await server.exit_code() == 0
        assert b'"status":"cancelled"' in server.logged
        assert b"shelf started" not in server.logged


# --- many calls ----------------------------------------------------------------------------------------------------


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


async def test_a_hundred_thousand_concurrent_calls_are_answered_in_bounded_memory() -> None:
    async with started("--log-level", "warning") as server:
        await server.shake_hands()
        before = resident_mb(server.pid)
        line = json.dumps(call("ID", "list_books", shelf="A")) + "\n"
        lines = "".join(line.replace('"ID"', str(number)) for number in range(100_000)).encode()
        sending = asyncio.create_task(server.write(lines))
        seen, most = set(), before
        for number in range(100_000):
            answer = await server.receive()
            assert not answer["result"]["isError"]
            seen.add(answer["id"])
            if number % 5000 == 0:
                most = max(most, resident_mb(server.pid))
        await sending
        assert seen == set(range(100_000))
        assert most - before < 64


async def test_a_host_that_stops_reading_loses_no_answer_and_fills_no_memory() -> None:
    async with started("--log-level", "warning") as server:
        await server.shake_hands()
        before = resident_mb(server.pid)
        output: Any = server._process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
        output.pause_reading()
        sending = asyncio.create_task(server.send(*(call(number, "list_books", shelf="A") for number in range(50_000))))
        with pytest.raises(TimeoutError):  # the pipe is full, and not read
            await asyncio.wait_for(asyncio.shield(sending), 1)
        assert resident_mb(server.pid) - before < 64
        output.resume_reading()
        answers = await server.receive_all(*range(50_000))
        await sending
        assert not any(answer["result"]["isError"] for answer in answers.values())
