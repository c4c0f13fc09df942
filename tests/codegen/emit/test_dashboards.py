"""Tests of the dashboards with Grafana's own model, and with what the servers export."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models import prometheus, timeseries
from grafana_foundation_sdk.models.dashboard import Dashboard

from tests.codegen.emit.exported_metrics import exported_labels
from tests.codegen.emit.test_prometheus_rules import LAYOUT, run_promtool
from tests.contracts.shipped import compiled_contracts
from tests.services.fetched import fetched
from toolaccord.tasks.task import Status
from toolaccord.telemetry.call_status import CallStatus
from toolaccord.telemetry.metrics import CacheLevel
from toolaccord_codegen.emit.dashboards.files import ALL, describe_dashboards
from toolaccord_codegen.emit.dashboards.servers import LEVELS, STATUSES, TASK_STATES
from toolaccord_codegen.emit.prometheus_rules import FAULT_RATIO, P95, P95_TARGET
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract

CONTRACTS = compiled_contracts()
PAGES: dict[str, dict[str, Any]] = {
    path: each.to_json() for path, each in describe_dashboards(CONTRACTS, LAYOUT).items()
}
EACH = pytest.mark.parametrize("path", PAGES)
RECORDED = {"up": set(), P95: {"tool"}, P95_TARGET: {"tool"}, FAULT_RATIO: {"tool"}}
"""Labels of the series that Prometheus makes itself, besides job and instance."""
SELECTOR = re.compile(r"([a-z][\w:]*)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)(?:=~|!=|=)"')
GROUPING = re.compile(r"(?:by|on|without) \(([^)]*)\)")
SHOWN = re.compile(r"\{\{(\w+)\}\}")
register_default_plugins()


def list_panels(path: str) -> list[dict[str, Any]]:
    """List the panels of a dashboard that have queries."""
    return [panel for panel in PAGES[path]["panels"] if panel["type"] != "row"]


def list_targets(path: str) -> list[dict[str, Any]]:
    """List the queries of a dashboard."""
    return [target for panel in list_panels(path) for target in panel["targets"]]


def fill_variables(expr: str, interval: str = "5m") -> str:
    """Fill the variables of a query as Grafana does where everything is selected."""
    filled = expr.replace("$__rate_interval", interval)
    return re.sub(r'=(~?)"\$\w+"', '=~".+"', filled)


def list_exported(path: str) -> dict[str, set[str]]:
    """List the series that a dashboard may query, with their labels."""
    system, _, module = path.split("/")
    owners: list[Contract | Agent] = [*CONTRACTS.contracts, *CONTRACTS.agents]
    labels = {name: {"job", "instance", *each} for name, each in RECORDED.items()}
    for owner in owners:
        if owner.system == system and module in {owner.module, ALL}:
            labels |= exported_labels(owner.name)
    return labels


def find_unknown(expr: str, labels: dict[str, set[str]]) -> Iterator[str]:
    """Find names in a query that no series has."""
    known: set[str] = set()
    for name, matchers in SELECTOR.findall(expr):
        yield from {name} - labels.keys()
        known |= labels.get(name, set())
        yield from (f"{name}.{label}" for label in MATCHER.findall(matchers) if label not in labels.get(name, ()))
    for names in GROUPING.findall(expr):
        yield from ({name for name in names.split(", ") if name} - known)


@EACH
def test_grafanas_model_reads_each_dashboard_and_loses_nothing(path: str) -> None:
    read = Dashboard.from_json(PAGES[path])
    written = json.loads(JSONEncoder(sort_keys=True).encode(read))
    assert find_losses(PAGES[path], written) == []
    for panel in read.panels or ():
        assert isinstance(getattr(panel, "options", None), timeseries.Options) or panel.type_val == "row"
        assert all(isinstance(each, prometheus.Dataquery) for each in getattr(panel, "targets", None) or ())


def find_losses(given: Any, kept: Any, place: str = "") -> list[str]:
    """List the places of *given* whose values *kept* does not have."""
    if isinstance(given, dict) and isinstance(kept, dict):
        return [each for key in given for each in find_losses(given[key], kept.get(key), f"{place}/{key}")]
    if isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        return [
            each for i, pair in enumerate(zip(given, kept, strict=True)) for each in find_losses(*pair, f"{place}/{i}")
        ]
    return [] if given == kept else [place]


@EACH
def test_panels_have_ids_of_their_own_and_do_not_overlap(path: str) -> None:
    panels = PAGES[path]["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for one, other in combinations([panel["gridPos"] for panel in panels], 2):
        is_beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        is_above = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert is_beside or is_above, (one, other)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


def test_each_dashboard_has_an_identifier_that_grafana_takes() -> None:
    identifiers = [page["uid"] for page in PAGES.values()]
    assert len({*identifiers}) == len(identifiers)
    assert all(re.fullmatch(r"[\w-]{1,40}", each) for each in identifiers)


@EACH
def test_each_panel_says_how_to_go_on_in_one_sentence_and_has_a_unit(path: str) -> None:
    for panel in list_panels(path):
        assert re.fullmatch(r"[A-Z][^.]*(\.yml[^.]*)?\.", panel["description"]), panel["description"]
        assert panel["fieldConfig"]["defaults"]["unit"]


@EACH
def test_no_two_series_of_a_panel_look_alike_or_have_the_same_name(path: str) -> None:
    for panel in list_panels(path):
        legends = [target["legendFormat"] for target in panel["targets"]]
        assert len({*legends}) == len(legends)
        styles = [json.dumps(each["properties"]) for each in panel["fieldConfig"]["overrides"]]
        assert len({*styles}) == len(styles), panel["title"]


@EACH
def test_queries_and_legends_use_only_series_and_labels_that_are_exported(path: str) -> None:
    exported = list_exported(path)
    for target in list_targets(path):
        assert [*find_unknown(target["expr"], exported)] == [], target["expr"]
        grouped = {name for names in GROUPING.findall(target["expr"]) for name in names.split(", ")}
        recorded = {name for name, _ in SELECTOR.findall(target["expr"])} & RECORDED.keys()
        assert {*SHOWN.findall(target["legendFormat"])} <= grouped | {"tool" for _ in recorded}


@EACH
def test_the_known_names_of_series_are_those_that_legends_make(path: str) -> None:
    for panel in list_panels(path):
        shapes = [re.sub(r"\\\{\\\{\w+\\\}\\\}", ".+", re.escape(each["legendFormat"])) for each in panel["targets"]]
        for override in panel["fieldConfig"]["overrides"]:
            assert any(re.fullmatch(shape, override["matcher"]["options"]) for shape in shapes)


def test_every_metric_of_every_server_is_on_its_dashboard() -> None:
    for owner in CONTRACTS.contracts:
        shown = " ".join(target["expr"] for target in list_targets(f"{owner.system}/dashboards/{owner.module}"))
        shown += " mcp_null_arguments_total"  # hosts send them, and nobody needs to act
        families = {re.sub("_(created|count|sum)$", "", name) for name in exported_labels(owner.name)}
        assert [name for name in families if name not in shown] == []


def test_the_states_of_calls_tasks_and_caches_have_a_colour_each() -> None:
    assert {*STATUSES} == {*get_args(CallStatus)}
    assert {*TASK_STATES} == {*get_args(Status)}
    assert {*LEVELS} == {*get_args(CacheLevel)}


@EACH
def test_promtool_parses_every_query(path: str, tmp_path: Path) -> None:
    exprs = [fill_variables(target["expr"]) for target in list_targets(path)]
    rules = [{"record": f"test:query:{index}", "expr": expr} for index, expr in enumerate(exprs)]
    file = tmp_path / "queries.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}), encoding="utf-8")
    assert f"{len(rules)} rules found" in run_promtool(fetched("promtool"), "check", "rules", file)
