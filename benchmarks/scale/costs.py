"""The costs of a call of each tool: processor time of the server and of its backends.

A call alone gives the distribution: its processor time, its latency, and how often the server had to wait. Calls at
once give the cost under load, when a turn of the event loop serves several of them. All caches are off, so each call
runs its handler; rate limits are counted as always.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import time
from collections.abc import AsyncIterator, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

import sandbox
from benchmarks import tools
from benchmarks.clients import paced
from benchmarks.clients.messages import NUMBERED
from benchmarks.pace import log_progress
from benchmarks.scale import traces
from benchmarks.scale.traces import Traced
from benchmarks.scale.usage import Usage, find_family, read_own_usage, read_usage
from sandbox.candles import MINUTES, SimulatedCandles
from sandbox.seeded_random import SEED
from sandbox.tradestream.strategies import find_signalling_strategy
from tests.services import influxd
from tests.services.fetched import fetch
from tests.services.served import Served, serving

ROOT = Path(__file__).parents[2]
BACKENDS = {"postgres": "PostgreSQL", "valkey-server": "Redis", "nats-server": "NATS", "influxd": "InfluxDB"}
"""The backends whose processes are measured, by the names of these."""
KINDS = {title.lower(): title for title in BACKENDS.values()}
"""The backends by their kinds of sources in contracts."""
IDLE_S = 0.5
"""Time without calls, in which backends do what is no cost of a call."""
SECONDS = 1.5
"""Time for the calls of one tool at once, and again for those that are alone."""
ALONE, TOGETHER, QUIET = 200, 16, 8
"""Most calls that are alone; most connections for calls without and with pauses."""
SHARE_OF_DEADLINE = 0.3
"""Most time that calls without a pause wait for each other: admission rejects none."""
LEAST_WAITS = 0.3
"""Difference of two loads in awakenings for a call, below which nothing follows from it."""
SERVER, CLIENT = "server", "client"
MOST_WRONG = 0.05
"""Share of the calls at once that may fail: a busy machine misses a deadline of 50 ms."""
PAUSE_S = 0.001
"""Time after a call in which the server ends what it still does for it."""
INVALID = (400, 422)
"""The statuses of calls with invalid arguments; a dialect has one."""
CONNECTIONS = 128
"""Connections of the client for independent calls, which servers keep."""
TRACED_RATES, TRACED_S = (50, 100, 200, 400), 1.0
"""Calls a second of which some are alone on their server, and the time for each rate."""
CALLERS = 5000
"""Callers among whom calls are divided, so that none reaches its rate limit."""
NAMES = (*sandbox.PROVIDERS.keys() - {"INFLUXDB_URL"}, *sandbox.VALUES)
_NUMBERS = count(1)
Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Share:
    """The part of one backend in a call."""

    processor_s: float
    """Its processor time."""
    visits: float
    """Requests to it, as its waits tell."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The processor time of one thread for a call, as a line through two loads."""

    base_s: float
    """The time that each call takes."""
    wake_s: float
    """The time that each awakening of the idle thread takes besides."""

    @classmethod
    def through(cls, quiet: Usage, busy: Usage) -> Effort:
        """Return the line through the usages for a call of two loads.

        At most half of the time of the busier one is for awakenings.
        """
        waits, more_s = quiet.waits - busy.waits, quiet.processor_s - busy.processor_s
        wake_s = max(more_s / waits, 0.0) if waits > LEAST_WAITS else 0.0
        wake_s = min(wake_s, busy.processor_s / 2 / busy.waits) if busy.waits else wake_s
        return cls(busy.processor_s - wake_s * busy.waits, wake_s)


@dataclass(frozen=True, slots=True)
class Costs:
    """The measured costs of a call."""

    server: str
    tool: str
    alone_s: Sequence[float]
    """Processor time of the server for each of some calls alone."""
    latencies_s: Sequence[float]
    """Latency of each of them."""
    loaded_s: float
    """Processor time of the server for a call among others, without a pause."""
    effort: Effort
    """The same, by the awakenings of the event loop."""
    client: Effort
    """Processor time of the client."""
    rejection_s: float
    """Processor time of the server for a call with invalid arguments."""
    hit_s: float | None
    """Processor time of the server for a call that its cache answers; None without a cache."""
    backends: Mapping[str, Share]


@dataclass(frozen=True, slots=True)
class Target:
    """A tool, the arguments of its calls, and the contract of its server."""

    server: str
    tool: str
    arguments: Object
    contract: Object = field(repr=False)

    @property
    def timeout_s(self) -> float:
        """Its deadline."""
        return float(self._tool["deadline"]["timeout_ms"]) / 1000

    @property
    def is_cached(self) -> bool:
        """True if its contract has a cache."""
        return "cache" in self._tool

    @property
    def backends(self) -> set[str]:
        """The measured backends that a call visits.

        They are its sources, those of its events, and the store of its rate limit.
        """
        effects = self._tool["effects"]
        names = {self._tool.get("rate_limit", {}).get("store")}
        names |= {name for kind in ("reads", "adds", "writes") for name in effects.get(kind, ())}
        names |= {self.contract["events"][each]["source"] for each in effects.get("publishes", ())}
        kinds = {name: source["kind"] for name, source in self.contract["sources"].items()}
        return {KINDS[kinds[name]] for name in names if name and kinds[name] in KINDS}

    @property
    def _tool(self) -> Object:
        return next(each for each in self.contract["tools"] if each["name"] == self.tool)

    def request(self, arguments: Object | None = None) -> bytes:
        """Return a call with its own arguments or others.

        It is of the next caller, as far as rate limits go.
        """
        number = next(_NUMBERS)
        body = self.arguments if arguments is None else arguments
        if "quantity" in self.arguments and arguments is None:  # distinct orders share no result
            body = {**body, "quantity": 1 + number % 1000}
        text = json.dumps(body).replace(NUMBERED, f"number {number}")
        headers = {"User-Agent": f"bench-{number % CALLERS}"}
        return paced.post(f"/mcp/tools/{self.tool}", json.loads(text), headers)


def targets(spec_id: str) -> Iterator[Target]:
    """Yield the tools that are measured."""
    strategy_id = find_signalling_strategy(SEED, tools.SYMBOL)
    exchange = {
        "get_security_snapshot": {"ticker": "SBER", "board": "TQBR"},
        "get_ohlcv_timeseries": {"ticker": "SBER", "from_date": "2026-09-01", "to_date": "2026-10-30"},
    }
    systems = {
        "tradestream": tools.tradestream(strategy_id, spec_id),
        "platform": tools.platform_tools(),
        "moex": {"iss": exchange},
    }
    for system, servers in systems.items():
        for server, calls in servers.items():
            contract = json.loads((ROOT / f"contracts/{system}/{server}.json").read_text(encoding="utf-8"))
            yield from (
                Target(f"{system}.{server}", tool, arguments, contract)
                for tool, arguments in calls.items()
                if tool != "run_backtest"  # the backtester does the work
            )


@contextmanager
def environment(names: Iterable[str] = NAMES, *, candles: bool = True) -> Iterator[Mapping[str, str]]:
    """Start backends of this process alone, and yield the variables that name them.

    Raises RuntimeError where InfluxDB cannot be had.
    """
    program, complaint = fetch("influxdb") if candles else (None, "")
    with TemporaryDirectory(prefix="scale-", ignore_cleanup_errors=True) as home:
        os.environ["XDG_CACHE_HOME"] = home
        with sandbox.environment(list(names)) as settings:
            if complaint:
                raise RuntimeError(complaint)
            if program is None:
                yield settings
                return
            with influxd.running(program, Path(home)) as influx:
                influxd.command(influx.url, 'CREATE DATABASE "tradestream-data"')
                influxd.write(influx.url, "tradestream-data", _candles())
                yield {**settings, "INFLUXDB_URL": influx.url, "ISS_REQUESTS_PER_SECOND": "10000"}


def _candles() -> Iterator[tuple[str, int, float, float, float, float, float]]:
    """Yield a month of candles of one symbol."""
    end_ms = int(time.time()) // 60 * 60_000
    candles = SimulatedCandles().candles(tools.SYMBOL, end_ms - MINUTES * 60_000, end_ms)
    for time_ms, *values in candles.T.tolist():
        yield (tools.SYMBOL, int(time_ms), *values)


def find_backends() -> Mapping[str, Sequence[int]]:
    """Return the processes of each backend that this process has started."""
    home = Path(os.environ["XDG_CACHE_HOME"])
    masters = [int(each.read_text(encoding="utf-8").split()[0]) for each in home.rglob("postmaster.pid")]
    family = find_family(os.getpid(), *masters)
    return {title: [pid for pid, name in family.items() if name == comm] for comm, title in BACKENDS.items()}


async def measure(target: Target, settings: Mapping[str, str], server_cores: Iterable[int]) -> Costs:
    """Return the costs of a tool, whose server has cores of its own."""
    uncached = {**settings, **caches_off(target.tool)}
    async with serving(f"generated.{target.server}", ROOT, "--log-level=warning", env=uncached) as server:
        os.sched_setaffinity(server.pid, set(server_cores))
        _call_alone(server, [target.request()])  # what the first call loads is no cost of others
        alone_s, latencies_s, visits = await asyncio.to_thread(_measure_alone, target, server)
        alone = mean(alone_s)
        together = max(2, min(TOGETHER, int(SHARE_OF_DEADLINE * target.timeout_s / mean(latencies_s))))
        busy = await _measure_load(server, [target.request() for _ in range(_count(alone))], connections=together)
        quiet_calls = max(10, _count(alone) // 4)
        quiet = await _measure_load(
            server, [target.request() for _ in range(quiet_calls)], quiet_calls / SECONDS, connections=QUIET
        )
        invalid = [target.request({"nothing": 1}) for _ in range(_count(alone / 2))]
        rejected = await _measure_load(server, invalid, statuses=INVALID)
    hit_s = await _measure_hit(target, settings, server_cores) if target.is_cached else None
    shares = {name: Share((busy[name].processor_s + quiet[name].processor_s) / 2, visits[name]) for name in visits}
    return Costs(
        server=target.server,
        tool=target.tool,
        alone_s=alone_s,
        latencies_s=latencies_s,
        loaded_s=busy[SERVER].processor_s,
        effort=Effort.through(quiet[SERVER], busy[SERVER]),
        client=Effort.through(quiet[CLIENT], busy[CLIENT]),
        rejection_s=rejected[SERVER].processor_s,
        hit_s=hit_s,
        backends={name: shares[name] for name in sorted(target.backends)},
    )


def caches_off(tool: str) -> dict[str, str]:
    """Return the settings with which a tool caches nothing."""
    name = re.sub("[^A-Z0-9]", "_", tool.upper())
    return {f"{name}_CACHE_TTL_S": "0", f"{name}_CACHE_PROVISIONAL_TTL_S": "0"}


class Tracing:
    """A server on cores of its own whose event loop writes down what it does, for calibrations."""

    def __init__(self, target: Target, server: Served, file: Path, titles: Mapping[str, str]) -> None:
        self._target, self._server, self._file, self._titles = target, server, file, titles

    async def calibrate(self, seconds: float = TRACED_S) -> Calibration:
        """Make calls at several rates, for some seconds each, and then without a pause.

        An event loop that was idle for longer takes longer.
        """
        offered = [await self._offer(rate, seconds) for rate in TRACED_RATES]
        _, quiet = offered[-1]
        count = _count(quiet[SERVER].processor_s * SECONDS / seconds)
        busy = await _measure_load(self._server, [self._target.request() for _ in range(count)])
        responses = [response for found, _ in offered for response in found]
        return Calibration(responses, quiet, busy)

    async def _offer(self, rate: float, seconds: float) -> tuple[Sequence[paced.Response], dict[str, Usage]]:
        times_s = poisson(rate, seconds, seed=round(rate))
        requests = [self._target.request() for _ in times_s]
        offer = paced.offer_at(times_s, _port(self._server), requests, CONNECTIONS)
        return await _measure_offer(self._server, offer)

    def read(self, calibration: Calibration) -> Sequence[Traced]:
        """Return the calls of a calibration that the server had alone, after its end."""
        return traces.read(self._file, calibration.responses, self._titles)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The usage and the answers of a traced server for a while."""

    responses: Sequence[paced.Response]
    quiet: Mapping[str, Usage]
    """The usage of each program for a call, at the highest of the rates."""
    busy: Mapping[str, Usage]
    """The same for calls without a pause."""

    @property
    def loaded_s(self) -> float:
        """Processor time of the server for a call without a pause."""
        return self.busy[SERVER].processor_s

    @property
    def client(self) -> Effort:
        """Processor time of the client."""
        return Effort.through(self.quiet[CLIENT], self.busy[CLIENT])

    def backend_s(self, name: str) -> float:
        """Return the processor time of a backend for a call."""
        return (self.quiet[name].processor_s + self.busy[name].processor_s) / 2


@asynccontextmanager
async def tracing(
    target: Target, settings: Mapping[str, str], server_cores: Iterable[int], folder: Path
) -> AsyncIterator[Tracing]:
    """Start a traced server, whose traces are in a folder after this block."""
    file = folder / "polls.json"
    module = {"TRACED_MODULE": f"generated.{target.server}", "TRACED_FILE": str(file)}
    env = {**settings, **caches_off(target.tool), **module}
    async with serving("benchmarks.scale.traced", ROOT, "--log-level=warning", env=env) as server:
        os.sched_setaffinity(server.pid, set(server_cores))
        warming = [target.request() for _ in range(2 * TRACED_RATES[-1])]
        await paced.offer(_port(server), warming, TRACED_RATES[-1], CONNECTIONS)
        titles = {url: KINDS[kind] for url in settings.values() if (kind := _kind(url))}
        yield Tracing(target, server, file, titles)


def _kind(url: str) -> str | None:
    """Return the kind of source that a URL names, if it is one of those that are measured."""
    scheme = url.partition("://")[0]
    return {"unix": "redis", "http": "influxdb"}.get(scheme, scheme if scheme in KINDS else None)


def poisson(rate: float, seconds: float, seed: int) -> Sequence[float]:
    """Return times of independent calls."""
    random, times, now = Random(seed), [], 0.0  # noqa: S311 - a model
    while (now := now + random.expovariate(rate)) < seconds:
        times.append(now)
    return times


async def _measure_hit(target: Target, settings: Mapping[str, str], server_cores: Iterable[int]) -> float:
    """Return the processor time of a call that is like the one before."""
    async with serving(f"generated.{target.server}", ROOT, "--log-level=warning", env=settings) as server:
        os.sched_setaffinity(server.pid, set(server_cores))
        requests = [target.request(target.arguments) for _ in range(1500)]
        _call_alone(server, requests[:1])
        return (await _measure_load(server, requests))[SERVER].processor_s


def _count(processor_s: float) -> int:
    """Return the number of calls that keep a core busy for SECONDS."""
    return max(2 * TOGETHER, min(4000, int(SECONDS / processor_s)))


def _measure_alone(target: Target, server: Served) -> tuple[list[float], list[float], dict[str, float]]:
    """Make calls one by one; return processor times, latencies, and visits by backend."""
    idle = _measure_idle()
    backends, pid, end = find_backends(), [server.pid], time.perf_counter() + SECONDS
    begun, start = {name: read_usage(pids) for name, pids in backends.items()}, time.perf_counter()
    alone_s: list[float] = []
    latencies_s: list[float] = []
    last = read_usage(pid)
    with closing(socket.create_connection(("127.0.0.1", _port(server)))) as link:
        while len(alone_s) < 20 or (len(alone_s) < ALONE and time.perf_counter() < end):
            latencies_s.append(_exchange(link, target.request()))
            time.sleep(PAUSE_S)
            before, last = last, read_usage(pid)
            alone_s.append((last - before).processor_s)
    calls = len(alone_s)
    took_s = time.perf_counter() - start
    visits = {
        name: ((read_usage(backends[name]) - before).waits - idle[name].waits / IDLE_S * took_s) / calls
        for name, before in begun.items()
    }
    return alone_s, latencies_s, visits


async def _measure_load(
    server: Served,
    requests: Sequence[bytes],
    rate: float = 1e9,
    *,
    connections: int = TOGETHER,
    statuses: Collection[int] = (200,),
) -> dict[str, Usage]:
    """Make calls at a rate, or without a pause; return the usage for a call of each program.

    Raises RuntimeError if many answers have another status.
    """
    _, usages = await _measure_offer(server, paced.offer(_port(server), requests, rate, connections), statuses)
    return usages


async def _measure_offer(
    server: Served, offer: Coroutine[Any, Any, Sequence[paced.Response]], statuses: Collection[int] = (200,)
) -> tuple[Sequence[paced.Response], dict[str, Usage]]:
    """Return the responses of calls, and the usage for a call of each program.

    Raises RuntimeError if many answers have another status.
    """
    begun = {SERVER: read_usage([server.pid]), CLIENT: read_own_usage()}
    begun |= {name: read_usage(pids) for name, pids in find_backends().items()}
    responses = await offer
    ended = {SERVER: read_usage([server.pid]), CLIENT: read_own_usage()}
    ended |= {name: read_usage(pids) for name, pids in find_backends().items()}
    wrong = [each for each in responses if each.status not in statuses]
    if len(wrong) > MOST_WRONG * len(responses):
        raise RuntimeError(f"{len(wrong)} of {len(responses)} answers are {wrong[0].status} {wrong[0].body[:300]!r}")
    return responses, {name: (ended[name] - before).share(len(responses)) for name, before in begun.items()}


def _measure_idle() -> Mapping[str, Usage]:
    """Return what each backend does in IDLE_S without calls."""
    before = {name: (pids, read_usage(pids)) for name, pids in find_backends().items()}
    time.sleep(IDLE_S)
    return {name: read_usage(pids) - usage for name, (pids, usage) in before.items()}


def _call_alone(server: Served, requests: Iterable[bytes]) -> None:
    with closing(socket.create_connection(("127.0.0.1", _port(server)))) as link:
        for request in requests:
            _exchange(link, request)


def _exchange(link: socket.socket, request: bytes) -> float:
    """Send a request, and return the seconds until its response is there.

    Raises RuntimeError for an error.
    """
    start = time.perf_counter()
    link.sendall(request)
    received = b""
    while (size := paced.find_size(received)) is None or len(received) < size:
        received += link.recv(1 << 20)
    if b" 200 " not in received[:20]:
        raise RuntimeError(received.decode(errors="replace")[-500:])
    return time.perf_counter() - start


def _port(server: Served) -> int:
    return int(server.url.rpartition(":")[2])


async def measure_all(settings: Mapping[str, str], server_cores: Iterable[int]) -> Sequence[Costs]:
    """Return the costs of all tools."""
    env = settings
    async with serving("generated.tradestream.strategy_db", ROOT, "--log-level=warning", env=env) as server:
        spec_id = await asyncio.to_thread(_first_spec, server)
    found = []
    for target in targets(spec_id):
        log_progress(f"costs of {target.tool}")
        try:
            found.append(await measure(target, settings, server_cores))
        except RuntimeError as error:
            log_progress(f"{target.tool} is left out: {error}")
    return found


def _first_spec(server: Served) -> str:
    with closing(socket.create_connection(("127.0.0.1", _port(server)))) as link:
        link.sendall(paced.post("/mcp/tools/get_top_specs", {}, {}))
        received = b""
        while (size := paced.find_size(received)) is None or len(received) < size:
            received += link.recv(1 << 20)
    body = json.loads(received.partition(b"\r\n\r\n")[2])
    return str(body["data"]["items"][0]["spec_id"])
