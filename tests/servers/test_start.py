"""Prove that a server loads little before it answers: a host starts many servers at once."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.contracts.reading import ROOT, contracts
from tests.servers.validation.test_requests_on_stdio import SETTINGS

SDK = {"mcp", "mcp_types"}
OTHERS = {"argparse", "starlette", "uvicorn", "prometheus_client", "opentelemetry", "jinja2"}
UNDECLARED = {
    "toolaccord.call.conditions", "toolaccord.call.events", "toolaccord.config.access_rules",
    "toolaccord.declarations.asks", "toolaccord.declarations.events", "toolaccord.versioning.upgrade_path",
}  # fmt: skip
"""Modules for what strategy-mcp does not have on standard input and output."""
SOURCES = {"anyio", "asyncpg", "grpc", "httpx2", "nats", "redis", "zmq"}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "tests", "version": "1"},
}
WARMED_UP = """
import asyncio

from generated.tradestream.strategy import models, server
from toolaccord.testing import pipeline
from tests.servers.harness import Recorder

records = [each for each in vars(models).values() if isinstance(each, type) and each.__module__ == models.__name__]
print(len(records), sum(each.__pydantic_complete__ for each in records))
asyncio.run(pipeline(Recorder("tradestream.strategy").server()).warm_up())
print(len(records), sum(each.__pydantic_complete__ for each in records))
"""
COLLECTED = """
import gc

from toolaccord.server import gc_tuning

with gc_tuning.pause_gc():
    print(gc.isenabled(), gc.get_freeze_count())
    import generated.tradestream.strategy.server
print(gc.isenabled(), gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 1000)
"""
PROBES = ["ping", "prompts/list", "resources/list", "resources/templates/list", "server/discover"]


@pytest.mark.parametrize(
    "key, code, sentence",
    [({}, 2, "SWIMMY_MCP_API_KEY is required and not set"), ({"SWIMMY_MCP_API_KEY": "own"}, 1, "cannot listen on")],
    ids=["none", "own"],
)
def test_beyond_this_machine_the_key_of_the_sandbox_gives_no_access(
    key: dict[str, str], code: int, sentence: str
) -> None:
    elsewhere = ("--transport", "http", "--host", "192.0.2.1", "--port", "0")  # an address that no machine has
    ended = subprocess.run(
        [sys.executable, "-m", "generated.gateway.swimmy", "--sandbox", *elsewhere],
        env={name: value for name, value in os.environ.items() if name != "SWIMMY_MCP_API_KEY"} | key,
        cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert sentence in ended.stderr
    assert ended.returncode == code


def has_short_deadline(module: str) -> bool:
    """Return whether a server connects its sources before it answers anything."""
    return any(tool["deadline"]["timeout_ms"] < 2000 for tool in contracts()[module]["tools"])


def find_loaded_packages(module: str, *requested: str) -> set[str]:
    """Return the packages that a server loads for a handshake and requests of some methods."""
    return {name.partition(".")[0] for name in find_loaded_modules(module, *requested)}


def find_loaded_modules(module: str, *requested: str) -> set[str]:
    """Return the modules that a server loads for a handshake and requests of some methods."""
    methods = ["initialize", *requested]
    lines: list[Any] = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": {} if number else HELLO}
        for number, method in enumerate(methods)
    ]
    lines.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", f"generated.{module}"],
        input="".join(json.dumps(each) + "\n" for each in lines),
        capture_output=True, encoding="utf-8", check=True, cwd=ROOT, timeout=60, env=os.environ | SETTINGS,
    )  # fmt: skip
    assert len(ended.stdout.splitlines()) == len(methods)
    return {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("module", [each for each in contracts() if not has_short_deadline(each)])
def test_a_probed_server_loads_neither_the_sdk_nor_the_libraries_of_its_sources(module: str) -> None:
    assert find_loaded_packages(module, *PROBES) & (SDK | OTHERS | SOURCES) == set()


@pytest.mark.parametrize("module", contracts())
def test_a_list_of_tools_loads_the_libraries_of_sources_but_not_the_sdk(module: str) -> None:
    loaded = find_loaded_packages(module, "tools/list", *PROBES)
    by_redis = {"opentelemetry"} if "redis" in loaded else set()  # redis-py loads it where it is installed
    assert loaded & (SDK | OTHERS) - by_redis == set()


def test_a_server_loads_no_module_for_what_it_does_not_declare() -> None:
    assert find_loaded_modules("tradestream.strategy", "tools/list", *PROBES) & UNDECLARED == set()


def test_a_request_outside_the_fast_path_loads_the_sdk() -> None:
    assert find_loaded_packages("tradestream.strategy", "resources/read") >= SDK


def test_validators_are_built_after_the_start_and_before_the_first_call() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WARMED_UP], capture_output=True, encoding="utf-8", check=True, cwd=ROOT
    )
    (records, at_first), (_, warm) = (map(int, line.split()) for line in ended.stdout.splitlines())
    assert (at_first, warm) == (0, records)


def test_objects_loaded_at_the_start_are_frozen_for_the_garbage_collector() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", COLLECTED], capture_output=True, encoding="utf-8", check=True, cwd=ROOT
    )
    assert ended.stdout.splitlines() == ["False 0", "True True True"]
