"""Declaration of swimmy-mcp.

Status and backtests of the Swimmy trading system, over its ZeroMQ bus and its status files.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from generated.dialects import GATEWAY
from generated.gateway import errors
from generated.gateway.swimmy import models, schemas
from toolaccord import Caller, Publisher
from toolaccord.contract.access import Access, ArgumentKey, BearerToken
from toolaccord.contract.policies import TaskPolicy, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.events import Event
from toolaccord.declarations.operation import OlderVersion
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.semantics.conditions import Ordered
from toolaccord.semantics.version_steps import move
from toolaccord.sources.files import Files, FilesSource
from toolaccord.sources.zmq import ZmqPub, ZmqPubSource, ZmqSub, ZmqSubSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SwimmyCall:
    """Sources, settings and time that a handler of swimmy-mcp gets with a request."""

    results: ZmqSub
    guardian: ZmqPub
    files: Files
    backtest_request: Publisher[models.BacktestRequest]
    """A backtest for the Guardian to run."""
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""


class BacktestStatusCall(Protocol):
    """Members of SwimmyCall for backtest.status; its `effects` in the contract name them."""

    @property
    def results(self) -> ZmqSub:
        """The source results."""

    @property
    def guardian(self) -> ZmqPub:
        """The source guardian."""

    @property
    def files(self) -> Files:
        """The source files."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class BacktestSubmitCall(Protocol):
    """Members of SwimmyCall for backtest.submit; its `effects` in the contract name them."""

    @property
    def results(self) -> ZmqSub:
        """The source results."""

    @property
    def backtest_request(self) -> Publisher[models.BacktestRequest]:
        """A backtest for the Guardian to run."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class HealthPingCall(Protocol):
    """Members of SwimmyCall for health.ping; its `effects` in the contract name them."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class SystemMetricsCall(Protocol):
    """Members of SwimmyCall for system.metrics; its `effects` in the contract name them."""

    @property
    def files(self) -> Files:
        """The source files."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class SystemStatusCall(Protocol):
    """Members of SwimmyCall for system.status; its `effects` in the contract name them."""

    @property
    def files(self) -> Files:
        """The source files."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class TradeSubmitCall(Protocol):
    """Members of SwimmyCall for trade.submit; its `effects` in the contract name them."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class Handlers(Protocol):
    """Coroutines of swimmy-mcp.

    The module `handlers.gateway.swimmy` implements them.
    """

    async def health_ping(self, request: models.HealthPingRequest, call: SwimmyCall, /) -> models.HealthPingResult:
        """Check that the gateway answers; says nothing about Swimmy itself."""

    async def system_status(
        self, request: models.SystemStatusRequest, call: SwimmyCall, /
    ) -> models.SystemStatusResult:
        """Get the status of Swimmy and of its backtests, as its status files have it.

        An empty object means that the file does not exist or cannot be read.
        """

    async def system_metrics(
        self, request: models.SystemMetricsRequest, call: SwimmyCall, /
    ) -> models.SystemMetricsResult:
        """Get Swimmy's metrics as its metrics file has them.

        An empty object means that the file does not exist or cannot be read. Check schema_version before you rely on
        other members.
        """

    async def backtest_submit(
        self, request: models.BacktestSubmitRequest, call: SwimmyCall, /
    ) -> models.BacktestSubmitResult:
        """Send a backtest to the Guardian, which runs it in the background.

        Give the candles once: inline, as a file of the Guardian, or as data_id of candles that it already holds. Read
        the result with backtest.status and the returned request_id.
        """

    async def backtest_status(
        self, request: models.BacktestStatusRequest, call: SwimmyCall, /
    ) -> models.BacktestStatusResult:
        """Get the result of a backtest by its request_id.

        Without request_id, or if the gateway receives no results, mode is latest and the members describe the
        backtest that ended last, whoever submitted it: compare last_request_id with yours.
        """

    async def trade_submit(self, request: models.TradeSubmitRequest, call: SwimmyCall, /) -> models.TradeSubmitResult:
        """Always rejected: this gateway sends no orders."""

    async def known_state_back(self, value: Any, call: SwimmyCall, /) -> Any:
        """Map a result's value of the next version to backtest.status 1.0.1."""


def server(handlers: Handlers) -> Server[SwimmyCall]:
    """Bind the tools of swimmy-mcp to *handlers*."""
    return Server(
        name="swimmy-mcp",
        title="Swimmy gateway",
        version="2.2.1",
        description="Status and backtests of the Swimmy trading system, over its ZeroMQ bus and its status files.",
        instructions=(
            "Call backtest.submit, keep its request_id, and read the result with "
            "backtest.status, whose state is pending until there is one. A backtest runs in "
            "the background and takes seconds to minutes. An empty object from system.status "
            "or system.metrics means that Swimmy wrote no such file yet. Orders cannot be "
            "sent."
        ),
        dialect=GATEWAY,
        settings=(
            Setting(
                name="api_key",
                env="SWIMMY_MCP_API_KEY",
                description=(
                    "Key that callers send as params.api_key over Content-Length, and as bearer "
                    "token over HTTP; unused on stdio"
                ),
                schema={"type": "string", "minLength": 1, "maxLength": 256, "pattern": "^\\S+$"},
                required=True,
                secret=True,
            ),
            Setting(
                name="endpoint",
                env="SWIMMY_MCP_ZMQ_ENDPOINT",
                description="ZeroMQ address at which the Guardian receives commands, e.g. tcp://localhost:5559",
                schema={"type": "string"},
                default="tcp://localhost:5559",
            ),
            Setting(
                name="results_endpoint",
                env="SWIMMY_MCP_RESULTS_ENDPOINT",
                description=(
                    "ZeroMQ address at which results of backtests are published; without it, "
                    "backtest.status has the latest backtest only"
                ),
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="swimmy_status_file",
                env="SWIMMY_STATUS_FILE",
                description="Path of the file in which Swimmy writes its own status",
                schema={"type": "string"},
                default="/tmp/swimmy_status",
            ),
            Setting(
                name="backtest_status_file",
                env="SWIMMY_BACKTEST_STATUS_FILE",
                description="Path of the file in which Swimmy writes the status of its backtests",
                schema={"type": "string"},
                default="data/reports/backtest_status.txt",
            ),
            Setting(
                name="metrics_file",
                env="SWIMMY_METRICS_FILE",
                description="Path of the S-expression in which Swimmy writes its metrics",
                schema={"type": "string"},
                default="data/system_metrics.sexp",
            ),
        ),
        sources=(
            ZmqSubSource(name="results", endpoint="results_endpoint"),
            ZmqPubSource(name="guardian", endpoint="endpoint"),
            FilesSource(
                name="files",
                paths={
                    "swimmy_status": "swimmy_status_file",
                    "backtest_status": "backtest_status_file",
                    "system_metrics": "metrics_file",
                },
            ),
        ),
        call=SwimmyCall,
        tools=(
            Tool(
                name="health.ping",
                request=models.HealthPingRequest,
                parameters=schemas.HEALTH_PING_PARAMETERS,
                returns=schemas.HEALTH_PING_RETURNS,
                handler=handlers.health_ping,
                timeout_ms=2000,
                version="1.1.0",
                title="Ping",
                description="Check that the gateway answers; says nothing about Swimmy itself",
            ),
            Tool(
                name="system.status",
                request=models.SystemStatusRequest,
                parameters=schemas.SYSTEM_STATUS_PARAMETERS,
                returns=schemas.SYSTEM_STATUS_RETURNS,
                handler=handlers.system_status,
                timeout_ms=2000,
                reads=("files",),
                version="1.0.0",
                title="System status",
                description=(
                    "Get the status of Swimmy and of its backtests, as its status files have it. An "
                    "empty object means that the file does not exist or cannot be read"
                ),
            ),
            Tool(
                name="system.metrics",
                request=models.SystemMetricsRequest,
                parameters=schemas.SYSTEM_METRICS_PARAMETERS,
                returns=schemas.SYSTEM_METRICS_RETURNS,
                handler=handlers.system_metrics,
                timeout_ms=2000,
                reads=("files",),
                nullable_results=True,
                version="1.0.0",
                title="System metrics",
                description=(
                    "Get Swimmy's metrics as its metrics file has them. An empty object means that "
                    "the file does not exist or cannot be read. Check schema_version before you rely "
                    "on other members"
                ),
            ),
            Tool(
                name="backtest.submit",
                request=models.BacktestSubmitRequest,
                parameters=schemas.BACKTEST_SUBMIT_PARAMETERS,
                returns=schemas.BACKTEST_SUBMIT_RETURNS,
                handler=handlers.backtest_submit,
                timeout_ms=60000,
                reads=("results",),
                writes=("guardian",),
                publishes=("backtest_request",),
                errors=(
                    DeclaredError(errors.InconsistentParams),
                    DeclaredError(errors.Unavailable, When(occasion="source")),
                ),
                conditions=(Ordered(pointers=("/start_time", "/end_time"), strict=False, code="INCONSISTENT_PARAMS"),),
                nullable_results=True,
                version="1.1.0",
                title="Submit a backtest",
                description=(
                    "Send a backtest to the Guardian, which runs it in the background. Give the "
                    "candles once: inline, as a file of the Guardian, or as data_id of candles that "
                    "it already holds. Read the result with backtest.status and the returned "
                    "request_id"
                ),
                task=TaskPolicy(
                    mode="optional",
                    timeout_s=3600,
                    ttl_s=86400,
                    concurrency=100,
                    after_crash="fail",
                ),
            ),
            Tool(
                name="backtest.status",
                request=models.BacktestStatusRequest,
                parameters=schemas.BACKTEST_STATUS_PARAMETERS,
                returns=schemas.BACKTEST_STATUS_RETURNS,
                handler=handlers.backtest_status,
                timeout_ms=2000,
                reads=("files", "results", "guardian"),
                nullable_results=True,
                version="2.0.2",
                versions=(
                    OlderVersion(
                        version="1.0.1",
                        parameters=schemas.BACKTEST_STATUS_PARAMETERS_1_0_1,
                        returns=schemas.BACKTEST_STATUS_RETURNS_1_0_1,
                        parameter_steps=(),
                        result_steps=(move("/state", "/state", lookup=handlers.known_state_back),),
                    ),
                ),
                title="Status of a backtest",
                description=(
                    "Get the result of a backtest by its request_id. Without request_id, or if the "
                    "gateway receives no results, mode is latest and the members describe the "
                    "backtest that ended last, whoever submitted it: compare last_request_id with "
                    "yours"
                ),
                view=ViewFile("generated.gateway.swimmy", "backtest_status.json"),
            ),
            Tool(
                name="trade.submit",
                request=models.TradeSubmitRequest,
                parameters=schemas.TRADE_SUBMIT_PARAMETERS,
                returns=schemas.TRADE_SUBMIT_RETURNS,
                handler=handlers.trade_submit,
                timeout_ms=2000,
                errors=(DeclaredError(errors.TradeDisabled),),
                version="1.1.0",
                title="Submit an order",
                description="Always rejected: this gateway sends no orders",
                transports=("content_length",),
            ),
        ),
        events=(
            Event(
                name="backtest_request",
                source="guardian",
                encoding="s_expression",
                symbols=("/strategy/indicator_type",),
                payload=schemas.BACKTEST_REQUEST_PAYLOAD,
            ),
        ),
        transports=("stdio", "http", "content_length"),
        access=Access(
            content_length=ArgumentKey(name="api_key", setting="api_key"), http=BearerToken(setting="api_key")
        ),
    )
