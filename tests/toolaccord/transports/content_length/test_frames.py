import itertools
import time
import tracemalloc

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolaccord.transports.content_length.frames import (
    MAX_HEADER_BYTES,
    Frame,
    FrameDecoder,
    FramingFault,
    encode_frames,
)

MAX_BODY_BYTES = 1000


def encode_frame(body: bytes) -> bytes:
    return encode_frames([body])


BODY = b'{"jsonrpc":"2.0","id":"the one","method":"health.ping"}'

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=8), children, max_size=4),
    max_leaves=10,
)
json_texts = json_values.map(orjson.dumps).filter(lambda text: len(text) <= MAX_BODY_BYTES)
header_names = st.sampled_from([b"Content-Length: ", b"content-length:", b"CONTENT-LENGTH:\t ", b"Content-Type: "])
pieces = (
    st.binary(max_size=30)
    | header_names
    | st.integers(0, 60).map(lambda number: b"Content-Length: %d\r\n" % number)
    | st.sampled_from([b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"0", b"12", b"C", b"Content-Len", b"application/json"])
    | st.sampled_from([b"Content-Type: application/json\r\n", b"Content-Length: 99999999999\r\n\r\n", b"X: y\r\n"])
    | json_texts.map(encode_frame)
    | json_texts.map(lambda text: encode_frame(text)[:-3])
)
inputs = st.lists(pieces, max_size=12).map(b"".join)


def decode(data: bytes, *cuts: int, max_body_bytes: int = MAX_BODY_BYTES) -> list[Frame]:
    """Return the frames of *data*, which arrives in pieces that end at *cuts*."""
    decoder = FrameDecoder(max_body_bytes)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    frames = [frame for start, end in itertools.pairwise(edges) for frame in decoder.decode(data[start:end])]
    return frames + decoder.end()


def problems(data: bytes) -> list[str]:
    return [frame.problem if isinstance(frame, FramingFault) else "a frame" for frame in decode(data)]


@given(inputs, st.lists(st.integers(0, 400), max_size=6))
@example(b"Content-Length: 99\r\n\r\n[Content-Length: 4\r\n\r\ntrue", [])
def test_any_split_of_the_input_gives_the_same_frames(data: bytes, cuts: list[int]) -> None:
    assert decode(data, *cuts) == decode(data) == decode(data, *range(len(data)))


@given(inputs, inputs)
@example(b"Content-Length: 7\r\n\r\n", b"")
@example(b"Content-Length: 70\r\n\r\n", b"")
@example(b"Content-Length: 5\r\n", b"")
@example(b"Content-Length: 12", b"")
@example(b'Content-Length: 9\r\n\r\n{"a"', b"")
@example(b"Content-Type: application/json\r\n", b"")
@example(b" " * (MAX_HEADER_BYTES - 10), b"")
def test_a_frame_is_found_once_whatever_precedes_and_follows_it(before: bytes, after: bytes) -> None:
    assert decode(before + encode_frame(BODY) + after).count(BODY) == 1
    typed = b"Content-Type: application/json\r\n" + encode_frame(BODY)
    assert decode(before + typed + after).count(BODY) == 1


@given(inputs, json_texts)
def test_a_frame_is_found_as_soon_as_its_last_byte_is_there(before: bytes, body: bytes) -> None:
    decoder = FrameDecoder(MAX_BODY_BYTES)
    frame = encode_frame(body)
    decoder.decode(before + frame[:-1])
    assert decoder.decode(frame[-1:]) == [body]


@given(st.lists(json_texts, max_size=10))
def test_well_formed_frames_come_out_without_a_fault(bodies: list[bytes]) -> None:
    assert decode(encode_frames(bodies)) == bodies


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 4\r\n",
        b"CONTENT-LENGTH:4\r\n",
        b"Content-Length:\t 0000000000000000004\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 4\r\n",
        b'Content-Length: 4\r\ncontent-type:application/JSON;charset="UTF8"\r\n',
    ],
)
def test_a_header_may_have_a_type_and_names_in_any_case(header: bytes) -> None:
    assert decode(header + b"\r\ntrue") == [b"true"]


@pytest.mark.parametrize(
    "data, expected",
    [
        (b'{"jsonrpc": "2.0"}\n{"jsonrpc": "2.0"}\n', ["a line of the header ends with LF instead of CR LF"]),
        (b"Content-Length: 4\n\ntrue", ["a line of the header ends with LF instead of CR LF"]),
        (b"Content-Length: -4\r\n\r\ntrue", ["Content-Length is not a number of one to 19 digits"]),
        (b"Content-Length: 4 \r\n\r\ntrue", ["Content-Length is not a number of one to 19 digits"]),
        (b"Content-Length: +4\r\n\r\ntrue", ["Content-Length is not a number of one to 19 digits"]),
        (b"Content-Length: 0x4\r\n\r\ntrue", ["Content-Length is not a number of one to 19 digits"]),
        (b"Content-Length: " + b"1" * 20 + b"\r\n\r\n", ["Content-Length is not a number of one to 19 digits"]),
        (b"Content-Length: \xd9\xa4\r\n\r\ntrue", ["Content-Length is not a number of one to 19 digits"]),
        (
            b"Content-Length: 4\r\nContent-Length: 4\r\n\r\ntrue",
            ["Content-Length comes twice in a header; the second begins a frame", "a frame"],
        ),
        (b"Accept: */*\r\n\r\n", ["a line of the header is neither Content-Length nor Content-Type"]),
        (b"\r\n", ["the header has no Content-Length"]),
        (b"Content-Type: application/json\r\n\r\n", ["the header has no Content-Length"]),
        (
            b"Content-Type: text/html\r\n\r\n",
            ["Content-Type comes twice, or is not application/json or application/vscode-jsonrpc in UTF-8"],
        ),
        (
            b"Content-Type: application/json; charset=utf-16\r\n\r\n",
            ["Content-Type comes twice, or is not application/json or application/vscode-jsonrpc in UTF-8"],
        ),
        (b"Content-Length: 1001\r\n\r\n", ["the body is longer than 1000 bytes (MCP_MAX_BODY_BYTES)"]),
        (b"x" * (MAX_HEADER_BYTES + 1), [f"the header is longer than {MAX_HEADER_BYTES} bytes"]),
        (
            b"Content-Length: 50\r\n\r\n[1, 2Content-Length: 4\r\n\r\ntrue",
            ["the body is shorter than its Content-Length: another header begins in it", "a frame"],
        ),
        (b"Content-Length: 5\r\n\r\ntrue", ["the input ends inside a frame"]),
        (b"Content-Length: 5", ["the input ends inside a frame"]),
        (b"Content-Length: 5\r\n", ["the input ends inside a frame"]),
    ],
)
def test_each_fault_is_reported_once_and_named(data: bytes, expected: list[str]) -> None:
    assert problems(data) == expected


def test_a_fault_names_the_place_and_holds_nothing_of_the_input() -> None:
    data = encode_frame(b"true") + b"Authorization: secret\r\n\r\n" + encode_frame(b"null")
    problem = "a line of the header is neither Content-Length nor Content-Type"
    assert decode(data) == [b"true", FramingFault(problem, len(encode_frame(b"true"))), b"null"]


def test_a_header_of_the_largest_size_is_read() -> None:
    length = b"Content-Length: 4\r\n"
    kind = b"Content-Type:" + b"application/json".rjust(MAX_HEADER_BYTES - len(length) - 17) + b"\r\n"
    assert len(length + kind) == MAX_HEADER_BYTES - 2
    assert decode(length + kind + b"\r\ntrue") == [b"true"]
    assert problems(length + kind.replace(b":", b": ") + b"\r\ntrue") == [
        f"the header is longer than {MAX_HEADER_BYTES} bytes"
    ]


@pytest.mark.parametrize(
    "endless",
    [b"x", b"Content-Length: 1", b"\r\n", b"Content-Length: 999999\r\n\r\n", b"Content-Length: 900\r\n\r\n "],
)
def test_no_input_makes_the_decoder_keep_more_than_its_bound(endless: bytes) -> None:
    decoder = FrameDecoder(MAX_BODY_BYTES)
    piece = (endless * 10_000)[:10_000]
    decoder.decode(piece)
    tracemalloc.start()
    try:
        for _ in range(50):
            decoder.decode(piece)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000  # half a megabyte arrived; the faults of one piece take most


def seconds(data: bytes, piece_bytes: int, max_body_bytes: int) -> float:
    """Return the processor time of decoding *data* in pieces of *piece_bytes*."""
    decoder, start = FrameDecoder(max_body_bytes), time.process_time()
    for at in range(0, len(data), piece_bytes):
        decoder.decode(data[at : at + piece_bytes])
    return time.process_time() - start


@pytest.mark.parametrize(
    "unit, piece_bytes",
    [
        (b" ", 1),
        (b"Content-Length: 1", 1),
        (b"Content-Length: 1\r\n", 64),
        (b"c", 64),
        (b" ", 4096),
    ],
)
def test_the_time_grows_with_the_input_and_not_with_its_square(unit: bytes, piece_bytes: int) -> None:
    count = 100_000 if piece_bytes == 1 else 400_000
    begin = b"Content-Length: 4000000\r\n\r\n"
    large = (unit * count)[: count * 4]
    small = large[: len(large) // 8]
    assert seconds(begin + large, piece_bytes, 4_000_000) < 8 * 3 * seconds(begin + small, piece_bytes, 4_000_000)
