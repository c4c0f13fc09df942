"""Serve until standard input ends.

Run with `python -m sandbox.guardian FOLDER [ENDPOINT [RESULTS_ENDPOINT]]`. Binds each endpoint, by default on a free
port of 127.0.0.1, and prints both as one line of JSON. Writes the status files to FOLDER, and each message that arrives
to its file `received.jsonl`.
"""

import json
import signal
import sys
import time
from pathlib import Path
from typing import cast

import zmq

from sandbox.guardian import JOURNAL
from sandbox.guardian.backtests import BacktestError, format_error, format_result, run_backtest
from sandbox.guardian.requests import BadRequestError, find_request_id, read_request
from sandbox.guardian.routes import Route, find_route
from sandbox.guardian.status_files import StatusFiles

ANY_PORT = "tcp://127.0.0.1:*"
TICK_MS = 1000


def main(folder: Path, endpoint: str = ANY_PORT, results_endpoint: str = ANY_PORT) -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C needs no traceback
    files = StatusFiles(folder, time.time())
    files.write_system(time.time())
    with zmq.Context() as context, context.socket(zmq.SUB) as commands, context.socket(zmq.PUB) as results:
        commands.subscribe(b"")
        for socket, address in ((commands, endpoint), (results, results_endpoint)):
            socket.linger = 0
            socket.bind(address)
        bound = {"endpoint": _read_address(commands), "results_endpoint": _read_address(results)}
        sys.stdout.write(json.dumps(bound) + "\n")
        sys.stdout.flush()
        poller = zmq.Poller()
        poller.register(commands, zmq.POLLIN)
        poller.register(sys.stdin.fileno(), zmq.POLLIN)  # it is never written to, so it is readable at its end only
        while sys.stdin.fileno() not in (ready := dict(poller.poll(TICK_MS))):
            if commands in ready:
                for answer in handle(commands.recv(), files):
                    results.send_string(answer)
            files.write_system(time.time())


def _read_address(socket: zmq.Socket[bytes]) -> str:
    """Return the address that *socket* is bound to."""
    return cast("bytes", socket.getsockopt(zmq.LAST_ENDPOINT)).decode().rstrip("\0")


def handle(message: bytes, files: StatusFiles) -> list[str]:
    """Record *message*, run its backtest if it requests one, and return the answers."""
    route = find_route(message)
    with (files.folder / JOURNAL).open("a", encoding="utf-8") as journal:
        journal.write(json.dumps({"route": route, "message": message.decode(errors="replace")}) + "\n")
    if route is not Route.BACKTEST:
        return []
    text = message.decode()
    try:
        request = read_request(text)
    except BadRequestError as error:
        return [format_error(find_request_id(text), "", str(error))]
    try:
        result = run_backtest(request)
    except BacktestError as error:
        return [format_error(request.request_id, request.strategy.name, str(error))]
    files.write_backtest(time.time(), result)
    return [format_result(result)]


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
