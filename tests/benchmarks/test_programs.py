"""Run each program of `./run bench` with the least work, so that none rots.

FastMCP and the picture's library are in an environment of their own, and buf, HAProxy and public servers come from
package registries. Of these parts the tests check the inputs. `./run load` runs the programs of many processes.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import sandbox
from benchmarks import (
    agents,
    any_symbol,
    compiler,
    evolution,
    imports,
    large_contracts,
    load,
    overload,
    queue,
    rounds,
    sizes,
    tools,
)
from benchmarks.contenders import contenders, peers
from benchmarks.pace import Pace
from benchmarks.page import marked
from benchmarks.processes import run
from generated.tradestream.market_data import server as market_data
from generated.tradestream.strategy import server as strategy

ONCE = Pace(1, 0, least=1)
ROOT = Path(__file__).parents[2]


def test_compare_measures_a_server_over_both_transports_and_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_IDLE_S", "_SLICE_S"):
        monkeypatch.setattr(rounds, name, 0.001)
    for name in ("_CALLS", "_PAGES", "_WARM_UP_CALLS"):
        monkeypatch.setattr(rounds, name, 4)
    monkeypatch.setattr(sizes, "ROWS", (1,))
    measured = rounds.Measured()
    with contenders() as (rows, *_):
        rounds.measure_starts([rows], ONCE, measured)
        rounds.measure_calls([rows], ONCE, measured)
        rounds.measure_calls_over_http([rows], ONCE, measured)
        growth = sizes.rows_a_page([rows], ONCE)
    assert measured.samples.keys() >= {rounds.LISTED_S, rounds.PIPELINED_CACHED, *rounds.HTTP.values()}
    assert [len(numbers) for numbers in growth.numbers.values()] == [1]


@pytest.mark.parametrize("program", [agents, imports, load, queue, tools], ids=lambda each: each.__name__)
def test_a_program_tells_what_it_measures_and_by_what_arguments(
    program: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["program", "--help"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert program.__doc__.split()[:4] == shown[shown.index(program.__doc__.split()[0]) :].split()[:4]
    assert "--measure" not in shown


def test_every_peer_of_compare_is_a_module_that_exists() -> None:
    modules = {contender.command[2] for contender in peers(0)}
    assert len(modules) == 3
    assert all(find_spec(module) for module in modules)


def test_compiler_measures_each_step_and_each_edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dialects.json", "shared.json", "tradestream/strategy.json", "tradestream/strategy.accepted.json"):
        (tmp_path / "contracts" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "contracts" / name, tmp_path / "contracts" / name)
    every = compiler.steps()

    def edit(home: Path, number: int) -> None:
        for step in every[4:]:
            step.prepare(home, number)

    chosen = (every[0], replace(every[2], prepare=edit))
    monkeypatch.setattr(compiler, "CONTRACTS", tmp_path / "contracts")
    monkeypatch.setattr(compiler, "steps", lambda: chosen)
    assert compiler.measure(2, 1).keys() == {step.name for step in chosen}


def test_the_tables_of_large_contracts_have_a_row_for_each_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"SERVERS": 1, "TOOLS": 1, "PROPERTIES": (1,), "LEVELS": 1}.items():
        monkeypatch.setattr(large_contracts, name, value)
    assert len(list(large_contracts.tool_table(tmp_path / "tools"))) == 5
    assert len(list(large_contracts.property_table(tmp_path / "properties"))) == 3


def test_evolution_finds_the_changes_since_each_of_its_older_states(tmp_path: Path) -> None:
    evolution._write_states(tmp_path)
    lint, *_, folder = [step for step in evolution.steps("buf") if "one server" in step.name or step.name == "lint"]
    environment = evolution.environment(tmp_path, is_cold=False)
    linted, compared = (run(tmp_path, step.ours, environment) for step in (lint, folder))
    assert (linted.status, "nothing to fix" in linted.output) == (0, True)
    assert compared.status == 1
    assert "contracts/tradestream/strategy.json" in compared.output
    assert (tmp_path / "all/proto").is_dir()
    tags = subprocess.run(["git", "tag"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True).stdout
    assert tags.split() == ["all", "one", "same"]


def test_imports_drafts_a_server_that_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "contracts").mkdir()
    monkeypatch.setenv("SHELF_URL", "shelf://wall")
    library = imports.PublicServer("pypi", "demo", "1", sys.executable, "-m tests.toolaccord.demo.library")
    losses = imports._import(library, tmp_path)
    assert losses is not None, capsys.readouterr().out
    assert (tmp_path / "contracts/public/demo.json").exists()


def test_tools_measures_a_tool_of_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "SECONDS", 0.01)
    monkeypatch.setattr(tools, "CALLERS", 1)  # more would be too many for 100 ms on a busy machine
    name = "storage.shared_state.set"
    with sandbox.environment(["REDIS_URL"]) as environment:
        monkeypatch.setenv("REDIS_URL", environment["REDIS_URL"])
        for limit in ("STATE_TIMEOUT_S", "STATE_CONNECTION_TIMEOUT_S"):  # 25 ms are too short on a busy machine
            monkeypatch.setenv(limit, "20")
        (row,) = tools._measure_server("platform.storage", {name: tools.platform_tools()["storage"][name]})
    assert row.startswith(name)
    assert "fails" not in row


def test_the_arguments_of_tools_are_valid_and_no_server_with_sources_is_forgotten() -> None:
    measured = {"tradestream": tools.tradestream("strategy", "spec"), "platform": tools.platform_tools()}
    for system, servers in measured.items():
        assert {path.stem for path in (ROOT / "contracts" / system).glob("*.json") if "." not in path.stem} == {
            *servers
        }
        for server, calls in servers.items():
            declared = {tool["name"]: tool for tool in read(f"{system}/{server}")["tools"]}
            assert declared.keys() >= calls.keys()


def test_agents_reads_what_the_contract_has_and_load_names_every_tool() -> None:
    assert agents.CONTRACT["limits"]["p95_ms"] > 0
    assert agents.CONTRACT["batch"]["size"] > 0
    assert load._objectives_ms().keys() == {tool["name"] for tool in read("tradestream/strategy")["tools"]}


def test_queue_has_a_program_for_each_process_that_it_starts() -> None:
    assert any_symbol.PROGRAMS.keys() == {"strategy", "market_data", "signal_generator"}
    assert strategy.server(any_symbol.Strategies()).name == "strategy-mcp"
    assert market_data.server(any_symbol.Prices()).name == "market-data-mcp"


def test_overload_sends_valid_calls_to_a_tool_with_a_deadline() -> None:
    (tool,) = [tool for tool in read("platform/risk")["tools"] if tool["name"] == overload.TOOL]
    body = json.loads(overload._request(1).partition(b"\r\n\r\n")[2])
    assert body.keys() <= tool["parameters"]["properties"].keys()
    assert overload.read_deadline_s() > 0


@pytest.mark.parametrize("name", ["outages", "overload"])
def test_a_page_has_a_place_for_the_numbers_of_its_program(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / f"docs/{name}.md"
    shutil.copy(ROOT / f"docs/{name}.md", page)
    monkeypatch.setattr(marked, "ROOT", tmp_path)
    marked.write(name, ["| 1 |"])
    once = page.read_text(encoding="utf-8")
    assert "| 1 |" in once
    marked.write(name, ["| 1 |"])
    assert page.read_text(encoding="utf-8") == once


@pytest.mark.load
def test_queue_brings_each_of_six_signals_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "REDELIVERY_S", 0.5)
    with ExitStack() as stack:
        rows = list(queue.measure(6, tmp_path, stack))
    assert rows[1].startswith("6 signals, each once")


@pytest.mark.load
def test_overload_measures_one_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SECONDS", "WARM_UP_S", "PAUSE_S"):
        monkeypatch.setattr(overload, name, 0.1)
    cores = os.sched_getaffinity(0)
    try:
        ((step,),) = asyncio.run(overload.measure([ROOT], [20]))
    finally:
        os.sched_setaffinity(0, cores)
    assert step.codes == {"": 2}


def read(name: str) -> Any:
    """Return a contract."""
    return json.loads((ROOT / f"contracts/{name}.json").read_text(encoding="utf-8"))
