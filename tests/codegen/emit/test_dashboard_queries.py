"""Tests of the dashboards' queries on a real Prometheus that scrapes every server."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import pytest_asyncio

from tests.codegen.emit.exported_metrics import expositions
from tests.codegen.emit.test_dashboards import PAGES, fill_variables, list_targets
from tests.contracts.reading import ROOT
from tests.contracts.shipped import generated_paths
from tests.services.fetched import fetched
from tests.services.prometheus import Prometheus, scraping
from tests.services.served import serving

SANDBOXED = ("portfolio-mcp", "generated.tradestream.portfolio")
"""The server that runs as a process with the sandbox; it has tasks and sessions."""


class Expositions(BaseHTTPRequestHandler):
    """Answers `GET /NAME` with the metrics of a server or an agent."""

    def do_GET(self) -> None:
        body = expositions()[self.path[1:]].encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Keep the output of the tests free of scrapes."""


@pytest.fixture(scope="module")
def exposed() -> Iterator[str]:
    """The address at which the metrics of all servers and agents are."""
    expositions()  # opens sources, in an event loop of its own
    with ThreadingHTTPServer(("127.0.0.1", 0), Expositions) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def program() -> Path:
    """Path of Prometheus, which Debian's package has beside promtool."""
    return fetched("promtool").with_name("prometheus")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def prometheus(
    program: Path, exposed: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Prometheus]:
    """A Prometheus that has scraped every server at least twice, and a sandbox after a call."""
    home = tmp_path_factory.mktemp("prometheus")
    async with serving(SANDBOXED[1], ROOT, "--sandbox") as sandbox, httpx2.AsyncClient() as client:
        (await client.post(f"{sandbox.url}/mcp/tools/get_balance", json={})).raise_for_status()
        jobs = {
            name: {"metrics_path": f"/{name}", "static_configs": [{"targets": [exposed]}]} for name in expositions()
        }
        jobs[SANDBOXED[0]] = {"static_configs": [{"targets": [urlsplit(sandbox.url).netloc]}]}
        with scraping(program, home, jobs, generated_paths("prometheus.rules.yml")) as found:
            for name in jobs:
                await asyncio.to_thread(found.wait_for, f'count_over_time(up{{job="{name}"}}[1m]) > 2')
            yield found


@pytest.mark.parametrize("path", PAGES)
def test_every_query_of_a_dashboard_gives_series(path: str, prometheus: Prometheus) -> None:
    empty = [each["expr"] for each in list_targets(path) if not prometheus.query(fill_variables(each["expr"], "1m"))]
    assert empty == []


@pytest.mark.parametrize("path", PAGES)
def test_every_variable_of_a_dashboard_has_values(path: str, prometheus: Prometheus) -> None:
    for variable in PAGES[path]["templating"]["list"][1:]:
        series, label = variable["query"]["query"].removeprefix("label_values(").removesuffix(")").rsplit(", ", 1)
        assert all(label in each["metric"] for each in prometheus.query(series))
        assert prometheus.query(series)


def test_every_server_and_agent_answers_its_scrapes(prometheus: Prometheus) -> None:
    assert {each["metric"]["job"] for each in prometheus.query("up == 1")} == {*expositions()}


def test_the_target_and_the_percentile_of_each_tool_are_recorded(prometheus: Prometheus) -> None:
    recorded = prometheus.query("job_tool:mcp_tool_duration_seconds:p95_target")
    targets = {(each["metric"]["job"], each["metric"]["tool"]): float(each["value"][1]) for each in recorded}
    assert targets["portfolio-mcp", "validate_trade"] == 0.2
    compared = (
        "job_tool:mcp_tool_duration_seconds:p95_5m / on (job, tool) job_tool:mcp_tool_duration_seconds:p95_target"
    )
    assert {(each["metric"]["job"], each["metric"]["tool"]) for each in prometheus.query(compared)} == {*targets}
