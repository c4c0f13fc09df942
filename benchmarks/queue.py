"""Measure the queue of the signal generator: two workers, one of which is killed midway.

Run with `./run bench -- queue`; a number after it sets the number of symbols, by default 1,000. It fails unless each
symbol has one signal on the channel. NATS, Redis, both servers, which workers reach over HTTP, and the workers share
one machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from redis import Redis

from benchmarks.figures import number, percentile
from benchmarks.program import read_processor_s
from sandbox import environment

ROOT = Path(__file__).parents[1]
SYMBOLS = 1000
CHANNEL = "channel:raw-signals"
ADDRESS = re.compile(rb": listening on (http://127\.0\.0\.1:\d+)\b")
WORKERS = 2
REDELIVERY_S = 15.0
"""More than the seconds after which a killed worker's message comes again."""
UNUSED = {
    "DATABASE_URL": "postgresql://localhost:1/none",
    "INFLUXDB_URL": "http://localhost:1",
    "INFLUXDB_BUCKET": "none",
}
"""Settings that the servers require, and never use."""


@contextmanager
def running(name: str, *arguments: str, environ: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program of `benchmarks.any_symbol` meanwhile; its output and log are in *log*."""
    command = (sys.executable, "-m", "benchmarks.any_symbol", name, *arguments)
    with log.open("wb") as file, subprocess.Popen(command, cwd=ROOT, env=environ, stdout=file, stderr=file) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def serving(name: str, log: Path) -> Iterator[str]:
    """Provide the URL of a server."""
    with running(name, "--transport", "http", "--port", "0", environ={**os.environ, **UNUSED}, log=log) as process:
        while not (found := ADDRESS.search(log.read_bytes())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        yield f"{found[1].decode()}/mcp"


def measure(count: int, folder: Path, stack: ExitStack) -> Iterator[str]:
    """Yield the figures of *count* symbols.

    Raises AssertionError if a signal is missing or comes twice.
    """
    provided = stack.enter_context(environment({"NATS_URL", "REDIS_URL"}))
    environ = {**os.environ, **provided}
    for name in ("strategy", "market_data"):
        environ[f"{name.upper()}_MCP_URL"] = stack.enter_context(serving(name, folder / f"{name}.log"))
    client: Any = Redis.from_url(provided["REDIS_URL"])
    listening = stack.enter_context(client.pubsub())
    listening.subscribe(CHANNEL)
    assert listening.get_message(timeout=60)["type"] == "subscribe"
    symbols = [f"S{position:04}/USD" for position in range(count)]
    begin = time.monotonic()
    with running("signal_generator", "--enqueue", *symbols, environ=environ, log=folder / "scheduler.log") as scheduler:
        assert scheduler.wait() == 0
    yield f"enqueued {count} symbols in {number(time.monotonic() - begin)} s, the start of the scheduler included"
    logs = [folder / f"worker{index}.log" for index in range(WORKERS)]
    workers = [stack.enter_context(running("signal_generator", "--queue", environ=environ, log=log)) for log in logs]
    heard: Counter[str] = Counter()
    times: list[float] = []
    while len(heard) < count:
        message: Any = listening.get_message(timeout=60)
        assert message, f"{len(heard)} signals, and then none for a minute"
        heard[json.loads(message["data"])["symbol"]] += 1
        times.append(time.monotonic())
        if heard.total() == count // 3:
            workers[0].send_signal(signal.SIGKILL)
    processor_s = read_processor_s(workers[1].pid)
    wait_for_end(logs[1])
    while message := listening.get_message(timeout=1):
        heard[json.loads(message["data"])["symbol"]] += 1
    assert heard == Counter(symbols), [symbol for symbol, times_heard in heard.items() if times_heard > 1]
    yield from describe(times, logs, processor_s)


def wait_for_end(log: Path) -> None:
    """Wait until the surviving worker takes nothing for longer than a redelivery takes."""
    size = -1
    while size != (size := log.stat().st_size):
        time.sleep(REDELIVERY_S)


def describe(times: Sequence[float], logs: Sequence[Path], processor_s: float) -> Iterator[str]:
    """Yield rows about the signals, which came at *times*, and the requests of both workers."""
    third = len(times) // 3
    both, one = times[third - 1] - times[0], times[-1] - times[third]
    yield f"{len(times)} signals, each once; a worker was killed after {third}"
    yield f"with two workers {number((third - 1) / both)} signals a second, then with one {number((len(times) - third - 1) / one)}"
    lines = [parse(line) for log in logs for line in log.read_bytes().splitlines() if line.startswith(b'{"timestamp"')]
    durations = [line["duration_ms"] for line in lines if line.get("message") == "request"]
    shares = (percentile(durations, 0.5), percentile(durations, 0.95), max(durations))
    yield f"{len(durations)} requests were run, of {', '.join(number(share) for share in shares)} ms (p50, p95, max)"
    yield f"the surviving worker took {number(processor_s)} s of processor time"


def parse(line: bytes) -> dict[str, Any]:
    """Return a line of the log; an empty one if the process was killed while it wrote."""
    try:
        found: dict[str, Any] = json.loads(line)
    except ValueError:
        return {}
    return found


def main() -> int:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="./run bench -- queue", description=__doc__)
    parser.add_argument("symbols", nargs="?", type=int, default=SYMBOLS, help="number of symbols, by default 1,000")
    count = parser.parse_args().symbols
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {count} symbols, {WORKERS} workers\n")
    with TemporaryDirectory() as folder, ExitStack() as stack:
        for row in measure(count, Path(folder), stack):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
