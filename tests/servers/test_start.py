"""What a server loads before it answers: a host starts one process a server, and a person waits for all of them."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.contracts.reading import ROOT, contracts
from tests.servers.test_requests_on_stdio import SETTINGS

SDK = {"mcp", "mcp_types"}
OTHERS = {"starlette", "uvicorn", "prometheus_client", "opentelemetry", "jinja2"}
SOURCES = {"aiohttp", "anyio", "asyncpg", "grpc", "httpx2", "influxdb_client"}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "tests", "version": "1"},
}
WARMED_UP = """
import asyncio

from generated.tradestream.strategy import models, server
from toolpact.testing import pipeline
from tests.servers.recorder import Recorder

records = [each for each in vars(models).values() if isinstance(each, type) and each.__module__ == models.__name__]
print(len(records), sum(each.__pydantic_complete__ for each in records))
asyncio.run(pipeline(Recorder("tradestream.strategy").server()).warm_up())
print(len(records), sum(each.__pydantic_complete__ for each in records))
"""
COLLECTED = """
import gc

from toolpact.server import gc_tuning

with gc_tuning.loading():
    print(gc.isenabled(), gc.get_freeze_count())
    import generated.tradestream.strategy.server
print(gc.isenabled(), gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 1000)
"""
PROBES = ["ping", "prompts/list", "resources/list", "resources/templates/list", "server/discover"]


def loaded(room: str, *asked: str) -> set[str]:
    """Return the packages that the server of *room* has loaded by its end, after a handshake and requests of some methods."""
    methods = ["initialize", *asked]
    lines: list[Any] = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": {} if number else HELLO}
        for number, method in enumerate(methods)
    ]
    lines.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", f"generated.{room}"],
        input="".join(json.dumps(each) + "\n" for each in lines),
        capture_output=True, encoding="utf-8", check=True, cwd=ROOT, timeout=60, env=os.environ | SETTINGS,
    )  # fmt: skip
    assert len(ended.stdout.splitlines()) == len(methods)
    names = [line.rpartition("|")[2].strip() for line in ended.stderr.splitlines() if line.startswith("import time:")]
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("room", contracts())
def test_a_server_that_is_only_probed_loads_neither_the_sdk_nor_what_its_sources_need(room: str) -> None:
    assert loaded(room, *PROBES) & (SDK | OTHERS | SOURCES) == set()


@pytest.mark.parametrize("room", contracts())
def test_a_list_of_tools_loads_what_sources_need_and_no_sdk(room: str) -> None:
    assert loaded(room, "tools/list", *PROBES) & (SDK | OTHERS) == set()


def test_what_the_front_leaves_to_the_sdk_loads_it() -> None:
    assert loaded("tradestream.strategy", "resources/read") >= SDK


def test_validators_are_built_after_the_start_and_before_the_first_call() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WARMED_UP], capture_output=True, encoding="utf-8", check=True, cwd=ROOT
    )
    (records, at_first), (_, warm) = (map(int, line.split()) for line in ended.stdout.splitlines())
    assert (at_first, warm) == (0, records)


def test_what_a_server_has_loaded_is_never_looked_through_for_garbage() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", COLLECTED], capture_output=True, encoding="utf-8", check=True, cwd=ROOT
    )
    assert ended.stdout.splitlines() == ["False 0", "True True True"]
