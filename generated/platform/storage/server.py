"""Declaration of storage-mcp.

State that agents share while they work on one task, in Redis.

Generated from contracts/platform/storage.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.dialects import PLATFORM
from generated.platform import errors
from generated.platform.storage import models, schemas
from toolaccord import Caller, IdempotencyKey
from toolaccord.contract.policies import Idempotency, RateLimit, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.tool import Server, Tool
from toolaccord.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageCall:
    """Sources, settings and time that a handler of storage-mcp gets with a request."""

    state: Redis
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""
    idempotency: IdempotencyKey | None
    """Idempotency key of the call; None if it has none."""


class Handlers(Protocol):
    """Coroutines of storage-mcp.

    The module `handlers.platform.storage` implements them.
    """

    async def storage_shared_state_get(
        self, request: models.StorageSharedStateGetRequest, call: StorageCall, /
    ) -> models.StorageSharedStateGetResult:
        """Get a value of a task's shared state, with its metadata."""

    async def storage_shared_state_set(
        self, request: models.StorageSharedStateSetRequest, call: StorageCall, /
    ) -> models.StorageSharedStateSetResult:
        """Store a value in a task's shared state; a value before it is replaced."""


def server(handlers: Handlers) -> Server[StorageCall]:
    """Bind the tools of storage-mcp to *handlers*."""
    return Server(
        name="storage-mcp",
        title="Storage",
        version="1.1.0",
        description="State that agents share while they work on one task, in Redis.",
        instructions=(
            "Use one corr_id for all state of a task. A value replaces the one before it and "
            "expires after ttl_seconds. A missing or expired key is no error: exists is "
            "false. A set that may be sent twice should carry _meta.idempotency_key."
        ),
        dialect=PLATFORM,
        settings=(
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="Address of Redis: redis://user:password@host:6379/0, rediss:// with TLS, or unix:///path",
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
                connection_timeout_s=0.025,
                timeout_s=0.025,
                retries=1,
            ),
        ),
        call=StorageCall,
        tools=(
            Tool(
                name="storage.shared_state.get",
                request=models.StorageSharedStateGetRequest,
                parameters=schemas.STORAGE_SHARED_STATE_GET_PARAMETERS,
                returns=schemas.STORAGE_SHARED_STATE_GET_RETURNS,
                handler=handlers.storage_shared_state_get,
                timeout_ms=50,
                reads=("state",),
                errors=(
                    DeclaredError(errors.BackendUnavailable, When(occasion="source")),
                    DeclaredError(errors.UnreadableState),
                ),
                nullable_results=True,
                rate_limit=RateLimit(calls=1000, window_s=60, store="state"),
                version="1.1.0",
                title="Read shared state",
                description="Get a value of a task's shared state, with its metadata",
            ),
            Tool(
                name="storage.shared_state.set",
                request=models.StorageSharedStateSetRequest,
                parameters=schemas.STORAGE_SHARED_STATE_SET_PARAMETERS,
                returns=schemas.STORAGE_SHARED_STATE_SET_RETURNS,
                handler=handlers.storage_shared_state_set,
                timeout_ms=100,
                writes=("state",),
                errors=(
                    DeclaredError(errors.BackendUnavailable, When(occasion="source")),
                    DeclaredError(errors.StorageQuotaExceeded),
                ),
                idempotency=Idempotency(key_from=("request",), window_s=3600, store="state"),
                rate_limit=RateLimit(calls=500, window_s=60, store="state"),
                version="1.0.1",
                title="Write shared state",
                description="Store a value in a task's shared state; a value before it is replaced",
            ),
        ),
    )
