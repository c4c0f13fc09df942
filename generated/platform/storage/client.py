"""Typed client of storage-mcp.

Generated from contracts/platform/storage.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.platform import errors
from generated.platform.storage import models, schemas
from toolaccord.client.base import CallOptions, ServerClient, WriteOptions
from toolaccord.client.declarations import RemoteServer, RemoteTool
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

STORAGE_SHARED_STATE_GET: Final = RemoteTool(
    name="storage.shared_state.get",
    request=models.StorageSharedStateGetRequest,
    result=models.StorageSharedStateGetResult,
    errors=(
        DeclaredError(errors.BackendUnavailable, When(occasion="source")),
        DeclaredError(errors.UnreadableState),
    ),
    timeout_s=0.05,
    parameters=schemas.STORAGE_SHARED_STATE_GET_PARAMETERS,
    version="1.1.0",
)

STORAGE_SHARED_STATE_SET: Final = RemoteTool(
    name="storage.shared_state.set",
    request=models.StorageSharedStateSetRequest,
    result=models.StorageSharedStateSetResult,
    errors=(
        DeclaredError(errors.BackendUnavailable, When(occasion="source")),
        DeclaredError(errors.StorageQuotaExceeded),
    ),
    timeout_s=0.1,
    nullable_arguments=True,
    parameters=schemas.STORAGE_SHARED_STATE_SET_PARAMETERS,
    version="1.0.1",
    writes=True,
)


class StorageClient(ServerClient):
    """Client of storage-mcp.

    State that agents share while they work on one task, in Redis.
    """

    _server: ClassVar = RemoteServer(
        name="storage-mcp",
        module="generated.platform.storage",
        dialect=dialects.PLATFORM,
    )

    async def storage_shared_state_get(
        self, request: models.StorageSharedStateGetRequest, **options: Unpack[CallOptions]
    ) -> models.StorageSharedStateGetResult:
        """Get a value of a task's shared state, with its metadata.

        May raise:
        * BackendUnavailable: Redis is unreachable, or did not answer in time.
        * UnreadableState: Another program stored under the key what is no JSON of at most 1 MiB; set the key again.
        """
        return (await self.call(STORAGE_SHARED_STATE_GET, request, **options)).result

    async def storage_shared_state_set(
        self, request: models.StorageSharedStateSetRequest, **options: Unpack[WriteOptions]
    ) -> models.StorageSharedStateSetResult:
        """Store a value in a task's shared state; a value before it is replaced.

        May raise:
        * BackendUnavailable: Redis is unreachable, or did not answer in time; the value may be stored.
        * StorageQuotaExceeded: The value is larger than 1 MiB, or the memory of Redis is full; nothing was stored.
        """
        return (await self.call(STORAGE_SHARED_STATE_SET, request, **options)).result
