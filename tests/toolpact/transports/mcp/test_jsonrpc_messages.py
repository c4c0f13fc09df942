import json
import math
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpact.transports.mcp.jsonrpc_messages import read, write


def refused(line: bytes) -> list[tuple[Any, int]]:
    answers = read(line)
    assert isinstance(answers, list)
    return [(answer["id"], answer["error"]["code"]) for answer in map(json.loads, answers)]


def test_a_request_a_notification_and_a_response_are_read() -> None:
    assert isinstance(read(b'{"jsonrpc":"2.0","id":1,"method":"ping"}'), types.JSONRPCRequest)
    assert isinstance(read(b' {"jsonrpc":"2.0","method":"x","params":{}}\r'), types.JSONRPCNotification)
    assert isinstance(read(b'{"jsonrpc":"2.0","id":1,"result":{}}'), types.JSONRPCResponse)
    assert isinstance(read(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}'), types.JSONRPCError)


def test_a_number_that_is_not_finite_passes_to_be_refused_by_name() -> None:
    message = read(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":NaN,"b":-Infinity,"c":1e999}}')
    assert isinstance(message, types.JSONRPCRequest)
    assert message.params is not None
    assert [math.isfinite(value) for value in message.params.values()] == [False] * 3


@pytest.mark.parametrize(
    "line,given",
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
def test_a_broken_line_is_answered_by_the_id_of_its_outermost_object(line: bytes, given: Any) -> None:
    assert refused(line) == [(given, types.PARSE_ERROR)]


def test_endless_nesting_is_a_broken_line() -> None:
    assert refused(b'{"id":9,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}") == [(9, types.PARSE_ERROR)]


@pytest.mark.parametrize(
    "line,given",
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
def test_json_that_is_no_message_is_refused_by_its_id(line: bytes, given: Any) -> None:
    assert refused(line) == [(given, types.INVALID_REQUEST)]


def test_each_request_of_a_batch_is_refused_by_its_id() -> None:
    batch = b'[{"id":1,"method":"ping"},{"method":"note"},{"id":"b","method":"x"},5,{"id":3,"result":{}}]'
    assert refused(batch) == [(1, types.INVALID_REQUEST), ("b", types.INVALID_REQUEST)]
    assert refused(b"[]") == [(None, types.INVALID_REQUEST)]
    assert refused(b'[{"method":"note"}]') == [(None, types.INVALID_REQUEST)]


def test_what_only_the_slow_way_can_write_is_written() -> None:
    line = write(types.JSONRPCResponse(jsonrpc="2.0", id=10**30, result={"text": "\ud800"}))
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 10**30, "result": {"text": "\ud800"}}


ids = st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner), max_leaves=5
)


@given(ids, st.dictionaries(st.text(), values), st.booleans())
def test_a_line_cut_anywhere_after_its_id_is_answered_by_it(given: Any, params: dict[str, Any], tail: bool) -> None:  # noqa: FBT001
    message = {"jsonrpc": "2.0", "id": given, "method": "x", "params": params}
    line = json.dumps(message).encode()
    cut = line[:-1] if tail else line[: line.index(b'"method"') + 3]
    assert refused(cut) == [(given, types.PARSE_ERROR)]


@given(st.binary())
def test_nothing_that_arrives_is_without_a_message_or_an_answer(line: bytes) -> None:
    assert read(line)
