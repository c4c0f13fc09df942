"""Outcomes of the calls of a plan, from which answers are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from generated.moex.iss.models import (
    GetIndexConstituentsMetricsResult,
    GetOhlcvTimeseriesResult,
    GetSecuritySnapshotResult,
)
from handlers.agents.questions.planner import Step
from toolaccord.errors import CallFailed, ToolError

ToolResult: TypeAlias = GetSecuritySnapshotResult | GetOhlcvTimeseriesResult | GetIndexConstituentsMetricsResult


@dataclass(frozen=True, slots=True)
class Finding:
    """Outcome of one step: a result or an error."""

    step: Step
    outcome: ToolResult | ToolError | CallFailed
