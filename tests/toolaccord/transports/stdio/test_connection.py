import json
import os

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian, WoodenShelf
from toolaccord import testing
from toolaccord.config.process_settings import StopTimeouts
from toolaccord.shutdown import StopSignal
from toolaccord.transports.stdio.connection import StdioConnection
from toolaccord.transports.stdio.lines import encode_lines
from toolaccord.transports.streams.in_flight import InFlight
from toolaccord.transports.streams.writer import Writer


async def test_a_message_with_too_many_values_is_rejected_without_the_sdk() -> None:
    reading, writing = os.pipe()
    writer = Writer(writing, encode_lines)
    pipeline = testing.pipeline(library.server(Librarian()), sources={"shelf": WoodenShelf("s3cr3t")})
    stop = StopSignal(StopTimeouts(drain_s=0, grace_s=0))
    connection = StdioConnection(pipeline, writer, InFlight(None, frozenset()), stop, reference=False)
    params = {"name": "list_loans", "arguments": {"a": [{}] * 20_000}, "unknown": 1}
    connection._handle(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode())
    assert connection._sdk_task is None
    await writer.drain()
    assert json.loads(os.read(reading, 4096))["error"]["code"] == -32600
    for descriptor in (reading, writing):
        os.close(descriptor)
