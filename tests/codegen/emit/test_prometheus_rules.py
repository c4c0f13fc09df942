"""The rules for Prometheus: that they are rules, and when they speak; asked of Prometheus's own promtool."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.cli.rules import SUPPRESSIBLE_RULES
from codegen.compiler import compile_folder
from codegen.emit.prometheus_rules import FAULTS, P95, alert_files, fault_codes, rules
from codegen.ir.contract import Contract
from codegen.ir.layout import Layout
from tests.services.fetched import fetched
from toolpact.telemetry.metrics import BUCKETS_S

ROOT = Path(__file__).parents[3]
CONTRACTS = {
    contract.name: contract
    for contract in compile_folder(ROOT / "contracts", suppressible=SUPPRESSIBLE_RULES).contracts
}
NAMED = pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
STRATEGY = CONTRACTS["strategy-mcp"]
LAYOUT = Layout(package="generated", handlers="handlers", sandbox=None, contracts="contracts", command="again")
TOOL = "get_top_strategies"


@pytest.fixture(scope="module")
def promtool() -> Path:
    """Prometheus's checker of rules."""
    return fetched("promtool")


def written(contract: Contract, folder: Path) -> Path:
    """The rules of a server, in a file."""
    (text,) = alert_files([contract], LAYOUT).values()
    file = folder / "prometheus.rules.yml"
    file.write_text(text, encoding="utf-8")
    return file


def told(promtool: Path, *arguments: str | Path) -> str:
    """What promtool says; it must be content."""
    done = subprocess.run([promtool, *arguments], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def assert_alerts(promtool: Path, folder: Path, series: Mapping[str, str], **expected: Any) -> None:
    """Hold the rules of strategy-mcp against twenty minutes of series; each value is what a minute adds."""
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": f"{each}x20"} for name, each in series.items()],
        **expected,
    }
    whole = {"rule_files": [str(written(STRATEGY, folder))], "evaluation_interval": "1m", "tests": [test]}
    file = folder / "test.yml"
    file.write_text(json.dumps(whole), encoding="utf-8")
    told(promtool, "test", "rules", file)


def durations(within_200_ms: int) -> dict[str, str]:
    """A hundred calls a minute, of which so many take up to 200 ms and all others up to 300 ms."""
    labels = f'job="strategy-mcp", instance="a:1", tool="{TOOL}", status="success"'
    counts = {"0.1": 0, "0.2": within_200_ms, "0.3": 100, "+Inf": 100}
    return {f'mcp_tool_duration_seconds_bucket{{{labels}, le="{le}"}}': f"0+{n}" for le, n in counts.items()}


def errors(code: str, count: int) -> dict[str, str]:
    """A hundred calls a minute, of which so many fail with a code."""
    labels = f'job="strategy-mcp", instance="a:1", tool="{TOOL}"'
    return {
        f'mcp_errors_total{{{labels}, error_code="{code}"}}': f"0+{count}",
        f'mcp_tool_calls_total{{{labels}, client="c", status="success"}}': f"0+{100 - count}",
        f'mcp_tool_calls_total{{{labels}, client="c", status="error"}}': f"0+{count}",
    }


def alert(name: str, labels: Mapping[str, str], annotations: Mapping[str, str], minute: int = 16) -> dict[str, Any]:
    """What an alert must say at a minute."""
    expected = [{"exp_labels": labels, "exp_annotations": annotations}]
    return {"alertname": name, "eval_time": f"{minute}m", "exp_alerts": expected}


def silence(name: str, minute: int = 16) -> dict[str, Any]:
    """An alert that must not be there at a minute."""
    return {"alertname": name, "eval_time": f"{minute}m", "exp_alerts": []}


def annotations_of(name: str, shown: Mapping[str, str]) -> dict[str, str]:
    """The annotations of an alert of strategy-mcp, with its placeholders replaced."""
    found = [rule for group in rules(STRATEGY)["groups"] for rule in group["rules"] if rule.get("alert") == name]
    said: dict[str, str] = dict(found[0]["annotations"])
    for key, text in said.items():
        for placeholder, value in shown.items():
            text = text.replace(placeholder, value)  # noqa: PLW2901 - one replacement after the other
        said[key] = text
    return said


@NAMED
def test_promtool_takes_the_rules_of_every_server(contract: Contract, promtool: Path, tmp_path: Path) -> None:
    assert "SUCCESS" in told(promtool, "check", "rules", written(contract, tmp_path))


def test_a_tool_that_misses_its_target_for_ten_minutes_is_reported(promtool: Path, tmp_path: Path) -> None:
    labels = {"job": "strategy-mcp", "server": "strategy-mcp", "severity": "warning", "tool": TOOL}
    said = annotations_of("ToolSlow", {"{{ $value | humanizeDuration }}": "250ms"})
    sample = {"labels": f'{{job="strategy-mcp", tool="{TOOL}"}}', "value": 0.25}
    assert_alerts(
        promtool,
        tmp_path,
        durations(within_200_ms=90),
        promql_expr_test=[{"expr": f"round({P95}, 0.001)", "eval_time": "16m", "exp_samples": [sample]}],
        alert_rule_test=[silence("ToolSlow", minute=9), alert("ToolSlow", labels, said)],
    )


def test_a_tool_that_keeps_its_target_is_not(promtool: Path, tmp_path: Path) -> None:
    assert_alerts(promtool, tmp_path, durations(within_200_ms=96), alert_rule_test=[silence("ToolSlow")])


def test_calls_that_were_given_up_say_nothing_about_a_target(promtool: Path, tmp_path: Path) -> None:
    cancelled = {name.replace("success", "cancelled"): each for name, each in durations(within_200_ms=0).items()}
    assert_alerts(promtool, tmp_path, cancelled, alert_rule_test=[silence("ToolSlow")])


def test_a_tool_that_fails_by_the_servers_fault_is_reported(promtool: Path, tmp_path: Path) -> None:
    labels = {"job": "strategy-mcp", "server": "strategy-mcp", "severity": "critical", "tool": TOOL}
    said = annotations_of("ToolFailing", {"{{ $value | humanizePercentage }}": "10%", "{{ $labels.tool }}": TOOL})
    sample = {"labels": f'{FAULTS}{{job="strategy-mcp", tool="{TOOL}"}}', "value": 0.1}
    assert_alerts(
        promtool,
        tmp_path,
        errors("DATABASE_ERROR", 10),
        promql_expr_test=[{"expr": FAULTS, "eval_time": "16m", "exp_samples": [sample]}],
        alert_rule_test=[alert("ToolFailing", labels, said)],
    )


@pytest.mark.parametrize("code, count", [("INVALID_SYMBOL", 90), ("DATABASE_ERROR", 4)])
def test_mistakes_of_callers_and_a_few_faults_are_not(code: str, count: int, promtool: Path, tmp_path: Path) -> None:
    assert_alerts(promtool, tmp_path, errors(code, count), alert_rule_test=[silence("ToolFailing")])


def test_a_server_that_cannot_be_scraped_is_reported(promtool: Path, tmp_path: Path) -> None:
    labels = {"job": "strategy-mcp", "instance": "a:1", "server": "strategy-mcp", "severity": "critical"}
    said = annotations_of("ServerDown", {"{{ $labels.instance }}": "a:1"})
    assert_alerts(
        promtool,
        tmp_path,
        {'up{job="strategy-mcp", instance="a:1"}': "0+0", 'up{job="strategy-mcp", instance="b:1"}': "1+0"},
        alert_rule_test=[silence("ServerDown", minute=1), alert("ServerDown", labels, said, minute=3)],
    )


@NAMED
def test_each_target_has_an_alert_and_is_an_edge_of_the_histogram(contract: Contract) -> None:
    slow = [
        rule["labels"]["tool"]
        for group in rules(contract)["groups"]
        for rule in group["rules"]
        if rule.get("alert") == "ToolSlow"
    ]
    assert slow == [tool.name for tool in contract.tools if tool.p95_ms is not None]
    assert {tool.p95_ms / 1000 for tool in contract.tools if tool.p95_ms is not None} <= set(BUCKETS_S)


@NAMED
def test_no_tool_may_take_longer_than_200_ms_unless_it_computes(contract: Contract) -> None:
    assert {tool.name for tool in contract.tools if tool.p95_ms is None or tool.p95_ms > 200} <= {"run_backtest"}


def test_a_limit_that_callers_share_is_no_fault_of_theirs() -> None:
    assert "RATE_LIMITED" in fault_codes(CONTRACTS["moex-iss-mcp"])


def test_the_file_says_what_it_was_made_from(tmp_path: Path) -> None:
    text = written(STRATEGY, tmp_path).read_text(encoding="utf-8")
    assert "Generated from contracts/tradestream/strategy.json; do not edit." in text
    assert yaml.safe_load(text) == rules(STRATEGY)
