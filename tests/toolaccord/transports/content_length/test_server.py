import asyncio
import json
import signal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.toolaccord.demo.framed import KEY, frame, framed, request
from tests.toolaccord.demo.relay import PRINTED
from tests.toolaccord.transports.content_length.test_frames import inputs

WRONG_KEY = "a-key-that-is-wrong-and-stays-unseen"


def error(answer: dict[str, Any]) -> tuple[Any, int]:
    """Return id and code of an error response, whose other members are as JSON-RPC has them."""
    assert answer.keys() == {"jsonrpc", "id", "error"}
    assert answer["error"]["message"]
    return answer["id"], answer["error"]["code"]


async def test_a_request_is_answered_with_the_result_of_its_method() -> None:
    async with framed() as server:
        await server.send(request(1, "echo", text="hello"))
        result = {"text": "hello", "station": "north"}
        assert await server.receive() == {"jsonrpc": "2.0", "id": 1, "result": result}


async def test_a_stray_print_goes_to_standard_error() -> None:
    async with framed() as server:
        await server.send(request(1, "echo", text=PRINTED))
        assert (await server.receive())["result"]["text"] == PRINTED
        await server.log_has(PRINTED)


@pytest.mark.parametrize("request_id", [0, -(2**63), 2**64 - 1, "", "seven", "\u00fc\ud800", "1"])
async def test_the_id_comes_back_as_it_was_sent(request_id: Any) -> None:
    async with framed() as server:
        await server.send(request(request_id, "echo", text="a"), request(request_id, "nonsense"))
        answers = [await server.receive(), await server.receive()]
        assert [answer["id"] for answer in answers] == [request_id, request_id]


NO_REQUESTS: list[tuple[bytes, Any]] = [
    (b"", None),
    (b"nonsense", None),
    (b"\xff\xfe", None),
    (b"\xef\xbb\xbf" + json.dumps(request(1, "echo", text="a")).encode(), None),
    (json.dumps(request(1, "echo", text="a")).encode("utf-16"), None),
    (b'{"a":' * 100_000, None),
    (b"5", None),
    (b"[]", None),
    (json.dumps([request(1, "echo", text="a")]).encode(), None),
    (b"{}", None),
    (b'{"jsonrpc":"2.0","id":null,"method":"echo"}', None),
    (b'{"jsonrpc":"2.0","id":true,"method":"echo"}', None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"echo"}', None),
    (b'{"jsonrpc":"2.0","id":[1],"method":"echo"}', None),
    (b'{"jsonrpc":"2.0","id":18446744073709551616,"method":"echo"}', None),
    (b'{"jsonrpc":"2.0","id":1' + b"0" * 400 + b',"method":"echo"}', None),
    (b'{"jsonrpc":"2.0","id":18446744073709551616,"method":"echo","params":{"a":NaN}}', None),
    (b'{"jsonrpc":"2.0","id":-9223372036854775809,"method":"echo","params":{"a":NaN}}', None),
    (b'{"jsonrpc":"1.0","id":1,"method":"echo"}', 1),
    (b'{"id":2,"method":"echo"}', 2),
    (b'{"jsonrpc":"2.0","id":3}', 3),
    (b'{"jsonrpc":"2.0","id":4,"method":5}', 4),
    (b'{"jsonrpc":"2.0","id":5,"method":"echo","params":"a"}', 5),
    (b'{"jsonrpc":"2.0","id":6,"method":"echo","params":null}', 6),
    (b'{"jsonrpc":"2.0","id":7,"method":"echo","more":1}', 7),
    (b'{"jsonrpc":"2.0","id":8,"result":{}}', 8),
    (b'{"jsonrpc":"2.0","method":"echo","params":[]}', None),
]


async def test_what_is_no_request_is_rejected_and_the_next_request_is_answered() -> None:
    async with framed() as server:
        for body, request_id in NO_REQUESTS:
            await server.write(frame(body))
            answer = await server.receive()
            assert error(answer) == (request_id, -32600), body
            assert answer["error"]["data"] == {"code": "INVALID_REQUEST", "details": {}}
            await server.send(request("next", "echo", text="a"))
            assert (await server.receive())["id"] == "next"


async def test_prompts_and_resources_are_for_mcp_alone() -> None:
    prompts = ("prompts/list", "prompts/get", "prompts/get spell", "completion/complete spell word")
    resources = ("resources/list", "resources/read", "resources/read alphabet")
    async with framed() as server:
        for method in (*prompts, *resources):
            await server.send(request(method, method, name="spell", word="bad", uri="relay://alphabet", prefix="b"))
            assert error(await server.receive()) == (method, -32601)


async def test_a_framing_fault_is_answered_and_says_where_it_is() -> None:
    async with framed() as server:
        await server.send(request(1, "echo", text="a"))
        await server.write(b"X-Key: 1\r\n\r\n")
        await server.send(request(2, "echo", text="a"))
        answers = await server.receive_all(1, None, 2)
        size = len(frame(json.dumps(request(1, "echo", text="a")).encode()))
        assert answers[None]["error"]["message"] == (
            "Invalid request: a line of the header is neither Content-Length nor Content-Type, "
            f"at byte {size} of the input."
        )


async def test_a_notification_is_logged_and_neither_answered_nor_executed() -> None:
    async with framed() as server:
        release = request(1, "signal.release", signal="red")
        del release["id"]
        await server.send(release, request(2, "signal.hold", signal="red"), request(3, "echo", text="a"))
        assert (await server.receive())["id"] == 3, "the signal holds"
        await server.log_has("The message has no id")
        await server.send(request(4, "signal.release", signal="red"))
        await server.receive_all(4, 2)


@pytest.mark.parametrize(
    "params",
    [{}, {"api_key": WRONG_KEY}, {"api_key": ""}, {"api_key": KEY + "x"}, {"api_key": [KEY]}, {"api_key": "\ud800"}],
)
async def test_without_the_key_no_method_answers_and_none_is_told_apart(params: dict[str, Any]) -> None:
    async with framed() as server:
        for method in ("echo", "nonsense", "trade.submit"):
            await server.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            answer = await server.receive()
            assert error(answer) == (1, -32001)
            assert answer["error"] == {
                "code": -32001,
                "message": "The request has no valid key.",
                "data": {"code": "UNAUTHORIZED", "details": {}},
            }


async def test_a_request_without_params_has_no_access() -> None:
    async with framed() as server:
        await server.send({"jsonrpc": "2.0", "id": 1, "method": "echo"})
        assert error(await server.receive()) == (1, -32001)


@pytest.mark.parametrize(
    "sent, code",
    [
        (request(1, "nonsense"), -32601),
        (request(1, "tools/call", name="echo"), -32601),
        (request(1, "echo"), -32602),
        (request(1, "echo", text=5), -32602),
        (request(1, "echo", text="a", more=1), -32602),
        (request(1, "echo", text="a", _meta=5), -32602),
        (request(1, "echo", text="a", _meta={"list": [0] * 1001}), -32602),
        (request(1, "trade.submit", many=[0] * 30_000), -32602),
        (request(1, "echo") | {"params": [KEY]}, -32602),
        (request(1, "fail", by="declared", text="a"), -32050),
        (request(1, "fail", by="source", text="a"), -32603),
        (request(1, "fail", by="crash", text="a"), -32603),
        (request(1, "trade.submit", lots=1), -32003),
    ],
)
async def test_each_failure_has_its_number(sent: dict[str, Any], code: int) -> None:
    async with framed() as server:
        await server.send(sent)
        answer = await server.receive()
        assert error(answer) == (1, code)
        assert answer["error"]["data"].keys() == {"code", "details"}


async def test_requests_run_together_and_are_answered_in_the_order_of_their_end() -> None:
    async with framed() as server:
        await server.send(request(1, "signal.hold", signal="red"), request(2, "signal.release", signal="red"))
        assert (await server.receive())["id"] == 2
        assert (await server.receive())["id"] == 1


async def test_a_thousand_requests_in_flight_are_all_answered() -> None:
    async with framed() as server:
        await server.send(*(request(number, "signal.hold", signal=f"s{number}") for number in range(1000)))
        await server.send(*(request(1000 + number, "signal.release", signal=f"s{number}") for number in range(1000)))
        answers = await server.receive_all(*range(1000), *range(1000, 2000))
        assert all(answers[number]["result"] == {"signal": f"s{number}"} for number in range(1000))


async def test_the_correlation_id_of_a_request_is_in_both_of_its_lines() -> None:
    async with framed() as server:
        await server.send(request(1, "echo", text="a", _meta={"corr_id": "the-one"}))
        await server.receive()
        server.close_input()
        assert await server.exit_code() == 0
        assert [line["corr_id"] for line in (*server.lines("call"), *server.lines("request"))] == ["the-one"] * 2


async def test_the_correlation_id_of_a_request_that_is_no_call_is_in_its_line() -> None:
    async with framed() as server:
        await server.send(
            request(1, "echo", api_key=WRONG_KEY, _meta={"corr_id": "without-access"}),
            request(2, "nonsense", _meta={"corr_id": "without-method"}),
            request(3, "echo", _meta=["corr_id"]),
        )
        await server.receive_all(1, 2, 3)
        server.close_input()
        assert await server.exit_code() == 0
        assert [line["corr_id"] for line in server.lines()][:2] == ["without-access", "without-method"]


async def test_each_message_is_one_line_of_the_log() -> None:
    async with framed() as server:
        await server.send(request(7, "echo", text="a"))
        await server.receive()
        await server.send(request("b", "nonsense"))
        await server.write(b"X: y\r\n\r\n")
        server.close_input()
        assert await server.exit_code() == 0
        lines = server.lines()
        fields = ("request_id", "method", "status")
        assert [tuple(line[name] for name in fields) for line in lines] == [
            ("7", "echo", "ok"),
            ("b", "nonsense", "error"),
            (None, None, "error"),
        ]
        assert all(line["duration_ms"] >= 0 and line["timestamp"] and line["corr_id"] for line in lines)
        assert [line["error"]["code"] for line in lines[1:]] == [-32601, -32600]
        assert "error" not in lines[0]


async def test_no_key_reaches_the_log_or_an_answer() -> None:
    async with framed("--log-level", "debug") as server:
        await server.send(
            request(1, "echo", text="a"),
            request(2, "echo", text="a", api_key=WRONG_KEY),
            request(3, "echo", text="a", api_key={"key": WRONG_KEY}),
            request(4, "echo", text=1),
            request(5, "echo") | {"params": [KEY]},
            request(6, "echo") | {"params": WRONG_KEY},
            request(7, "echo") | {"jsonrpc": WRONG_KEY},
            request(8, "fail", by="crash", text=KEY),
            request(9, KEY),
        )
        for data in (
            f"X-Key: {WRONG_KEY}\r\n\r\n",
            f"Content-Length: {WRONG_KEY}\r\n\r\n",
            f"Content-Length: 100\r\n\r\n{KEY}",
            f"Content-Length: 9999999\r\n\r\n{WRONG_KEY}",
            f"Content-Length: {len(WRONG_KEY)}\r\n\r\n{WRONG_KEY}",
            f"Content-Type: {WRONG_KEY}\r\n",
        ):
            await server.write(data.encode())
        server.close_input()
        answers = await server.rest()
        assert {answer["id"] for answer in answers} >= {1, 2, 3, 4, 5, 6, 7, 8, 9}
        assert await server.exit_code() == 0
        written = server.logged.decode() + json.dumps(answers)
        assert len(server.lines()) == len(answers)
        assert KEY not in written
        assert WRONG_KEY not in written


async def test_an_empty_key_refuses_to_start() -> None:
    async with framed(environ={"RELAY_KEY": ""}) as server:
        assert await server.exit_code() == 2
        assert b"RELAY_KEY is required and not set" in server.logged


async def test_there_is_no_reference_to_compare_with() -> None:
    async with framed("--reference") as server:
        assert await server.exit_code() == 2
        assert b"--reference is for MCP" in server.logged


async def test_the_end_of_input_ends_the_process_after_the_last_answer() -> None:
    async with framed() as server:
        await server.send(request(1, "signal.hold", signal="red"), request(2, "signal.release", signal="red"))
        await server.write(b"Content-Length: 100\r\n\r\n{")
        server.close_input()
        answers = {answer["id"]: answer for answer in await server.rest()}
        assert answers.keys() == {None, 1, 2}
        assert "the input ends inside a frame" in answers[None]["error"]["message"]
        assert await server.exit_code() == 0


async def test_a_stop_lets_calls_end_and_rejects_new_ones() -> None:
    async with framed() as server:
        await server.send(request(1, "signal.hold", signal="red"), request(2, "echo", text="a"))
        assert (await server.receive())["id"] == 2
        server.signal(signal.SIGTERM)
        await server.log_has("asked to stop")
        await server.send(request(3, "echo", text="a"))
        assert error(await server.receive()) == (3, -32603)


async def test_calls_beyond_the_grace_period_are_abandoned_and_answered() -> None:
    async with framed(environ={"MCP_GRACE_S": "0"}) as server:
        held = request(1, "signal.hold", signal="red", _meta={"corr_id": "the-held-one"})
        await server.send(held, request(2, "echo", text="a"))
        assert (await server.receive())["id"] == 2
        server.signal(signal.SIGTERM)
        answer = await server.receive()
        assert error(answer) == (1, -32603)
        assert answer["error"]["message"] == "The server is stopping."
        assert await server.exit_code() == 0
        assert [line["status"] for line in server.lines()] == ["ok", "error"]
        assert [each[-1]["corr_id"] for each in (server.lines("call"), server.lines())] == ["the-held-one"] * 2


async def test_a_closed_output_does_not_keep_the_process_from_ending() -> None:
    async with framed() as server:
        output: Any = server._process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
        output.close()
        await server.send(*(request(number, "echo", text="a" * 10_000) for number in range(100)))
        server.close_input()
        assert await server.exit_code() == 0


async def test_a_slow_reader_gets_every_answer() -> None:
    async with framed() as server:
        output: Any = server._process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
        output.pause_reading()
        sent = b"".join(
            frame(json.dumps(request(number, "echo", text="a" * 100_000)).encode()) for number in range(200)
        )
        writing = asyncio.create_task(server.write(sent))
        await server.log_has('"request_id":"20"')
        output.resume_reading()
        answers = await server.receive_all(*range(200))
        await writing
        assert len(answers) == 200


async def test_a_body_beyond_the_limit_is_rejected_unread() -> None:
    async with framed(environ={"MCP_MAX_BODY_BYTES": "1000"}) as server:
        await server.write(b"Content-Length: 1001\r\n\r\n")
        assert error(await server.receive()) == (None, -32600)
        await server.write(b"x" * 100_000)
        await server.send(request(1, "echo", text="a"))
        assert (await server.receive())["id"] == 1


@settings(max_examples=1)
@given(st.lists(inputs, min_size=100, max_size=200))
@example([b"\x00" * 10_000, b"\r\n" * 10_000, b"Content-Length: 0\r\n\r\n" * 10, b"Content-Length: 1\r\n" * 100])
def test_no_bytes_end_the_process_or_keep_it_from_answering(garbage: list[bytes]) -> None:
    async def check() -> None:
        async with framed() as server:
            for number, data in enumerate(garbage):
                await server.write(data)
                await server.send(request(f"the {number}", "echo", text="a"))
            server.close_input()
            answers = await server.rest()
            assert sorted(answer["id"] for answer in answers if answer["id"]) == sorted(
                f"the {number}" for number in range(len(garbage))
            )
            assert all("result" in answer or answer["error"]["code"] == -32600 for answer in answers)
            assert await server.exit_code() == 0

    asyncio.run(check())
