import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from tests.contracts.reading import server_files
from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian, WoodenShelf
from toolaccord.contract.settings import SettingValue
from toolaccord.sources import PoolState
from toolaccord.telemetry.metrics import BUCKETS_S, Metrics
from toolaccord.testing import FakeSource, ManualClock, pipeline


class Desk:
    """A library with metrics."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        server = library.server(Librarian())
        sources = {"shelf": WoodenShelf("shelf://")}
        self.metrics = Metrics(server, sources)
        self.pipeline = pipeline(
            server, sources=sources, settings={"shelf_url": ""}, clock=self.clock, metrics=self.metrics
        )

    async def call(self, name: str, caller: str = "", **arguments: Any) -> None:
        await self.pipeline.call(name, arguments, caller=caller)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def read(metrics: Metrics) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return every series with its value."""
    body, content_type = metrics.exposition()
    assert content_type.startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(body.decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value for each in families for sample in each.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    """Return the value of one series; None if it does not exist."""
    return read(metrics).get((name, frozenset(labels.items())))


async def test_a_call_is_counted_by_tool_client_and_status(desk: Desk) -> None:
    await desk.call("get_book", "opencode", id=1)
    await desk.call("get_book", "opencode", id=2)
    await desk.call("get_book", "opencode", id=999)
    counted = {"tool": "get_book", "client": "opencode"}
    assert value(desk.metrics, "mcp_tool_calls_total", **counted, status="success") == 2
    assert value(desk.metrics, "mcp_tool_calls_total", **counted, status="error") == 1
    assert value(desk.metrics, "mcp_errors_total", tool="get_book", error_code="BOOK_NOT_FOUND") == 1


async def test_the_duration_of_a_call_is_in_the_histogram(desk: Desk) -> None:
    task = asyncio.create_task(desk.call("misbehave", how="wait"))
    await desk.clock.wait_for_timer()
    desk.clock.advance(5)
    await task
    labels = {"tool": "misbehave", "status": "error"}
    assert value(desk.metrics, "mcp_tool_duration_seconds_bucket", **labels, le="3.0") == 0
    assert value(desk.metrics, "mcp_tool_duration_seconds_bucket", **labels, le="5.0") == 1
    assert value(desk.metrics, "mcp_tool_duration_seconds_sum", **labels) == 5


async def test_a_cancelled_call_is_counted_with_its_cache_lookup(desk: Desk) -> None:
    task = asyncio.create_task(desk.call("misbehave", "opencode", how="wait"))
    await desk.clock.wait_for_timer()
    task.cancel()
    await asyncio.wait({task})
    calls = {"tool": "misbehave", "client": "opencode", "status": "cancelled"}
    assert value(desk.metrics, "mcp_tool_calls_total", **calls) == 1
    assert value(desk.metrics, "mcp_tool_duration_seconds_count", tool="misbehave", status="cancelled") == 1
    assert value(desk.metrics, "mcp_cache_misses_total", tool="misbehave", level="memory") == 1


async def test_cached_results_are_hits_and_loaded_ones_misses(desk: Desk) -> None:
    for _ in range(3):
        await desk.call("list_books", shelf="A")
    await desk.call("list_books", shelf="A", fresh=True)
    await desk.call("list_books", shelf="not a shelf")
    await desk.call("get_book", id=1)
    assert value(desk.metrics, "mcp_cache_hits_total", tool="list_books", level="memory") == 2
    assert value(desk.metrics, "mcp_cache_misses_total", tool="list_books", level="memory") == 2
    assert value(desk.metrics, "mcp_cache_misses_total", tool="get_book", level="memory") is None, "it has no cache"


async def test_the_size_of_the_cache_and_its_evictions_are_reported(desk: Desk) -> None:
    assert value(desk.metrics, "mcp_cache_bytes") == 0
    await desk.call("list_books", shelf="A")
    assert (value(desk.metrics, "mcp_cache_bytes") or 0) > 512
    assert value(desk.metrics, "mcp_cache_evictions_total") == 0


async def test_the_operator_bounds_the_cache() -> None:
    server, metrics = library.server(Librarian()), Metrics(library.server(Librarian()), {})
    settings: dict[str, SettingValue] = {"shelf_url": "", "mcp_cache_bytes": 1}
    sources = {"shelf": WoodenShelf("shelf://")}
    calls = pipeline(server, sources=sources, settings=settings, metrics=metrics)
    for _ in range(2):
        await calls.call("list_books", {"shelf": "A"})
    assert value(metrics, "mcp_cache_misses_total", tool="list_books", level="memory") == 2


async def test_every_possible_series_starts_at_zero(desk: Desk) -> None:
    for code in ("INVALID_PARAMETER", "SHELF_ERROR", "TIMEOUT", "INTERNAL_ERROR", "BOOK_NOT_FOUND"):
        assert value(desk.metrics, "mcp_errors_total", tool="get_book", error_code=code) == 0
    assert value(desk.metrics, "mcp_tool_duration_seconds_count", tool="get_book", status="success") == 0
    assert value(desk.metrics, "mcp_cache_hits_total", tool="list_books", level="memory") == 0


def clients(metrics: Metrics) -> set[str]:
    return {dict(labels)["client"] for name, labels in read(metrics) if name == "mcp_tool_calls_total"}


@settings(max_examples=25)
@given(names=st.lists(st.text() | st.integers(0, 100).map("client-{}".format), max_size=60))
def test_the_number_of_series_is_bounded_whatever_names_clients_have(names: list[str]) -> None:
    metrics = Metrics(library.server(Librarian()), {})
    for name in names:
        metrics.record_call("get_book", name, "success", 0.1, None)
    found = clients(metrics)
    assert len(found) <= 22
    assert all(len(name) <= 64 and name.isascii() and name.isprintable() for name in found)
    totals = [counted for (series, _), counted in read(metrics).items() if series == "mcp_tool_calls_total"]
    assert sum(totals) == len(names), "every call is counted"


def test_early_clients_keep_their_names_and_a_nameless_one_is_unknown() -> None:
    metrics = Metrics(library.server(Librarian()), {})
    for name in ["Visual Studio Code", "", 'a"b\n', *(f"made-up-{number}" for number in range(1000)), "late"]:
        metrics.record_call("get_book", name, "success", 0.1, None)
    metrics.record_call("get_book", "Visual Studio Code", "success", 0.1, None)
    found = clients(metrics)
    assert {"Visual Studio Code", "unknown", "other"} < found
    assert "late" not in found
    counted = {"tool": "get_book", "client": "Visual Studio Code", "status": "success"}
    assert value(metrics, "mcp_tool_calls_total", **counted) == 2


def _targets(contract: Mapping[str, Any]) -> set[float]:
    found = {tool.get("deadline", {}).get("p95_ms") for tool in contract.get("tools", ())}
    return {target / 1000 for target in found if target is not None}


@pytest.mark.parametrize("path", server_files(), ids=lambda path: path.stem)
def test_the_p95_targets_of_every_contract_are_bucket_bounds(path: Path) -> None:
    assert _targets(json.loads(path.read_text(encoding="utf-8"))) <= set(BUCKETS_S)


@pytest.mark.parametrize("milliseconds", [20, 30, 50, 80, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000])
def test_a_usual_target_is_a_bucket_bound(milliseconds: int) -> None:
    assert milliseconds / 1000 in BUCKETS_S


class Pool(FakeSource):
    """A source whose pool state a test sets."""

    state = PoolState(idle=2, in_use=1, limit=10)

    def pool_state(self) -> PoolState:
        return self.state


def test_connections_are_counted_at_each_scrape() -> None:
    pool = Pool("postgresql")
    metrics = Metrics(library.server(Librarian()), {"shelf": pool, "no_pool": FakeSource("file")})

    def states() -> dict[str, float | None]:
        return {
            state: value(metrics, "mcp_pool_connections", source="shelf", state=state)
            for state in ("idle", "in_use", "limit")
        }

    assert states() == {"idle": 2, "in_use": 1, "limit": 10}
    pool.state = PoolState(idle=0, in_use=10, limit=10)
    assert states() == {"idle": 0, "in_use": 10, "limit": 10}
    pool.state = PoolState(idle=None, in_use=10, limit=10)
    assert states() == {"idle": None, "in_use": 10, "limit": 10}
    assert value(metrics, "mcp_pool_connections", source="no_pool", state="limit") is None


def test_two_servers_in_one_process_count_apart() -> None:
    first, second = (Metrics(library.server(Librarian()), {}) for _ in range(2))
    first.record_call("get_book", "a", "success", 0.1, None)
    assert clients(first) == {"a"}
    assert clients(second) == set()
