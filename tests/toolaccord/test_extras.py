"""Prove that a missing driver is one sentence, and that a server needs only its own."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from generated.moex.iss.client import IssClient
from toolaccord.extras import DRIVERS, MissingExtra, needed, require_driver
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.protobuf import ProtoFile, compile_proto_files

ROOT = Path(__file__).parents[2]
PROGRAM = """
import runpy, sys
hidden, module, *arguments = sys.argv[1:]
sys.modules.update(dict.fromkeys(hidden.split(",")))  # an import of them fails, as of a module that does not exist
sys.argv = [module, *arguments]
runpy.run_module(module, run_name="__main__")
"""
OTHERS = (
    *("uvicorn", "starlette", "httptools", "httpx2", "redis", "nats", "zmq", "grpc", "google"),
    *("opentelemetry.sdk", "opentelemetry.exporter", "a2a", "openai", "pydantic_ai", "numpy", "talib"),
    *("datamodel_code_generator", "jinja2", "ruff", "watchfiles", "rich", "tomlkit"),
)
"""Packages that a server on PostgreSQL does not need over stdio."""


def run_without(
    hidden: Sequence[str], module: str, *arguments: str, lines: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a module in a process without some packages, with *lines* as its input."""
    command = [sys.executable, "-c", PROGRAM, ",".join(hidden), module, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=env, input=lines, capture_output=True, encoding="utf-8", timeout=60, check=False
    )


@pytest.mark.parametrize(
    "hidden, command, sentence",
    [
        ("asyncpg", "tradestream.strategy", "strategy-mcp: asyncpg is not installed: install toolaccord with its extra postgresql"),
        ("asyncpg", "tradestream.strategy --sandbox", "strategy-mcp: asyncpg is not installed: install toolaccord with its extra postgresql"),
        ("google", "tradestream.backtest --help", "backtest-mcp: google.protobuf is not installed: install toolaccord with its extra grpc"),
        ("httptools", "moex.iss --transport http", "moex-iss-mcp: httptools is not installed: install toolaccord with its extra http"),
        ("redis", "agents.signal_generator --sandbox BTC/USD", "signal-generator: redis is not installed: install toolaccord with its extra redis"),
    ],
)  # fmt: skip
def test_a_server_or_agent_names_the_extra_of_a_missing_driver(hidden: str, command: str, sentence: str) -> None:
    ended = run_without([hidden], *f"generated.{command}".split())
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"{sentence}\n")


def test_a_server_on_postgresql_answers_over_stdio_without_any_other_driver() -> None:
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
    call = {"name": "get_top_strategies", "arguments": {"symbol": "BTC/USD"}}
    methods = {"initialize": start, "tools/list": {}, "tools/call": call}
    requests = [
        {"jsonrpc": "2.0", "id": at, "method": method, "params": methods[method]} for at, method in enumerate(methods)
    ]
    ended = run_without(
        OTHERS, "generated.tradestream.strategy",
        lines="".join(f"{json.dumps(each)}\n" for each in requests), DATABASE_URL="postgresql://me:secret@127.0.0.1:1/db",
    )  # fmt: skip
    answers = {each["id"]: each["result"] for each in map(json.loads, ended.stdout.splitlines())}
    assert len(answers[1]["tools"]) == 3
    assert answers[2]["structuredContent"]["error"]["code"] == "DATABASE_ERROR"
    assert "ModuleNotFoundError" not in ended.stderr


@pytest.mark.parametrize("kind", DRIVERS)
def test_every_kind_of_source_names_its_own_extra(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    require_driver(kind)
    monkeypatch.setitem(sys.modules, DRIVERS[kind][-1], None)
    with pytest.raises(MissingExtra, match=re.escape(f"install toolaccord with its extra {kind}")):
        require_driver(kind)


@pytest.mark.parametrize(
    "hidden, fixture, call, sentence",
    [
        ("asyncpg", "postgresql_url", "...", "asyncpg is not installed: install toolaccord with its extra postgresql"),
        ("redis", "serve", "await serve(StorageClient).__aenter__()", "redis is not installed: install toolaccord with its extra redis"),
    ],
)  # fmt: skip
def test_a_test_without_a_driver_names_its_extra(
    hidden: str, fixture: str, call: str, sentence: str, tmp_path: Path
) -> None:
    test = f"from generated.platform.storage.client import StorageClient\nasync def test_it({fixture}): {call}\n"
    (tmp_path / "test_it.py").write_text(test, encoding="utf-8")
    ended = run_without([hidden], "pytest", "-q", "-p", "no:cacheprovider", "--asyncio-mode=auto", str(tmp_path))
    assert ended.returncode == 1
    assert sentence in ended.stdout


def test_files_need_no_driver() -> None:
    require_driver("files")


def test_a_client_over_http_names_the_extra_of_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "toolaccord.client.http", raising=False)
    monkeypatch.setattr("toolaccord.client.http", None, raising=False)
    monkeypatch.delattr("toolaccord.client.http")
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtra, match=r"httpx2 is not installed: install toolaccord with its extra http"):
        IssClient.http("http://127.0.0.1:1/mcp")


def test_the_compiler_names_the_extra_that_a_proto_file_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "grpc_tools", None)
    file = ProtoFile("shop/stock.proto", "contracts/shop/stock.proto", 'syntax = "proto3";')
    with pytest.raises(CommandError, match=r"contracts/shop/stock\.proto needs grpcio-tools: install .* extra grpc"):
        compile_proto_files([file], [])


def test_a_module_that_is_missing_from_the_library_itself_is_no_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError) as raised, needed("http"):
        import toolaccord.missing  # type: ignore[import-not-found]  # noqa: F401, PLC0415
    assert not isinstance(raised.value, MissingExtra)
