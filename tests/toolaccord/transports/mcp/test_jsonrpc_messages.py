import json
import math
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolaccord.schema.value_count import MAX_VALUES
from toolaccord.transports.mcp.sdk.jsonrpc_messages import format_line, parse_line


def error_codes(line: bytes) -> list[tuple[Any, int]]:
    answers = parse_line(line)
    assert isinstance(answers, list)
    return [(answer["id"], answer["error"]["code"]) for answer in map(json.loads, answers)]


def test_requests_notifications_and_responses_are_parsed() -> None:
    assert isinstance(parse_line(b'{"jsonrpc":"2.0","id":1,"method":"ping"}'), types.JSONRPCRequest)
    assert isinstance(parse_line(b' {"jsonrpc":"2.0","method":"x","params":{}}\r'), types.JSONRPCNotification)
    assert isinstance(parse_line(b'{"jsonrpc":"2.0","id":1,"result":{}}'), types.JSONRPCResponse)
    assert isinstance(parse_line(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}'), types.JSONRPCError)


def test_numbers_that_are_not_finite_are_left_to_the_validation_of_arguments() -> None:
    message = parse_line(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":NaN,"b":-Infinity,"c":1e999}}')
    assert isinstance(message, types.JSONRPCRequest)
    assert message.params is not None
    assert [math.isfinite(value) for value in message.params.values()] == [False] * 3


@pytest.mark.parametrize(
    "line,request_id",
    [
        (b'{"jsonrpc":"2.0","id":7,"method":', 7),
        (b'{"jsonrpc":"2.0","id":"a\\"b","method":"x" oops}', 'a"b'),
        (b'{"params":{"id":1,"x":[{"id":2}]},"id":3,', 3),
        (b'{"params":{"text":"\\"id\\":1, {"},"id" : -4 ,', -4),
        (b'{"id":5,"text":"\xff\xfe"}', 5),
        (b'{"jsonrpc":"2.0","params":{"id":1},"method":"x"', None),
        (b'{"text":"never ended, \\"id\\":1', None),
        (b'{"id":1.5.2,"x"', None),
        (b'{"id":"\xff",', None),
        (b'[{"id":1},', None),
        (b"Content-Length: 52", None),
        (b"\xff\xfe\x00", None),
        (b'{"id":1' + b"[" * 100_000, None),
    ],
)
def test_the_error_response_to_a_broken_line_has_the_id_of_its_outermost_object(line: bytes, request_id: Any) -> None:
    assert error_codes(line) == [(request_id, types.PARSE_ERROR)]


def test_a_line_nested_too_deeply_is_broken() -> None:
    assert error_codes(b'{"id":9,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}") == [(9, types.PARSE_ERROR)]


@pytest.mark.parametrize(
    "line,request_id",
    [
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 1),
        (b'{"id":"x","method":"ping"}', "x"),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 1),
        (b'{"jsonrpc":"2.0","id":1}', 1),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None),
        (b"5", None),
        (b"null", None),
        (b'"text"', None),
        (b"{}", None),
    ],
)
def test_json_that_is_not_a_message_gets_an_error_response_with_its_id(line: bytes, request_id: Any) -> None:
    assert error_codes(line) == [(request_id, types.INVALID_REQUEST)]


def test_each_request_of_a_batch_gets_an_error_response() -> None:
    batch = b'[{"id":1,"method":"ping"},{"method":"note"},{"id":"b","method":"x"},5,{"id":3,"result":{}}]'
    assert error_codes(batch) == [(1, types.INVALID_REQUEST), ("b", types.INVALID_REQUEST)]
    assert error_codes(b"[]") == [(None, types.INVALID_REQUEST)]
    assert error_codes(b'[{"method":"note"}]') == [(None, types.INVALID_REQUEST)]


def test_values_that_orjson_cannot_encode_are_written() -> None:
    line = format_line(types.JSONRPCResponse(jsonrpc="2.0", id=10**30, result={"text": "\ud800"}))
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 10**30, "result": {"text": "\ud800"}}


ids = st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner), max_leaves=5
)


@given(ids, st.dictionaries(st.text(), values), st.booleans())
def test_the_error_response_to_a_truncated_line_has_its_id(request_id: Any, params: dict[str, Any], tail: bool) -> None:  # noqa: FBT001
    message = {"jsonrpc": "2.0", "id": request_id, "method": "x", "params": params}
    line = json.dumps(message).encode()
    cut = line[:-1] if tail else line[: line.index(b'"method"') + 3]
    assert error_codes(cut) == [(request_id, types.PARSE_ERROR)]


@given(st.binary())
def test_every_line_is_a_message_or_gets_an_error_response(line: bytes) -> None:
    assert parse_line(line)


MANY: list[Any] = [[1] * 1000, {str(number): 1 for number in range(1000)}]


@pytest.mark.parametrize("many", MANY, ids=["items", "members"])
@pytest.mark.parametrize("form", ["%s", '{"a":%s}', '{"name":"x","arguments":{},"a":%s}', '{"_meta":{"a":{"b":%s}}}'])
def test_a_message_with_too_much_beside_the_arguments_is_rejected(form: str, many: Any) -> None:
    params = form % json.dumps(many)
    line = f'{{"jsonrpc":"2.0","id":7,"method":"nonsense","params":{params}}}'.encode()
    assert error_codes(line) == [(7, -32600)]


def test_a_message_with_many_members_of_its_own_is_rejected() -> None:
    assert error_codes(json.dumps({"id": 7, **MANY[1]}).encode()) == [(7, -32600)]


def test_the_arguments_of_a_call_are_left_to_their_validation() -> None:
    params = {"name": "x", "arguments": {"a": MANY}}
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).encode()
    assert isinstance(parse_line(line), types.JSONRPCRequest)


@pytest.mark.parametrize("arguments", [{"a": [math.nan] * MAX_VALUES}, {"a": [[1] * 1000] * 21}, [{}] * 1001])
def test_arguments_that_hold_too_much_are_rejected_before_the_sdk_reads_them(arguments: Any) -> None:
    params = {"name": "x", "arguments": arguments}
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).encode()
    assert error_codes(line) == [(7, -32600)]


def test_a_batch_gets_a_bounded_number_of_responses() -> None:
    line = json.dumps([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(200_000)]).encode()
    codes = error_codes(line)
    assert codes == [*((number, -32600) for number in range(100)), (None, -32600)]


def test_the_id_of_a_line_that_is_not_json_is_searched_in_its_first_part() -> None:
    assert error_codes(b'{"id":7,' + b"[" * 100_000) == [(7, -32700)]
    assert error_codes(b'{"x":' + b"[]," * 50_000 + b'"id":7,') == [(None, -32700)]
