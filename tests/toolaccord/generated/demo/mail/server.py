"""Declaration of mail-mcp.

Letters, each sent once.

Generated from tests/toolaccord/contracts/demo/mail.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.mail import models, schemas
from tests.toolaccord.generated.dialects import PLATFORM
from toolaccord import IdempotencyKey
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.tool import OlderVersion, Server, Tool
from toolaccord.semantics.policies import Idempotency
from toolaccord.semantics.settings import Setting
from toolaccord.semantics.version_steps import move
from toolaccord.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class MailCall:
    """Sources, settings and time that a handler of mail-mcp gets with a request."""

    state: Redis
    now: datetime
    """Time of the call, in UTC."""
    idempotency: IdempotencyKey | None
    """Idempotency key of the call; None if it has none."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolaccord.demo.mail`."""

    async def send(self, request: models.SendRequest, call: MailCall, /) -> models.SendResult:
        """Send a letter."""

    async def post(self, request: models.PostRequest, call: MailCall, /) -> models.PostResult:
        """Send a letter without waiting for long."""

    async def remind(self, request: models.RemindRequest, call: MailCall, /) -> models.RemindResult:
        """Send a letter, once an hour."""


def server(handlers: Handlers) -> Server[MailCall]:
    """Bind the tools of mail-mcp to *handlers*."""
    return Server(
        name="mail-mcp",
        title="Mail",
        version="1.0.0",
        description="Letters, each sent once.",
        instructions=None,
        dialect=PLATFORM,
        settings=(
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="where the idempotency keys are",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
        ),
        sources=(
            RedisSource(
                name="state",
                url="redis_url",
                max_connections=20,
                connection_timeout_s=2,
                timeout_s=2,
            ),
        ),
        call=MailCall,
        handler_settings=None,
        tools=(
            Tool(
                name="send",
                title=None,
                version="1.0.0",
                description="Send a letter",
                reads=(),
                writes=("state",),
                request=models.SendRequest,
                parameters=schemas.SEND_PARAMETERS,
                returns=schemas.SEND_RETURNS,
                output=schemas.SEND_OUTPUT,
                errors=(DeclaredError(errors.Bounced),),
                conditions=(),
                cache=None,
                idempotency=Idempotency(key_from=("request", "derived"), window_s=60, store="state"),
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.send,
                versions=(
                    OlderVersion(
                        version="0.9.0",
                        released_on=None,
                        deprecated_on=None,
                        sunset_on=None,
                        parameters=schemas.SEND_PARAMETERS_0_9_0,
                        returns=schemas.SEND_RETURNS_0_9_0,
                        parameter_steps=(move("/words", "/text"),),
                        result_steps=(move("/id", "/letter"),),
                    ),
                ),
            ),
            Tool(
                name="post",
                title=None,
                version="1.0.0",
                description="Send a letter without waiting for long",
                reads=(),
                writes=("state",),
                request=models.PostRequest,
                parameters=schemas.POST_PARAMETERS,
                returns=schemas.POST_RETURNS,
                output=schemas.POST_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                idempotency=Idempotency(key_from=("request",), window_s=3600, store="state"),
                paginated=False,
                timeout_ms=1000,
                nullable_results=False,
                handler=handlers.post,
            ),
            Tool(
                name="remind",
                title=None,
                version="1.0.0",
                description="Send a letter, once an hour",
                reads=(),
                writes=("state",),
                request=models.RemindRequest,
                parameters=schemas.REMIND_PARAMETERS,
                returns=schemas.REMIND_RETURNS,
                output=schemas.REMIND_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                idempotency=Idempotency(key_from=("derived",), window_s=3600, store="state"),
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.remind,
            ),
        ),
    )
