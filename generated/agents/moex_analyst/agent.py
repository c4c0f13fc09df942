"""Declaration of the agent moex-analyst.

Answers questions about securities and indices of the Moscow Exchange, in Russian and English.

Generated from contracts/agents/moex_analyst.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.agents.moex_analyst import models, schemas
from generated.moex.iss import client as iss_client
from toolpact import Progress
from toolpact.agent.call import LanguageModel
from toolpact.agent.declarations import Agent, Limits, Model, Skill, ToolUse, Use
from toolpact.client.policies import Retry
from toolpact.declarations.settings import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class MoexAnalystCall:
    """Clients, sources, settings and time of a request to moex-analyst."""

    iss: iss_client.IssClient
    now: datetime
    """Time of the request, in UTC."""
    corr_id: str
    """Correlation id of the request, which its calls carry."""
    model: LanguageModel | None
    """Writes texts; None if the settings name no model."""
    progress: Progress
    """Sends progress to a caller that wants it."""


class Handler(Protocol):
    """The agent's coroutine, implemented in `handlers.agents.moex_analyst`."""

    async def answer(self, request: models.AnalystRequest, call: MoexAnalystCall, /) -> models.AnalystResponse:
        """Return the result of a request. Raises ToolError."""


def agent(handler: Handler) -> Agent[models.AnalystRequest, MoexAnalystCall, models.AnalystResponse]:
    """Bind moex-analyst to *handler*."""
    return Agent(
        name="moex-analyst",
        title="MOEX analyst",
        version="1.0.0",
        description="Answers questions about securities and indices of the Moscow Exchange, in Russian and English.",
        instructions=(
            "You are an analyst of the Moscow Exchange. Answer in the user's language. Every "
            "number must stand in a tool's result; never invent one."
        ),
        model=Model(
            name="model",
            url="model_url",
            token="model_token",
            preferred="Qwen/Qwen3-235B-A22B-Instruct-2507",
            fallback="openai/gpt-oss-120b",
            requires=("structured_output",),
            min_context_window=8000,
        ),
        skills=(
            Skill(
                name="explain-security",
                title="Explain a security",
                description=(
                    "Describe the current price and the recent period of a security. Use it for "
                    "questions about one ticker."
                ),
                tags=("moex", "securities"),
                examples=("Как изменилась цена SBER за неделю?", "What is the price of GAZP?"),
            ),
            Skill(
                name="compare-securities",
                title="compare-securities",
                description="Compare two to five securities over a period. Use it for questions with several tickers.",
                tags=("moex", "comparison"),
                examples=("Сравни SBER и VTBR за месяц",),
            ),
            Skill(
                name="scan-index",
                title="scan-index",
                description="Describe an index by its constituents. Use it for questions about IMOEX and its leaders.",
                tags=("moex", "indices"),
                examples=("Кто тянул IMOEX вверх?",),
            ),
        ),
        settings=(
            Setting(
                name="iss_url",
                env="MOEX_ISS_MCP_URL",
                description="URL of moex-iss-mcp; not set, the agent starts the server",
                schema={"type": "string"},
                default="",
                required=False,
                secret=False,
            ),
            Setting(
                name="iss_token",
                env="MOEX_ISS_MCP_TOKEN",
                description="Bearer token for MOEX_ISS_MCP_URL",
                schema={"type": "string"},
                default="",
                required=False,
                secret=True,
            ),
            Setting(
                name="iss_command",
                env="MOEX_ISS_MCP_COMMAND",
                description="Command that starts moex-iss-mcp; not set, Python runs its module",
                schema={"type": "string"},
                default="",
                required=False,
                secret=False,
            ),
            Setting(
                name="model",
                env="LLM_MODEL",
                description="Model that explains; not set, templates answer",
                schema={"type": "string"},
                default="",
                required=False,
                secret=False,
            ),
            Setting(
                name="model_url",
                env="LLM_API_BASE",
                description="Base URL of the model's API",
                schema={"type": "string", "pattern": "^https?://[^/]"},
                default="https://foundation-models.api.cloud.ru/v1",
                required=False,
                secret=False,
            ),
            Setting(
                name="model_token",
                env="LLM_API_KEY",
                description="API key for LLM_API_BASE",
                schema={"type": "string"},
                default="",
                required=False,
                secret=True,
            ),
        ),
        sources=(),
        uses=(
            Use(
                name="iss",
                client=iss_client.IssClient,
                version="^2",
                url="iss_url",
                token="iss_token",
                command="iss_command",
                environment=(
                    "MOEX_ISS_BASE_URL",
                    "MOEX_SECTORS",
                ),
                tools=(
                    ToolUse(
                        tool=iss_client.GET_SECURITY_SNAPSHOT,
                        reads=(
                            "/metadata/as_of",
                            "/data/last_price",
                            "/data/price_change_abs",
                            "/data/price_change_pct",
                            "/data/open_price",
                            "/data/high_price",
                            "/data/low_price",
                            "/data/volume",
                            "/data/value",
                            "/metrics/intraday_volatility_estimate",
                        ),
                    ),
                    ToolUse(
                        tool=iss_client.GET_OHLCV_TIMESERIES,
                        reads=(
                            "/metadata/from_date",
                            "/metadata/to_date",
                            "/data/*/ts",
                            "/data/*/close",
                            "/data/*/volume",
                            "/metrics/total_return_pct",
                            "/metrics/annualized_volatility",
                            "/metrics/avg_daily_volume",
                        ),
                    ),
                    ToolUse(
                        tool=iss_client.GET_INDEX_CONSTITUENTS_METRICS,
                        reads=(
                            "/metadata/as_of_date",
                            "/data/*/ticker",
                            "/data/*/weight_pct",
                            "/data/*/price_change_pct",
                            "/metrics/top5_weight_pct",
                            "/metrics/num_constituents",
                        ),
                    ),
                ),
            ),
        ),
        retry=Retry(
            max_attempts=3,
            initial_delay_s=0.2,
            max_delay_s=2.0,
            multiplier=2,
            jitter=0.1,
        ),
        limits=Limits(timeout_ms=30000, max_concurrent=20),
        call=MoexAnalystCall,
        handler_settings=None,
        request=models.AnalystRequest,
        input=schemas.INPUT,
        result=models.AnalystResponse,
        output=schemas.OUTPUT,
        nullable=False,
        handler=handler.answer,
    )
