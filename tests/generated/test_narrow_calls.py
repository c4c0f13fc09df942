"""Calls of tools that declare less than their server, as handlers may take them."""

import inspect
import json
from pathlib import Path

from generated.platform.risk import server as risk
from generated.tradestream.portfolio import server as portfolio
from tests.services.type_checker import check_types

ROOT = Path(__file__).parents[2]
REACHES = """
from generated.tradestream.backtest.models import GetHistoricalPerformanceRequest, GetHistoricalPerformanceResult
from generated.tradestream.backtest.server import GetHistoricalPerformanceCall

async def get_historical_performance(
    request: GetHistoricalPerformanceRequest, call: GetHistoricalPerformanceCall
) -> GetHistoricalPerformanceResult:
    call.postgres, call.now
    call.influxdb
    raise NotImplementedError
"""


def test_a_call_has_the_sources_and_events_that_the_tool_declares() -> None:
    contract = json.loads((ROOT / "contracts/platform/risk.json").read_bytes())
    declared = {tool["name"]: tool["effects"] for tool in contract["tools"]}
    members = {"postgres", "stream", "state", "risk_alert"}
    for name, call in (
        ("risk.position_limits_check", risk.RiskPositionLimitsCheckCall),
        ("risk.trigger_alert", risk.RiskTriggerAlertCall),
    ):
        effects = declared[name]
        named = {each for key in ("reads", "writes", "adds", "publishes") for each in effects.get(key, ())}
        events = {contract["events"][each]["source"] for each in effects.get("publishes", ())}
        assert members & vars(call).keys() == named | events


def test_a_call_has_a_question_where_the_tool_asks() -> None:
    assert not hasattr(portfolio.GetBalanceCall, "ask")
    assert "ask" in inspect.get_annotations(portfolio.PortfolioCall)


def test_an_undeclared_source_is_an_error_of_mypy(tmp_path: Path) -> None:
    (tmp_path / "reaches.py").write_text(REACHES)
    assert check_types(tmp_path, "reaches.py").splitlines() == [
        'reaches.py:9: error: "GetHistoricalPerformanceCall" has no attribute "influxdb"  [attr-defined]'
    ]
