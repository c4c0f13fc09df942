"""The metrics of a server at one moment, and their change between two."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from toolaccord.telemetry.worker_metrics import Snapshot
from toolaccord_codegen.cli.servers.connections import Address, parse_address
from toolaccord_codegen.diagnostics import CommandError

METRICS, _ENDPOINT = "/metrics", "/mcp"
_PREFIX = "mcp_"
_TIMEOUT_S = 10.0
_UNAUTHORISED = {401, 403}


class NoMetrics(Exception):
    """A server did not send its metrics. The text says why, after its URL."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The metrics of a server at one moment."""

    metrics: Snapshot
    at: float
    """Seconds on a monotonic clock."""


Look: TypeAlias = Sequence[Reading | NoMetrics]
"""One look at several servers, in their order."""


def parse_target(url: str, token_env: str | None) -> Address:
    """Return the address of a server's metrics; *url* is that, its own, or that of its MCP.

    Raises CommandError.
    """
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        parsed = httpx2.URL()
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise CommandError(f"{url} is no URL of a server, e.g. http://localhost:8000")
    path = parsed.path.rstrip("/").removesuffix(METRICS).removesuffix(_ENDPOINT)
    return parse_address(str(parsed.copy_with(path=f"{path}{METRICS}", query=None, fragment=None)), token_env)


async def scrape_all(client: httpx2.AsyncClient, targets: Sequence[Address]) -> Look:
    """Return the metrics of each server, or why there are none."""
    return await asyncio.gather(*(_scrape(client, each) for each in targets))


async def _scrape(client: httpx2.AsyncClient, target: Address) -> Reading | NoMetrics:
    headers = {"Authorization": f"Bearer {target.token}"} if target.token else {}
    try:
        response = await client.get(target.url, headers=headers, timeout=_TIMEOUT_S)
    except httpx2.HTTPError as error:
        return NoMetrics(f"does not answer: {str(error) or type(error).__name__}")
    if response.status_code in _UNAUTHORISED:
        return NoMetrics(f"wants a token ({response.status_code}): --token-env NAME sends the one in a variable")
    if response.status_code != httpx2.codes.OK:
        return NoMetrics(f"answered with the HTTP status {response.status_code}")
    try:
        metrics = read_metrics(response.text)
    except ValueError:
        return NoMetrics("did not answer with metrics in Prometheus's text format")
    if not any(name.startswith(_PREFIX) for name, *_ in metrics):
        return NoMetrics(f"has no metrics of an MCP server; their names begin with {_PREFIX}")
    return Reading(metrics, time.monotonic())


def read_metrics(text: str) -> Snapshot:
    """Return the metrics in a text of Prometheus. Raises ValueError."""
    return [
        [each.name, each.documentation, each.type, [[part.name, part.labels, part.value] for part in each.samples]]
        for each in text_string_to_metric_families(text)
    ]


def compute_rates(before: Reading, after: Reading) -> Snapshot:
    """Return what was counted between two readings, a second; gauges as they are afterwards.

    A counter that fell began anew with its process, and has counted all of its value since.
    """
    seconds = after.at - before.at
    earlier = dict(_list_samples(before.metrics))
    rates: Snapshot = []
    for name, description, kind, samples in after.metrics:
        changed = samples
        if kind != "gauge":
            changed = [
                [sample, labels, _increase(earlier.get(_key(sample, labels), 0.0), value) / seconds]
                for sample, labels, value in samples
            ]
        rates.append([name, description, kind, changed])
    return rates


def _increase(before: float, after: float) -> float:
    return after - before if after >= before else after


def _list_samples(metrics: Snapshot) -> Iterator[tuple[Any, float]]:
    """Yield a key of each sample, and its value."""
    for _, _, _, samples in metrics:
        for name, labels, value in samples:
            yield _key(name, labels), value


def _key(name: str, labels: dict[str, str]) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


def list_readings(looked: Iterable[Reading | NoMetrics]) -> list[Reading]:
    """Return the readings of a look, without the servers that sent none."""
    return [each for each in looked if isinstance(each, Reading)]
