"""The costs, the comparison with real processes and the tables of docs/scale.md."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from benchmarks.clients import paced
from benchmarks.scale import capacity, costs, scenarios, traces, validation
from benchmarks.scale.__main__ import BEGIN, PAGE, read_pools, validation_table, write
from benchmarks.scale.calls import Call, Leg, Visit
from benchmarks.scale.costs import Costs, Effort, Share, Target, targets
from benchmarks.scale.traces import Traced
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


CALIBRATION = costs.Calibration(
    responses=[],
    quiet={name: Usage(0.0005, 1.0) for name in (costs.SERVER, costs.CLIENT, "PostgreSQL", "Redis")},
    busy={name: Usage(0.0005, 1.0) for name in (costs.SERVER, costs.CLIENT, "PostgreSQL", "Redis")},
)


def traced(idle_s: float, turn_s: float) -> Traced:
    """Return a call with a turn before a visit, and one after it."""
    visit = Visit("PostgreSQL", 0.001)
    return Traced(idle_s, Call([Leg([turn_s], 0, visit), Leg([turn_s], 0)], transit_s=0.0001, return_s=0.0002))


def test_the_model_of_an_idle_server_takes_as_long_as_a_call_alone_did() -> None:
    work = replace(validation.work_of(MEASURED, CALIBRATION, [traced(0.05, 0.0005)] * 30, 0.1), client_s=0.0)
    run = validation.predict(work, validation.layout_of(1, 2), [number * 0.1 for number in range(50)])
    assert run.latencies_s == pytest.approx([0.0001 + 0.0005 + 0.001 + 0.0005 + 0.0002] * 50)


def test_the_shorter_an_event_loop_was_idle_the_less_time_a_call_takes_as_it_was_measured() -> None:
    draw = traces.draw_alike([traced(0.001, 0.0005)] * 30 + [traced(0.01, 0.001)] * 30, loaded_s=0.0005)

    def busy_s(idle_s: float) -> float:
        return Traced(idle_s, draw(Random(1), idle_s)).busy_s

    assert [busy_s(each) for each in (0.0, 0.0005, 0.001, 0.02)] == pytest.approx([0.0005, 0.00075, 0.001, 0.002])


def test_the_processor_time_of_a_backend_is_shared_among_its_visits_as_their_waits_are() -> None:
    legs = [Leg([0.001], 0, Visit("PostgreSQL", wait_s)) for wait_s in (0.003, 0.001)]
    (found,) = traces.with_processors([Traced(0.1, Call([*legs, Leg([0.001], 0)]))], {"PostgreSQL": 0.002})
    assert [each.visit and each.visit.processor_s for each in found.call.legs] == [
        pytest.approx(0.0015),
        pytest.approx(0.0005),
        None,
    ]


def test_a_call_alone_is_read_from_the_polls_of_its_event_loop_and_one_that_meets_another_is_not(
    tmp_path: Path,
) -> None:
    polls = [
        (0.0, 1.0, ["5000"], []),  # idle for a second, then the request
        (1.2, 1.2, [], ["redis.sock"]),
        (1.3, 1.5, ["redis.sock"], ["./.s.PGSQL.5432"]),
        (1.6, 2.0, ["./.s.PGSQL.5432"], []),
        (2.1, 2.1, [], ["5000"]),
        (2.2, 2.2, [], []),
        (2.3, 5.0, ["5000"], []),
        (5.1, 5.5, ["5001"], []),
        (5.6, 9.0, ["5000"], []),
    ]
    file = tmp_path / "polls.json"
    file.write_text(json.dumps(polls), encoding="ascii")
    times = [(-1.0, -0.5), (0.9, 2.25), (4.9, 6.0), (5.4, 7.0), (8.9, 9.9)]
    responses = [paced.Response(200, b"", sent, sent, received) for sent, received in times]
    urls = {"unix:///run/redis.sock": "Redis", "postgresql://app@/risk?host=%2Frun": "PostgreSQL"}
    (found,) = traces.read(file, responses, urls)
    assert (found.idle_s, found.call.transit_s, found.call.return_s) == pytest.approx((1.0, 0.1, 0.05))
    assert [(each.sends, each.visit and each.visit.backend) for each in found.call.legs] == [
        (1, "Redis"),
        (0, "PostgreSQL"),
        (1, None),
    ]
    assert [each.turns_s for each in found.call.legs] == [
        pytest.approx([0.2, 0.1]),
        pytest.approx([0.1]),
        pytest.approx([0.1, 0.1, 0.1]),
    ]
    assert [each.visit.wait_s for each in found.call.legs if each.visit] == pytest.approx([0.2, 0.4])


def test_the_interval_of_repeated_runs_holds_what_they_measured_and_is_wider_where_they_differ() -> None:
    def run(latency_s: float) -> validation.Run:
        return validation.Run([number / 10 for number in range(40)], [latency_s] * 40, 0.001)

    def find_width(runs: list[validation.Run]) -> float:
        low, high = validation.interval(runs, validation.quantile(0.5))
        return high - low

    assert validation.interval([run(0.01)] * 3, validation.quantile(0.95)) == (0.01, 0.01)
    assert find_width([run(0.01), run(0.02), run(0.03)]) == pytest.approx(0.02)


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
    seen = validation.Run([0.1, 0.2, 1.3], [0.004, 0.005, 0.2], 0.001, (3,))
    work = replace(validation.work_of(MEASURED, CALIBRATION, [traced(0.05, 0.0005)] * 30, 0.1), hit_s=0.0001)
    tables = [
        capacity.cost_table([MEASURED]),
        capacity.backend_table([MEASURED], read_pools()),
        scenarios.table(work),
        scenarios.exchange_table(),
        validation_table([validation.Step(2, 100, 0.1, [seen], [seen])]),
    ]
    for table in tables:
        assert len({row.count("|") for row in table}) == 1


@pytest.mark.load
def test_a_tool_is_measured_and_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "SECONDS", 0.05)
    monkeypatch.setattr(validation, "SECONDS", 0.5)
    monkeypatch.setattr(validation, "LOADS", (0.1,))
    monkeypatch.setattr(validation, "RUNS", 1)
    monkeypatch.setattr(costs, "TRACED_S", 0.5)
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
