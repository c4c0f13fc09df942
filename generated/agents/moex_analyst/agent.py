"""Declaration of the agent moex-analyst.

Answers questions about securities and indices of the Moscow Exchange, in Russian and English.

Generated from contracts/agents/moex_analyst.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.agents.moex_analyst import models, schemas
from generated.moex.iss import client as iss_client
from toolaccord import Progress
from toolaccord.agent.call import LanguageModel
from toolaccord.agent.declarations import Agent, ToolUse, Use
from toolaccord.contract.agents import (
    AgentTasks,
    Credentials,
    Limits,
    Model,
    Retry,
    Skill,
)
from toolaccord.contract.policies import ToolCache
from toolaccord.contract.settings import Setting
from toolaccord.sources.redis import RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class MoexAnalystCall:
    """Clients, sources, settings and time of a request to moex-analyst."""

    iss: iss_client.IssClient
    now: datetime
    """Time for which the request is answered, in UTC."""
    read_clock: Callable[[], datetime]
    """Returns the present, in UTC; it is after `now` if the request has waited."""
    corr_id: str
    """Correlation id of the request, which its calls carry."""
    model: LanguageModel | None
    """Writes texts; None if the settings name no model."""
    progress: Progress
    """Sends progress to a caller that wants it."""


class Handler(Protocol):
    """The agent's coroutine. The module `handlers.agents.moex_analyst` implements it."""

    async def answer(self, request: models.AnalystRequest, call: MoexAnalystCall, /) -> models.AnalystResponse:
        """Return the result of a request. Raises ToolError."""


def agent(handler: Handler) -> Agent[models.AnalystRequest, MoexAnalystCall, models.AnalystResponse]:
    """Bind moex-analyst to *handler*."""
    return Agent(
        name="moex-analyst",
        title="MOEX analyst",
        version="1.2.0",
        description="Answers questions about securities and indices of the Moscow Exchange, in Russian and English.",
        instructions=(
            "You are an analyst of the Moscow Exchange. Answer in the user's language. Every "
            "number must stand in a tool's result; never invent one."
        ),
        settings=(
            Setting(
                name="iss_url",
                env="MOEX_ISS_MCP_URL",
                description="URL of moex-iss-mcp; not set, the agent starts the server",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="iss_token",
                env="MOEX_ISS_MCP_TOKEN",
                description="Bearer token for MOEX_ISS_MCP_URL",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="iss_issuer",
                env="MOEX_ISS_MCP_ISSUER",
                description="Authorization server of MOEX_ISS_MCP_URL, instead of a token",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="iss_client_id",
                env="MOEX_ISS_MCP_CLIENT_ID",
                description="Id of the agent at MOEX_ISS_MCP_ISSUER",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="iss_client_secret",
                env="MOEX_ISS_MCP_CLIENT_SECRET",
                description="Secret of the agent at MOEX_ISS_MCP_ISSUER",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="iss_command",
                env="MOEX_ISS_MCP_COMMAND",
                description="Command that starts moex-iss-mcp; not set, Python runs its module",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="redis_url",
                env="ANALYST_REDIS_URL",
                description="Redis that keeps the tasks of --a2a, for several replicas; not set, each process has its own",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="model",
                env="LLM_MODEL",
                description="Model that explains; not set, templates answer",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="model_url",
                env="LLM_API_BASE",
                description="Base URL of the model's API",
                schema={"type": "string", "pattern": "^https?://[^/]"},
                default="https://foundation-models.api.cloud.ru/v1",
            ),
            Setting(
                name="model_token",
                env="LLM_API_KEY",
                description="API key for LLM_API_BASE",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
        ),
        sources=(RedisSource(name="tasks", url="redis_url"),),
        uses=(
            Use(
                name="iss",
                version="^2.4",
                url="iss_url",
                token="iss_token",
                credentials=Credentials(
                    issuer="iss_issuer", client_id="iss_client_id", client_secret="iss_client_secret"
                ),
                command="iss_command",
                client=iss_client.IssClient,
                tools=(
                    ToolUse(
                        reads=("/data/*/ticker", "/data/*/share_class", "/data/*/names"),
                        cache=ToolCache(ttl_s=3600, stale_if_error_s=86400),
                        tool=iss_client.LIST_SECURITIES,
                        description=(
                            "List the securities of a MOEX board with their names in Russian and English, as "
                            "the exchange writes them, by ticker. Use it to find the ticker behind a name. "
                            "share_class tells ordinary from preferred shares; other is anything else, such "
                            "as a depositary receipt."
                        ),
                    ),
                    ToolUse(
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
                        tool=iss_client.GET_SECURITY_SNAPSHOT,
                        description=(
                            "Get a short snapshot for a MOEX security (last price, change, liquidity). "
                            "last_price is the price of today's last trade. Without a trade today it is the "
                            "previous price, and both changes are 0. data.price_field names the exchange's "
                            "field: LAST or PREVPRICE. price_change_abs and price_change_pct (percent) "
                            "compare with PREVPRICE, the last price before today; data.previous_price_date "
                            "is its day. On the first trading day there is none: data.change_field is then "
                            "NONE instead of PREVPRICE, and both changes are 0. Prices are in "
                            "data.price_currency, value in data.value_currency (RUB); volume is in shares. "
                            "intraday_volatility_estimate = (high_price - low_price) / open_price * 100, in "
                            "percent. It is an estimate for one day and is not annualised. as_of is the "
                            "exchange's time."
                        ),
                    ),
                    ToolUse(
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
                        tool=iss_client.GET_OHLCV_TIMESERIES,
                        description=(
                            "Get historical OHLCV data and basic metrics for a MOEX security. Bars are "
                            "oldest first, weekend sessions included, and not adjusted for dividends or "
                            "splits; ts is the start of a bar, in Moscow time. volume is in shares, value in "
                            "roubles. The last bar of today is not finished. All bars are of the requested "
                            "days; ISS_BAD_RESPONSE is the answer when the exchange serves others. "
                            "total_return_pct = (last close / first close - 1) * 100, in percent. "
                            "annualized_volatility = sample standard deviation of the logarithmic "
                            "close-to-close returns * sqrt(bars a year) * 100, in percent a year; it needs "
                            "three bars. Daily bars (1d) are annualised by 252 trading days a year. Hourly "
                            "bars (1h) are annualised by 4284 hours a year: 252 trading days of 17 hours, "
                            "07:00 to 24:00 Moscow time, the trading hours since March 2025. Earlier days "
                            "had fewer hours, so the estimate from their hourly bars is too high. "
                            "avg_daily_volume = mean over the days that have bars of the day's volume, in "
                            "shares, for 1h too."
                        ),
                    ),
                    ToolUse(
                        reads=(
                            "/metadata/as_of_date",
                            "/data/*/ticker",
                            "/data/*/weight_pct",
                            "/data/*/price_change_pct",
                            "/metrics/top5_weight_pct",
                            "/metrics/num_constituents",
                        ),
                        tool=iss_client.GET_INDEX_CONSTITUENTS_METRICS,
                        description=(
                            "Get index composition and per-constituent metrics. Members are the heaviest "
                            "first. metrics.composition_date, which is as_of_date in metadata, is the "
                            "trading day whose composition was served, metrics.requested_as_of_date the "
                            "requested one. metrics.is_requested_date is false if they differ, as for a "
                            "weekend. last_price and price_change_pct (percent, against the previous trading "
                            "day) are today's, of the main board (TQBR), as of metrics.prices_as_of. A "
                            "member that was not traded today has its previous price and the change 0; "
                            "price_field is then PREVPRICE. A member without a price on that board has "
                            "neither. sector is present if the server is configured to look it up. The "
                            "weights of the whole index sum to 100 %; ISS_BAD_RESPONSE is the answer when "
                            "the exchange serves only a part. top5_weight_pct = sum of the five largest "
                            "weight_pct, in percent. num_constituents = number of members."
                        ),
                    ),
                ),
                environment=("MOEX_ISS_BASE_URL", "MOEX_SECTORS", "MOEX_REDIS_URL"),
            ),
        ),
        limits=Limits(timeout_ms=30000, p95_ms=3000, max_concurrent=20),
        call=MoexAnalystCall,
        handler_settings=None,
        request=models.AnalystRequest,
        input=schemas.INPUT,
        result=models.AnalystResponse,
        output=schemas.OUTPUT,
        handler=handler.answer,
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
                description="Compare two to five securities over a period. Use it for questions with several tickers.",
                tags=("moex", "comparison"),
                examples=("Сравни SBER и VTBR за месяц",),
            ),
            Skill(
                name="scan-index",
                description="Describe an index by its constituents. Use it for questions about IMOEX and its leaders.",
                tags=("moex", "indices"),
                examples=("Кто тянул IMOEX вверх?",),
            ),
        ),
        tasks=AgentTasks(store="tasks"),
        retry=Retry(
            max_attempts=3,
            initial_delay_ms=200,
            max_delay_ms=2000,
            multiplier=2,
            jitter=0.1,
        ),
    )
