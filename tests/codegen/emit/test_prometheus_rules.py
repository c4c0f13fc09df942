"""Tests of the Prometheus rules with promtool: syntax, and alerts on given series."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contracts.shipped import compiled_contracts
from tests.services.fetched import fetched
from toolaccord.telemetry.metrics import BUCKETS_S
from toolaccord_codegen.emit.prometheus_rules import FAULT_RATIO, P95, P95_TARGET, build_rule_files, list_fault_codes
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout

ROOT = Path(__file__).parents[3]
CONTRACTS = {contract.name: contract for contract in compiled_contracts().contracts}
NAMED = pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
STRATEGY = CONTRACTS["strategy-mcp"]
LAYOUT = Layout(package="generated", handlers="handlers", sandbox=None, contracts="contracts", command="again")
TOOL = "get_top_strategies"


@pytest.fixture(scope="module")
def promtool() -> Path:
    """Path of promtool, Prometheus's rule checker."""
    return fetched("promtool")


def list_rules(contract: Contract) -> list[dict[str, Any]]:
    """List the recording and alerting rules of a server."""
    (text,) = build_rule_files([contract], LAYOUT).values()
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def write_rules(contract: Contract, folder: Path) -> Path:
    """Write the rules of a server to a file."""
    (text,) = build_rule_files([contract], LAYOUT).values()
    file = folder / "prometheus.rules.yml"
    file.write_text(text, encoding="utf-8")
    return file


def run_promtool(promtool: Path, *arguments: str | Path) -> str:
    """Run promtool, which must succeed, and return its output."""
    done = subprocess.run([promtool, *arguments], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def assert_alerts(
    promtool: Path, folder: Path, series: Mapping[str, str], contract: Contract = STRATEGY, **expected: Any
) -> None:
    """Assert alerts of a server on 20 minutes of series, given by increase per minute."""
    assert_alerts_of(promtool, folder, write_rules(contract, folder), series, **expected)


def assert_alerts_of(promtool: Path, folder: Path, rules: Path, series: Mapping[str, str], **expected: Any) -> None:
    """Assert alerts of a file of rules on 20 minutes of series."""
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": f"{each}x20"} for name, each in series.items()],
        **expected,
    }
    whole = {"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [test]}
    file = folder / "test.yml"
    file.write_text(json.dumps(whole), encoding="utf-8")
    run_promtool(promtool, "test", "rules", file)


def build_latency_series(within_200_ms: int) -> dict[str, str]:
    """Build 100 calls a minute: *within_200_ms* take up to 200 ms, the others up to 300 ms."""
    labels = f'job="strategy-mcp", instance="a:1", tool="{TOOL}", status="success"'
    counts = {"0.1": 0, "0.2": within_200_ms, "0.3": 100, "+Inf": 100}
    return {f'mcp_tool_duration_seconds_bucket{{{labels}, le="{le}"}}': f"0+{n}" for le, n in counts.items()}


def build_error_series(code: str, count: int) -> dict[str, str]:
    """Build series of 100 calls a minute, of which *count* fail with a code."""
    labels = f'job="strategy-mcp", instance="a:1", tool="{TOOL}"'
    return {
        f'mcp_errors_total{{{labels}, error_code="{code}"}}': f"0+{count}",
        f'mcp_tool_calls_total{{{labels}, client="c", status="success"}}': f"0+{100 - count}",
        f'mcp_tool_calls_total{{{labels}, client="c", status="error"}}': f"0+{count}",
    }


def expect_alert(
    name: str, labels: Mapping[str, str], annotations: Mapping[str, str], minute: int = 16
) -> dict[str, Any]:
    """Expect a firing alert at a minute."""
    expected = [{"exp_labels": labels, "exp_annotations": annotations}]
    return {"alertname": name, "eval_time": f"{minute}m", "exp_alerts": expected}


def expect_no_alert(name: str, minute: int = 16) -> dict[str, Any]:
    """Expect that an alert does not fire at a minute."""
    return {"alertname": name, "eval_time": f"{minute}m", "exp_alerts": []}


def fill_annotations(name: str, shown: Mapping[str, str], contract: Contract = STRATEGY) -> dict[str, str]:
    """Fill the placeholders in the annotations of an alert of a server."""
    return fill(list_rules(contract), name, shown)


def fill(rules: Sequence[Mapping[str, Any]], name: str, shown: Mapping[str, str]) -> dict[str, str]:
    """Fill the placeholders in the annotations of an alert."""
    found = [rule for rule in rules if rule.get("alert") == name]
    annotations: dict[str, str] = dict(found[0]["annotations"])
    for key, text in annotations.items():
        for placeholder, value in shown.items():
            text = text.replace(placeholder, value)  # noqa: PLW2901 - one replacement after the other
        annotations[key] = text
    return annotations


@NAMED
def test_promtool_accepts_the_rules_of_every_server(contract: Contract, promtool: Path, tmp_path: Path) -> None:
    assert "SUCCESS" in run_promtool(promtool, "check", "rules", write_rules(contract, tmp_path))


def test_a_tool_that_misses_its_target_for_ten_minutes_is_reported(promtool: Path, tmp_path: Path) -> None:
    labels = {"job": "strategy-mcp", "server": "strategy-mcp", "severity": "warning", "tool": TOOL}
    (slow,) = [rule for rule in list_rules(STRATEGY) if rule.get("alert") == "ToolSlow"]
    (target,) = re.findall("{{ with .* end }}", slow["annotations"]["description"])
    shown = {"{{ $value | humanizeDuration }}": "250ms", target: "200ms", "{{ $labels.tool }}": TOOL}
    annotations = fill_annotations("ToolSlow", shown)
    sample = {"labels": f'{{job="strategy-mcp", tool="{TOOL}"}}', "value": 0.25}
    assert_alerts(
        promtool,
        tmp_path,
        build_latency_series(within_200_ms=90),
        promql_expr_test=[{"expr": f"round({P95}, 0.001)", "eval_time": "16m", "exp_samples": [sample]}],
        alert_rule_test=[expect_no_alert("ToolSlow", minute=9), expect_alert("ToolSlow", labels, annotations)],
    )


def test_a_tool_within_its_target_is_not_reported(promtool: Path, tmp_path: Path) -> None:
    assert_alerts(
        promtool, tmp_path, build_latency_series(within_200_ms=96), alert_rule_test=[expect_no_alert("ToolSlow")]
    )


def test_cancelled_calls_do_not_count_for_the_target(promtool: Path, tmp_path: Path) -> None:
    cancelled = {
        name.replace("success", "cancelled"): each for name, each in build_latency_series(within_200_ms=0).items()
    }
    assert_alerts(promtool, tmp_path, cancelled, alert_rule_test=[expect_no_alert("ToolSlow")])


def test_a_tool_that_fails_by_the_servers_fault_is_reported(promtool: Path, tmp_path: Path) -> None:
    labels = {"job": "strategy-mcp", "server": "strategy-mcp", "severity": "critical", "tool": TOOL}
    annotations = fill_annotations(
        "ToolFailing", {"{{ $value | humanizePercentage }}": "10%", "{{ $labels.tool }}": TOOL}
    )
    sample = {"labels": f'{FAULT_RATIO}{{job="strategy-mcp", tool="{TOOL}"}}', "value": 0.1}
    assert_alerts(
        promtool,
        tmp_path,
        build_error_series("DATABASE_ERROR", 10),
        promql_expr_test=[{"expr": FAULT_RATIO, "eval_time": "16m", "exp_samples": [sample]}],
        alert_rule_test=[expect_alert("ToolFailing", labels, annotations)],
    )


@pytest.mark.parametrize("code, count", [("INVALID_SYMBOL", 90), ("DATABASE_ERROR", 4)])
def test_callers_errors_and_few_faults_are_not_reported(code: str, count: int, promtool: Path, tmp_path: Path) -> None:
    assert_alerts(promtool, tmp_path, build_error_series(code, count), alert_rule_test=[expect_no_alert("ToolFailing")])


def test_a_server_that_cannot_be_scraped_is_reported(promtool: Path, tmp_path: Path) -> None:
    labels = {"job": "strategy-mcp", "instance": "a:1", "server": "strategy-mcp", "severity": "critical"}
    annotations = fill_annotations("ServerDown", {"{{ $labels.instance }}": "a:1"})
    assert_alerts(
        promtool,
        tmp_path,
        {'up{job="strategy-mcp", instance="a:1"}': "0+0", 'up{job="strategy-mcp", instance="b:1"}': "1+0"},
        alert_rule_test=[
            expect_no_alert("ServerDown", minute=1),
            expect_alert("ServerDown", labels, annotations, minute=3),
        ],
    )


def test_a_replica_without_its_shared_store_is_reported_after_ten_minutes(promtool: Path, tmp_path: Path) -> None:
    features = CONTRACTS["features-mcp"]
    state = 'mcp_shared_store_state{{job="features-mcp", instance="{}:1", source="state", state="available"}}'
    labels = {"job": "features-mcp", "instance": "a:1", "source": "state", "state": "available"}
    labels |= {"server": "features-mcp", "severity": "warning"}
    annotations = fill_annotations("SharedStoreDown", {"{{ $labels.instance }}": "a:1"}, features)
    assert_alerts(
        promtool,
        tmp_path,
        {state.format("a"): "0+0", state.format("b"): "1+0"},
        features,
        alert_rule_test=[
            expect_no_alert("SharedStoreDown", minute=9),
            expect_alert("SharedStoreDown", labels, annotations),
        ],
    )


def test_a_source_whose_circuit_is_open_between_its_probes_is_reported_after_two_minutes(
    promtool: Path, tmp_path: Path
) -> None:
    circuit = 'mcp_source_circuit{{job="strategy-mcp", instance="{}:1", source="postgres", state="{}"}}'
    turns = {"closed": "0 0 0 0 0 1+0", "open": "1 0 1 1 1 0+0", "half_open": "0 1 0 0 0 0+0"}
    healthy = {circuit.format("b", state): f"{int(state == 'closed')}+0" for state in turns}
    labels = {"job": "strategy-mcp", "instance": "a:1", "source": "postgres"}
    labels |= {"server": "strategy-mcp", "severity": "warning"}
    shown = {"{{ $labels.instance }}": "a:1", "{{ $labels.source }}": "postgres"}
    assert_alerts(
        promtool,
        tmp_path,
        {circuit.format("a", state): values for state, values in turns.items()} | healthy,
        alert_rule_test=[
            expect_no_alert("SourceCircuitOpen", minute=1),
            expect_alert("SourceCircuitOpen", labels, fill_annotations("SourceCircuitOpen", shown), minute=3),
            expect_no_alert("SourceCircuitOpen", minute=6),
        ],
    )


WAITING = 'mcp_tasks_waiting{job="backtest-mcp", instance="a:1", tool="run_backtest"}'
RUNNING = 'mcp_tasks_running{job="backtest-mcp", instance="a:1", tool="run_backtest"}'
DEATHS = 'mcp_task_worker_deaths_total{job="backtest-mcp", instance="a:1", tool="run_backtest"}'


@pytest.mark.parametrize(
    "case",
    [
        ("TasksQueueUp", {WAITING: "6000+0", RUNNING: "3+0"}, "warning", "6k", 4),
        ("TasksWithoutWorker", {WAITING: "2+0", RUNNING: "0+0"}, "critical", "2", 9),
        ("TaskWorkerDied", {DEATHS: "0 0 0 0 1+0"}, "warning", "1", 3),
    ],
)
def test_tasks_that_wait_in_vain_and_workers_that_die_are_reported(
    case: tuple[str, dict[str, str], str, str, int], promtool: Path, tmp_path: Path
) -> None:
    alert, series, severity, value, quiet = case
    backtest = CONTRACTS["backtest-mcp"]
    labels = {"job": "backtest-mcp", "tool": "run_backtest", "server": "backtest-mcp", "severity": severity}
    shown = {"{{ $value | humanize }}": value, "{{ $labels.tool }}": "run_backtest"}
    expected = [
        expect_no_alert(alert, minute=quiet),
        expect_alert(alert, labels, fill_annotations(alert, shown, backtest)),
    ]
    assert_alerts(promtool, tmp_path, series, backtest, alert_rule_test=expected)


def test_tasks_that_a_worker_runs_are_not_reported(promtool: Path, tmp_path: Path) -> None:
    alerts = ("TasksQueueUp", "TasksWithoutWorker", "TaskWorkerDied")
    series = {WAITING: "40+0", RUNNING: "3+0", DEATHS: "0+0"}
    expected = [expect_no_alert(alert) for alert in alerts]
    assert_alerts(promtool, tmp_path, series, CONTRACTS["backtest-mcp"], alert_rule_test=expected)


@NAMED
def test_only_a_server_with_tasks_has_alerts_for_them(contract: Contract) -> None:
    deferring = [tool.name for tool in contract.tools if tool.task]
    alerts = [rule["alert"] for rule in list_rules(contract) if rule.get("alert", "").startswith("Task")]
    assert len(alerts) == len(deferring) + 2 * bool(deferring)


@NAMED
def test_only_a_server_with_a_source_that_may_fail_has_an_alert_for_circuits(contract: Contract) -> None:
    alerts = [rule for rule in list_rules(contract) if rule.get("alert") == "SourceCircuitOpen"]
    assert len(alerts) == any(source.kind != "files" for source in contract.sources)


@NAMED
def test_only_a_server_with_a_shared_store_has_an_alert_for_it(contract: Contract) -> None:
    alerts = [rule for rule in list_rules(contract) if rule.get("alert") == "SharedStoreDown"]
    policies = [policy for tool in contract.tools for policy in (tool.cache, tool.rate_limit) if policy]
    stores = {policy.store for policy in policies} | {getattr(source, "store", None) for source in contract.sources}
    assert len(alerts) == len(stores - {None})


@NAMED
def test_each_target_is_recorded_and_is_a_bucket_bound_of_the_histogram(contract: Contract) -> None:
    recorded = [rule["labels"] for rule in list_rules(contract) if rule.get("record") == P95_TARGET]
    targets = [tool.name for tool in contract.tools if tool.p95_ms is not None]
    assert recorded == [{"job": contract.name, "tool": name} for name in targets]
    assert len([rule for rule in list_rules(contract) if rule.get("alert") == "ToolSlow"]) == bool(targets)
    assert {tool.p95_ms / 1000 for tool in contract.tools if tool.p95_ms is not None} <= set(BUCKETS_S)


@NAMED
def test_only_tools_that_wait_for_other_programs_have_a_target_above_200_ms(contract: Contract) -> None:
    waiting = {"backtest.submit", "collect_evidence", "run_backtest"}
    assert {tool.name for tool in contract.tools if tool.p95_ms is None or tool.p95_ms > 200} <= waiting


def test_a_rate_limit_that_all_callers_share_counts_as_a_fault() -> None:
    assert "RATE_LIMITED" in list_fault_codes(CONTRACTS["moex-iss-mcp"])


def test_the_file_names_its_contract(tmp_path: Path) -> None:
    text = write_rules(STRATEGY, tmp_path).read_text(encoding="utf-8")
    assert "Generated from contracts/tradestream/strategy.json; do not edit." in text


@pytest.mark.parametrize("name", ["1.0", "on", "null", "2026-01-31", "-"])
def test_a_name_that_yaml_reads_as_another_type_stays_text(name: str) -> None:
    tools = tuple(replace(tool, name=name) for tool in STRATEGY.tools)
    declared = replace(STRATEGY.declared, server=replace(STRATEGY.declared.server, name=name))
    rules = list_rules(replace(STRATEGY, declared=declared, tools=tools))
    assert {rule["labels"]["server"] for rule in rules if "alert" in rule} == {name}
    targets = [rule["labels"] for rule in rules if rule.get("record") == P95_TARGET]
    assert targets == [{"job": name, "tool": name}] * len(tools)
