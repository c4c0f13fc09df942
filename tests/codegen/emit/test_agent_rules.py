"""Tests of the Prometheus rules of agents with promtool: alerts on given series."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.codegen.emit.test_prometheus_rules import (
    assert_alerts_of,
    expect_alert,
    expect_no_alert,
    fill,
    promtool,
    run_promtool,
)
from tests.contracts.shipped import generated_paths

__all__ = ["promtool"]

FILES = [path for path in generated_paths("prometheus.rules.yml") if (path.parent / "agent.py").exists()]
GENERATOR, ANALYST = "signal-generator", "moex-analyst"
SLOW = {"1000": 50, "2500": 100, "+Inf": 100}
"""Requests a minute by the bound of their latency in milliseconds; the target is 2000."""


def metric(name: str, agent: str = GENERATOR, **labels: str) -> str:
    """Return a series of one process of an agent."""
    every = {"job": agent, "instance": "a:1", **labels}
    return (
        f"{agent.replace('-', '_')}_{name}{{{', '.join(f'{key}={json.dumps(value)}' for key, value in every.items())}}}"
    )


ALERTS: list[tuple[str, dict[str, str], str, dict[str, str], dict[str, str], int]] = [
    (
        "AgentSlow",
        {metric("latency_ms_bucket", le=bound): f"0+{count}" for bound, count in SLOW.items()},
        "warning",
        {},
        {"{{ $value | humanize }}": "2.35k"},
        9,
    ),
    (
        "AgentBatchFailing",
        {metric("batch_success_rate"): "0.25+0"},
        "critical",
        {"instance": "a:1"},
        {"{{ $value | humanizePercentage }}": "25%"},
        1,
    ),
    (
        "AgentQueueTooSlow",
        {metric("queue_expired_total"): "0+30"},
        "critical",
        {},
        {"{{ $value | humanize }}": "500m"},
        4,
    ),
    ("AgentQueueGivesUp", {metric("queue_given_up_total"): "0 0 0 0 1+0"}, "warning", {}, {}, 3),
    (
        "AgentToolFailing",
        {metric("retry_exhausted_total", tool="get_candles"): "0+6"},
        "warning",
        {"tool": "get_candles"},
        {"{{ $labels.tool }}": "get_candles"},
        9,
    ),
    (
        "AgentDown",
        {'up{job="signal-generator", instance="a:1"}': "0+0", 'up{job="signal-generator", instance="b:1"}': "1+0"},
        "critical",
        {"instance": "a:1"},
        {"{{ $labels.instance }}": "a:1"},
        1,
    ),
]
"""Alert, series, severity, labels, texts of placeholders, and a minute without the alert."""


def rules_of(file: Path) -> list[dict[str, Any]]:
    """Return the alerts of an agent."""
    return [rule for group in yaml.safe_load(file.read_text(encoding="utf-8"))["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("file", FILES, ids=lambda each: each.parent.name)
def test_promtool_accepts_the_rules_of_every_agent(file: Path, promtool: Path) -> None:
    assert "SUCCESS" in run_promtool(promtool, "check", "rules", file)


def test_every_alert_of_agents_has_a_case() -> None:
    assert {rule["alert"] for file in FILES for rule in rules_of(file)} == {case[0] for case in ALERTS}


@pytest.mark.parametrize("case", ALERTS, ids=[case[0] for case in ALERTS])
def test_an_alert_of_an_agent_fires_in_time_and_not_before(
    case: tuple[str, dict[str, str], str, dict[str, str], dict[str, str], int], promtool: Path, tmp_path: Path
) -> None:
    alert, series, severity, labels, shown, quiet = case
    (file,) = [each for each in FILES if each.parent.name == "signal_generator"]
    expected = {"job": GENERATOR, "agent": GENERATOR, "severity": severity, **labels}
    annotations = fill(rules_of(file), alert, shown)
    assert_alerts_of(
        promtool,
        tmp_path,
        file,
        series,
        alert_rule_test=[expect_no_alert(alert, minute=quiet), expect_alert(alert, expected, annotations)],
    )


def test_a_healthy_agent_has_no_alert(promtool: Path, tmp_path: Path) -> None:
    (file,) = [each for each in FILES if each.parent.name == "signal_generator"]
    series = {
        metric("latency_ms_bucket", le="1000"): "0+100",
        metric("latency_ms_bucket", le="+Inf"): "0+100",
        metric("batch_success_rate"): "1+0",
        metric("queue_expired_total"): "4+0",
        metric("queue_given_up_total"): "1+0",
        metric("retry_exhausted_total", tool="get_candles"): "7+0",
        'up{job="signal-generator", instance="a:1"}': "1+0",
    }
    quiet = [expect_no_alert(case[0]) for case in ALERTS]
    assert_alerts_of(promtool, tmp_path, file, series, alert_rule_test=quiet)
