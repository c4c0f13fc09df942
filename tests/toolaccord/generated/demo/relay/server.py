"""Declaration of relay-mcp.

A relay that passes words on.

Generated from tests/toolaccord/contracts/demo/relay.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.relay import models, schemas
from tests.toolaccord.generated.dialects import GATEWAY
from toolaccord.declarations.access import Access, ArgumentKey, BearerToken
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.prompts import Prompt, TextMessage
from toolaccord.declarations.resources import Completion, Resource, StaticText
from toolaccord.declarations.tool import Server, Tool
from toolaccord.semantics.policies import CacheHint
from toolaccord.semantics.settings import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaySettings:
    """Settings of the handlers, from the environment."""

    station: str
    """name of the station."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayCall:
    """Sources, settings and time that a handler of relay-mcp gets with a request."""

    settings: RelaySettings
    now: datetime
    """Time of the call, in UTC."""


class Handlers(Protocol):
    """Coroutines of tools, resources and prompts, implemented in `tests.toolaccord.demo.relay`."""

    async def echo(self, request: models.EchoRequest, call: RelayCall, /) -> models.EchoResult:
        """Say something again."""

    async def signal_hold(self, request: models.SignalHoldRequest, call: RelayCall, /) -> models.SignalHoldResult:
        """Wait until somebody releases the signal."""

    async def signal_release(
        self, request: models.SignalReleaseRequest, call: RelayCall, /
    ) -> models.SignalReleaseResult:
        """Release a signal, for whoever waits or will wait."""

    async def stall(self, request: models.StallRequest, call: RelayCall, /) -> models.StallResult:
        """Never answer."""

    async def fail(self, request: models.FailRequest, call: RelayCall, /) -> models.FailResult:
        """Fail in some way."""

    async def trade_submit(self, request: models.TradeSubmitRequest, call: RelayCall, /) -> models.TradeSubmitResult:
        """Trade, which this relay never does."""


def server(handlers: Handlers) -> Server[RelayCall]:
    """Bind the tools of relay-mcp to *handlers*."""
    return Server(
        name="relay-mcp",
        title="Relay",
        version="1.0.0",
        description="A relay that passes words on.",
        instructions=None,
        dialect=GATEWAY,
        settings=(
            Setting(
                name="key",
                env="RELAY_KEY",
                description="key that callers send",
                schema={"type": "string", "pattern": "^[A-Za-z0-9._~+/=-]+$"},
                required=True,
                secret=True,
            ),
            Setting(
                name="station",
                env="RELAY_STATION",
                description="name of the station",
                schema={"type": "string"},
                default="north",
            ),
        ),
        sources=(),
        transports=("stdio", "http", "content_length"),
        access=Access(
            content_length=ArgumentKey(name="api_key", setting="key"),
            http=BearerToken(setting="key"),
        ),
        resources=(
            Resource(
                name="alphabet",
                title=None,
                description="Alphabet of the relay.",
                uri="relay://alphabet",
                mime_type="text/plain",
                kind="text",
                content=StaticText("alfa, bravo, charlie"),
                cache=CacheHint(ttl_s=86400, scope="public"),
            ),
        ),
        prompts=(
            Prompt(
                name="spell",
                title=None,
                description="Spell a word.",
                request=models.PromptSpellRequest,
                parameters=schemas.PROMPT_SPELL_PARAMETERS,
                messages=(TextMessage("user", "Spell {word}."),),
                timeout_ms=5000,
                completions=(Completion(member="word", values=("bad", "cab")),),
            ),
        ),
        call=RelayCall,
        handler_settings=RelaySettings,
        tools=(
            Tool(
                name="echo",
                title=None,
                version="1.0.0",
                description="Say something again",
                reads=(),
                writes=(),
                request=models.EchoRequest,
                parameters=schemas.ECHO_PARAMETERS,
                returns=schemas.ECHO_RETURNS,
                output=schemas.ECHO_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.echo,
            ),
            Tool(
                name="signal.hold",
                title=None,
                version="1.0.0",
                description="Wait until somebody releases the signal",
                reads=(),
                writes=(),
                request=models.SignalHoldRequest,
                parameters=schemas.SIGNAL_HOLD_PARAMETERS,
                returns=schemas.SIGNAL_HOLD_RETURNS,
                output=schemas.SIGNAL_HOLD_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=60000,
                nullable_results=False,
                handler=handlers.signal_hold,
            ),
            Tool(
                name="signal.release",
                title=None,
                version="1.0.0",
                description="Release a signal, for whoever waits or will wait",
                reads=(),
                writes=(),
                request=models.SignalReleaseRequest,
                parameters=schemas.SIGNAL_RELEASE_PARAMETERS,
                returns=schemas.SIGNAL_RELEASE_RETURNS,
                output=schemas.SIGNAL_RELEASE_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.signal_release,
            ),
            Tool(
                name="stall",
                title=None,
                version="1.0.0",
                description="Never answer",
                reads=(),
                writes=(),
                request=models.StallRequest,
                parameters=schemas.STALL_PARAMETERS,
                returns=schemas.STALL_RETURNS,
                output=schemas.STALL_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=2000,
                nullable_results=False,
                handler=handlers.stall,
            ),
            Tool(
                name="fail",
                title=None,
                version="1.0.0",
                description="Fail in some way",
                reads=(),
                writes=(),
                request=models.FailRequest,
                parameters=schemas.FAIL_PARAMETERS,
                returns=schemas.FAIL_RETURNS,
                output=schemas.FAIL_OUTPUT,
                errors=(DeclaredError(errors.LineBroken),),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.fail,
            ),
            Tool(
                name="trade.submit",
                title=None,
                version="1.0.0",
                description="Trade, which this relay never does",
                reads=(),
                writes=(),
                request=models.TradeSubmitRequest,
                parameters=schemas.TRADE_SUBMIT_PARAMETERS,
                returns=schemas.TRADE_SUBMIT_RETURNS,
                output=schemas.TRADE_SUBMIT_OUTPUT,
                errors=(DeclaredError(errors.TradeDisabled),),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=20000,
                transports=("content_length",),
                nullable_results=False,
                handler=handlers.trade_submit,
            ),
        ),
    )
