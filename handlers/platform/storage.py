"""The tools of storage-mcp: state that agents share, in Redis."""

import json
from typing import Any

import orjson

from generated.platform.errors import StorageQuotaExceeded
from generated.platform.storage.models import (
    Metadata,
    StorageSharedStateGetRequest,
    StorageSharedStateGetResult,
    StorageSharedStateSetRequest,
    StorageSharedStateSetResult,
)
from generated.platform.storage.server import StorageCall
from handlers.platform import shared_state
from toolpact import SourceError
from toolpact.json_values import encode_json
from toolpact.sources.redis import RedisError

MAX_BYTES = 1_048_576
"""Largest size of a value's JSON in bytes."""


async def storage_shared_state_get(
    request: StorageSharedStateGetRequest, call: StorageCall
) -> StorageSharedStateGetResult:
    """Return the value of a key with its metadata, and count the read.

    Without a value, `exists` is false.
    """
    found = await shared_state.read(call.state, request.corr_id, request.key)
    if found is None:
        return StorageSharedStateGetResult(exists=False)
    try:
        value = _decode(found.json)
    except json.JSONDecodeError as error:
        raise SourceError(f"the value of {request.key} is not JSON") from error
    metadata = Metadata(
        created_at=found.created_at, updated_at=found.updated_at, ttl_seconds=found.ttl_s, access_count=found.reads
    )
    return StorageSharedStateGetResult(exists=True, value=value, metadata=metadata)


async def storage_shared_state_set(
    request: StorageSharedStateSetRequest, call: StorageCall
) -> StorageSharedStateSetResult:
    """Store a value in the place of the one before it; return the time at which it expires."""
    text = encode_json(request.value)
    size = len(text)
    if size > MAX_BYTES:
        raise StorageQuotaExceeded(f"The value has {size} bytes; at most {MAX_BYTES} can be stored.", size_bytes=size)
    try:
        expires_at = await shared_state.write(call.state, request.corr_id, request.key, text, request.ttl_seconds)
    except RedisError as error:
        if error.failure == "full":
            message = "The memory of Redis is full, and nothing was stored; store less, or call again later."
            raise StorageQuotaExceeded(message, size_bytes=size) from error
        raise
    return StorageSharedStateSetResult(stored=True, expires_at=expires_at, size_bytes=size)


def _decode(text: bytes) -> Any:
    """Return the value of *text*, exactly. Raises JSONDecodeError if it is not JSON."""
    value = orjson.loads(text)
    # orjson reads an integer beyond 64 bits as a float, and writes none, so the texts then differ
    return value if orjson.dumps(value) == text else json.loads(text)
