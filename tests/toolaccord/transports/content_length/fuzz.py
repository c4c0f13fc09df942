"""Fuzz frames, JSON-RPC and pipeline in one process, by broken streams.

`python -m tests.toolaccord.transports.content_length.fuzz 100000` feeds as many, and `./run fuzz` does so. Each
stream mixes well-formed requests with mutated ones and with garbage, and arrives in random pieces. Every well-formed
request must be answered exactly once, with the code that it deserves, and all else with -32600.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.toolaccord.demo.framed import KEY, bodies, frame
from tests.toolaccord.demo.relay import Operator
from tests.toolaccord.generated.demo.relay.server import server
from toolaccord.call.pipeline import Pipeline
from toolaccord.config.process_settings import StopTimeouts
from toolaccord.shutdown import StopSignal
from toolaccord.testing import pipeline
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.content_length.access import KeyCheck
from toolaccord.transports.content_length.connection import FramedConnection
from toolaccord.transports.content_length.frames import FrameDecoder, encode_frames
from toolaccord.transports.streams.in_flight import InFlight
from toolaccord.transports.streams.writer import Writer

PATIENCE_S = 60
MAX_BODY_BYTES = 2000
REQUESTS: Sequence[tuple[str, dict[str, Any], int | None]] = (
    ("echo", {"api_key": KEY, "text": "hello"}, None),
    ("echo", {"api_key": KEY, "text": "Content-Length: 7\r\n\r\n"}, None),
    ("echo", {"api_key": KEY, "text": "\u00fc\U0001f600\u0000" * 20}, None),
    ("echo", {"api_key": KEY}, -32602),
    ("echo", {"api_key": "wrong", "text": "hello"}, -32001),
    ("nonsense", {"api_key": KEY}, -32601),
    ("fail", {"api_key": KEY, "by": "declared", "text": "lost"}, -32050),
    ("trade.submit", {"api_key": KEY, "lots": 1}, -32003),
)
"""Method, parameters and the code of the error."""
FRAGMENTS = (
    *(b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"C", b"c", b"Content-Length", b"content-length:", b"Content-Length: "),
    *(b"Content-Length: 0\r\n", b"Content-Length: 5\r\n\r\n", b"Content-Length: 300\r\n\r\n", b"\x00", b"\xef\xbb\xbf"),
    *(b"Content-Length: 1999\r\n\r\n{", b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: -1\r\n\r\n"),
    *(b"Content-Type: application/json\r\n", b"Content-Type: x\r\n", b"Host: x\r\n\r\n", b"[]", b'{"jsonrpc":"2.0",'),
    *(b"Content-Length: 4\r\n\r\nnull", b'"' * 50, b"[" * 500, b"x" * 5000, b" " * 4090, b"Content-Length: 7" * 9),
)


@dataclass(frozen=True)
class Stream:
    """Input, and the code that each well-formed request in it deserves."""

    pieces: list[bytes]
    expected: dict[str, int | None]


def make_stream(number: int, seed: int) -> Stream:
    """Return the stream *number* of *seed*."""
    chance = random.Random(f"{seed}/{number}")
    expected: dict[str, int | None] = {}
    parts = []
    for index in range(chance.randint(1, 8)):
        method, params, code = chance.choice(REQUESTS)
        name = f"{number}/{index}"
        message = {"jsonrpc": "2.0", "id": name, "method": method, "params": params}
        kind = chance.random()
        if kind < 0.45:
            expected[name] = code
            parts.append(frame(json.dumps(message, ensure_ascii=chance.random() < 0.5).encode()))
        elif kind < 0.75:
            parts.append(mutate(frame(json.dumps(message | {"id": f"mutated {name}"}).encode()), chance))
        elif kind < 0.9:
            parts += chance.choices(FRAGMENTS, k=chance.randint(1, 4))
        else:
            parts.append(chance.randbytes(chance.randint(1, 200)))
    return Stream(split(b"".join(parts), chance), expected)


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Return *data* with one to three changes."""
    for _ in range(chance.randint(1, 3)):
        start, end = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
        replacement = chance.choice(
            [b"", data[start:end] * 2, chance.randbytes(chance.randint(1, 9)), b"\r\n", b'"', b"9", b"\n"]
        )
        data = data[:start] + replacement + data[chance.choice([start, end, min(start + 1, len(data))]) :]
    return data


def split(data: bytes, chance: random.Random) -> list[bytes]:
    """Return *data* in random pieces: in one, in some, or in bytes."""
    count = chance.choice([0, 1, 3, 10, len(data) // 10])
    edges = [0, *sorted(chance.randrange(len(data) + 1) for _ in range(count)), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


class Fuzzer:
    """Feeds streams to connections, and checks the answers."""

    def __init__(self) -> None:
        relay = server(Operator()).on("content_length")
        self._pipeline: Pipeline = pipeline(relay, settings={"key": KEY, "station": "north"})
        self._access = KeyCheck(relay.access.content_length, {"key": KEY})
        self._output = os.memfd_create("answers")
        self.codes: Counter[int | None] = Counter()
        """Number of answers by their code; None is that of results."""

    async def feed(self, stream: Stream) -> None:
        """Feed *stream* to a new connection, and check its answers. Raises AssertionError."""
        answers = bodies(await self._answers(stream.pieces))
        codes: dict[str, list[int | None]] = {name: [] for name in stream.expected}
        for answer in answers:
            code = answer["error"]["code"] if "error" in answer else None
            self.codes[code] += 1
            assert answer["jsonrpc"] == "2.0"
            if answer["id"] in codes:
                codes[answer["id"]].append(code)
            elif answer["id"] is None:
                assert code == -32600
        assert codes == {name: [code] for name, code in stream.expected.items()}

    async def _answers(self, pieces: Sequence[bytes]) -> bytes:
        """Return all that a new connection answers."""
        os.ftruncate(self._output, 0)
        os.lseek(self._output, 0, os.SEEK_SET)
        stop = StopSignal(StopTimeouts(drain_s=0, grace_s=0))
        writer = Writer(self._output, encode_frames)
        connection = FramedConnection(
            self._pipeline, writer, InFlight(None, frozenset()), stop, self._access, SystemClock()
        )
        decoder = FrameDecoder(MAX_BODY_BYTES)
        for frames in (*map(decoder.decode, pieces), decoder.end()):
            while frames:
                del frames[: connection.consume(frames)]
        await asyncio.wait_for(connection.wait_until_answered(), PATIENCE_S)
        return os.pread(self._output, os.fstat(self._output).st_size, 0)


async def fuzz(numbers: range, seed: int) -> Counter[int | None]:
    """Feed the streams with these *numbers*; return the number of answers by code.

    Raises AssertionError with the number of the stream that is answered wrongly.
    """
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))
    fuzzer = Fuzzer()
    for number in numbers:
        try:
            await fuzzer.feed(make_stream(number, seed))
        except Exception as error:
            raise AssertionError(f"stream {number} of seed {seed}: {error}") from error
        assert not faults, f"stream {number} of seed {seed}: {faults}"
    return fuzzer.codes


def main(arguments: Sequence[str]) -> int:
    """Fuzz with as many streams as the first argument says, and print what was answered."""
    count, seed = int(arguments[0]) if arguments else 100_000, random.SystemRandom().randrange(2**32)
    logging.getLogger().setLevel(logging.CRITICAL)
    start, processor = time.monotonic(), time.process_time()
    codes = asyncio.run(fuzz(range(count), seed))
    seconds, processor = time.monotonic() - start, time.process_time() - processor
    answers = ", ".join(f"{number} {'results' if code is None else code}" for code, number in codes.most_common())
    sys.stdout.write(f"{count} streams of seed {seed} in {seconds:.0f} s ({processor:.0f} s of processor): {answers}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
