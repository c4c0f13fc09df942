"""Handler of contracts/agents/moex_analyst.json."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from generated.agents.moex_analyst.agent import MoexAnalystCall
from generated.agents.moex_analyst.models import (
    AnalystOutput,
    AnalystOutputDebug,
    AnalystRequest,
    AnalystResponse,
    Metadata,
    Table,
    ToolCall,
)
from generated.moex.iss.client import GET_OHLCV_TIMESERIES, LIST_SECURITIES
from generated.moex.iss.models import GetIndexConstituentsMetricsRequest, GetOhlcvTimeseriesRequest
from handlers.agents.analysis.depth import depth_for
from handlers.agents.analysis.explanation import describe_error, explain
from handlers.agents.analysis.findings import Finding
from handlers.agents.analysis.narration import narrate
from handlers.agents.analysis.notice_wording import write_notices
from handlers.agents.analysis.tables import build_tables
from handlers.agents.analysis.wording import Wording, wording_of
from handlers.agents.numerals import write_date
from handlers.agents.questions.lookups import fetch_catalogue, settle_days
from handlers.agents.questions.planner import Step, plan_steps
from handlers.agents.questions.questions import understand
from toolaccord.client.declarations import RemoteTool
from toolaccord.errors import CallFailed, ToolError, find_type

_LOG = logging.getLogger(__name__)


async def answer(request: AnalystRequest, call: MoexAnalystCall) -> AnalystResponse:
    """Return the answer to the last message of the user, in Russian or, by `locale`, in English.

    Failed tools become sentences. The plan's calls run at the same time. A model words the results of the plan alone:
    how the question was read, and what of it is not answered, are sentences of their own before its words.
    """
    metadata = request.input.metadata or Metadata()
    wording, depth = wording_of(metadata.locale), depth_for(metadata.user_role)
    texts = [message.content for message in request.input.messages if message.role == "user"]
    today = call.now.astimezone(ZoneInfo("Europe/Moscow")).date()
    try:
        catalogue = await fetch_catalogue(call.iss)
    except (ToolError, CallFailed) as error:
        return _give_up(LIST_SECURITIES, wording.securities, error, wording)
    question = understand(texts, today, catalogue)
    try:
        question = await settle_days(question, today, call.iss)
    except (ToolError, CallFailed) as error:
        return _give_up(GET_OHLCV_TIMESERIES, question.securities[0], error, wording)
    steps = plan_steps(question, today)
    plan = [_describe(step, wording) for step in steps]
    findings = await _carry_out(steps, plan, call)
    text = await narrate(texts, question, findings, call.model, wording, depth)
    notices = write_notices(question.notices, catalogue, wording.language, wording.help)
    return _respond(
        " ".join(filter(None, [*notices, text or explain(question, findings, wording, depth)])),
        build_tables(findings, wording, depth),
        AnalystOutputDebug(plan=plan, tool_calls=[_record(each) for each in findings]),
    )


def _give_up(
    tool: RemoteTool[Any, Any], subject: str, error: ToolError | CallFailed, wording: Wording
) -> AnalystResponse:
    """Return a sentence about a call without which there is no plan; log the failure."""
    _log_failure(tool, error)
    return _respond(describe_error(subject, error, wording))


def _respond(text: str, tables: Sequence[Table] = (), debug: AnalystOutputDebug | None = None) -> AnalystResponse:
    debug = debug or AnalystOutputDebug(plan=[], tool_calls=[])
    return AnalystResponse(output=AnalystOutput(text=text, tables=list(tables), debug=debug))


async def _carry_out(steps: Sequence[Step], plan: Sequence[str], call: MoexAnalystCall) -> list[Finding]:
    """Return the outcome of each step, in order; report each one that ends."""
    done = 0

    async def carry_out(step: Step, description: str) -> Finding:
        nonlocal done
        finding = await _fetch(step, call)
        done += 1
        await call.progress(done, len(steps), description)
        return finding

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(carry_out(*pair)) for pair in zip(steps, plan, strict=True)]
    return [task.result() for task in tasks]


async def _fetch(step: Step, call: MoexAnalystCall) -> Finding:
    """Return the outcome of *step*; log its failure."""
    try:
        return Finding(step, (await call.iss.call(step.tool, step.request)).result)
    except (ToolError, CallFailed) as error:
        _log_failure(step.tool, error)
        return Finding(step, error)


def _log_failure(tool: RemoteTool[Any, Any], error: ToolError | CallFailed) -> None:
    needs_people = isinstance(error, CallFailed) and not error.retryable
    _LOG.log(logging.ERROR if needs_people else logging.WARNING, "%s failed: %s", tool.name, error)


def _describe(step: Step, wording: Wording) -> str:
    """Return a sentence about *step*."""
    days: dict[str, date] = {}
    if isinstance(step.request, GetOhlcvTimeseriesRequest):
        days = {"first": step.request.from_date, "last": step.request.to_date}
    elif isinstance(step.request, GetIndexConstituentsMetricsRequest):
        days = {"day": step.request.as_of_date}
    written = {name: write_date(day, wording.language) for name, day in days.items()}
    return wording.plan[step.tool.name].format(subject=step.subject, **written)


def _record(finding: Finding) -> ToolCall:
    """Return a call with its arguments, and with the code of its error."""
    args = finding.step.request.model_dump(mode="json")
    error = {"error": find_type(finding.outcome)} if isinstance(finding.outcome, ToolError | CallFailed) else {}
    return ToolCall.model_validate({"tool": finding.step.tool.name, "args": args, **error})
