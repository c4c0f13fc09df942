"""The costs, the comparison with real processes and the tables of docs/scale.md."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.scale import capacity, costs, scenarios, validation
from benchmarks.scale.__main__ import BEGIN, PAGE, read_pools, validation_table, write
from benchmarks.scale.costs import Costs, Effort, Share, Target, targets
from benchmarks.scale.usage import Usage, find_family, read_usage

MEASURED = Costs(
    server="platform.risk",
    tool=validation.TOOL,
    alone_s=[0.002] * 20,
    latencies_s=[0.004] * 20,
    loaded_s=0.001,
    effort=Effort(0.0008, 0.0003),
    client=Effort(0.0001, 0.0),
    rejection_s=0.0002,
    hit_s=0.0002,
    backends={"PostgreSQL": Share(0.0005, 1.0), "Redis": Share(0.00005, 1.1)},
)


def test_the_processor_time_and_the_waits_of_a_process_and_its_children_are_counted() -> None:
    script = "import time, sys; end = time.process_time() + 0.2\nwhile time.process_time() < end: pass\ntime.sleep(0.01); print('.', flush=True); sys.stdin.read()"
    command = ["sh", "-c", '"$0" -c "$1"; true', sys.executable, script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        family = find_family(process.pid)
        usage = read_usage(family)
        process.communicate()
    assert len(family) == 2
    assert 0.2 <= usage.processor_s < 1
    assert usage.waits >= 1


def test_every_tool_with_sources_is_measured_with_the_backends_of_its_contract() -> None:
    found = {each.tool: each.backends for each in targets("spec")}
    assert found[validation.TOOL] == {"PostgreSQL", "Redis"}
    assert found["risk.trigger_alert"] == {"NATS", "Redis"}
    assert (found["get_candles"], found["save_decision"]) == ({"InfluxDB"}, {"PostgreSQL"})
    assert len(found) > 20


def test_the_limits_of_a_tool_are_those_of_connections_and_of_cores() -> None:
    first, *others = capacity.limits(MEASURED, {"PostgreSQL": 10, "Redis": 20})
    assert (first.backend, first.what, first.replicas) == ("PostgreSQL", "connections", 9)
    assert [(each.backend, each.what, round(each.replicas)) for each in others] == [
        ("PostgreSQL", "processor", 23),
        ("Redis", "processor", 29),
        ("Redis", "connections", 500),
    ]


def test_the_pools_are_those_of_the_contracts() -> None:
    assert read_pools()["platform.risk"] == {"PostgreSQL": 10, "Redis": 20}


def test_the_cost_of_an_awakening_follows_from_two_loads() -> None:
    quiet, busy = Usage(0.002, 5.0), Usage(0.001, 1.0)
    found = Effort.through(quiet, busy)
    assert (found.base_s, found.wake_s) == pytest.approx((0.00075, 0.00025))
    assert Effort.through(busy, busy) == Effort(0.001, 0.0)


def test_the_model_of_an_idle_server_takes_as_long_as_a_call_alone_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "TIMER_S", 0.0)
    seen = validation.predict(MEASURED, 0.1, 1, [number * 0.1 for number in range(50)], cores=2)
    assert seen.p50_s == pytest.approx(0.004, rel=0.2)


def test_a_table_replaces_the_one_of_its_name_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    marks = "<!-- {}: written by ./run bench -- scale -->\nold\n<!-- end -->\n"
    page.write_text(f"a\n{marks.format('one')}b\n{marks.format('two')}c\n", encoding="utf-8")
    write(page, "two", ["| x |"])
    begin, end = marks.format("two").split("old\n")
    assert page.read_text(encoding="utf-8") == f"a\n{marks.format('one')}b\n{begin}\n| x |\n\n{end}c\n"


@pytest.mark.parametrize("name", ["costs", "backends", "validation", "million", "exchange"])
def test_the_page_has_a_place_for_each_table(name: str) -> None:
    assert BEGIN.format(name) in PAGE.read_text(encoding="utf-8")


def test_each_table_has_as_many_cells_in_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"BEGIN_S": 0.5, "END_S": 1.0, "CALLERS": 1000, "EXCHANGE_S": 20}.items():
        monkeypatch.setattr(scenarios, name, value)
    seen = validation.Seen(100, 0.004, 0.01, 0.001)
    tables = [
        capacity.cost_table([MEASURED]),
        capacity.backend_table([MEASURED], read_pools()),
        scenarios.table(MEASURED, 0.1),
        scenarios.exchange_table(),
        validation_table([validation.Step(2, 100, seen, seen, 0.0)]),
    ]
    for table in tables:
        assert len({row.count("|") for row in table}) == 1


@pytest.mark.load
def test_a_tool_is_measured_and_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "SECONDS", 0.05)
    monkeypatch.setattr(validation, "SECONDS", 0.5)
    monkeypatch.setattr(validation, "LOADS", (0.1,))
    monkeypatch.setattr(validation, "PROCESSES", (1, 2))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (target,) = [each for each in targets("") if each.tool == validation.TOOL]
    cores = os.sched_getaffinity(0)

    async def steps(target: Target) -> list[validation.Step]:
        with costs.environment(("RISK_DATABASE_URL", "REDIS_URL", "NATS_URL"), candles=False) as settings:
            measured = await costs.measure(target, settings, cores)
            assert {name: round(share.visits) for name, share in measured.backends.items()} == {
                "PostgreSQL": 2,
                "Redis": 1,
            }
            return list(await validation.validate(target, settings))

    try:
        assert [each.processes for each in asyncio.run(steps(target))] == [1, 2]
    finally:
        os.sched_setaffinity(0, cores)
