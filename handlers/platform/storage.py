"""The tools of storage-mcp: state that agents share, in Redis."""

import json
from contextlib import suppress
from typing import Any

import orjson

from generated.platform.errors import StorageQuotaExceeded, UnreadableState
from generated.platform.storage.models import (
    Metadata,
    StorageSharedStateGetRequest,
    StorageSharedStateGetResult,
    StorageSharedStateSetRequest,
    StorageSharedStateSetResult,
)
from generated.platform.storage.server import StorageCall
from handlers.platform import shared_state
from handlers.platform.shared_state import MAX_BYTES
from toolaccord.json_values import encode_json
from toolaccord.schema.json_safety import MAX_DEPTH, is_representable
from toolaccord.sources.redis import RedisError

_MAX_DEPTH = MAX_DEPTH - 1
"""Arrays and objects that may be nested in a value; the result around it is one more."""


async def storage_shared_state_get(
    request: StorageSharedStateGetRequest, call: StorageCall
) -> StorageSharedStateGetResult:
    """Return the value of a key with its metadata, and count the read.

    Without a value, `exists` is false.
    """
    try:
        found = await shared_state.read(call.state, request.corr_id, request.key)
        if found is None:
            return StorageSharedStateGetResult(exists=False)
        value = _decode(found.json)
    except shared_state.ForeignState as error:
        message = f"Another program stored under {request.key} {error}; set the key again, or read another one."
        raise UnreadableState(message, key=request.key) from error
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
    """Return the value of *text*, exactly.

    Raises ForeignState if it is no JSON, or none that a result can hold.
    """
    with suppress(ValueError, RecursionError):
        value = orjson.loads(text)
        # orjson reads an integer beyond 64 bits as a float, and writes none, so the texts then differ
        if not is_representable(value, _MAX_DEPTH) or orjson.dumps(value) != text:
            value = json.loads(text)
        if is_representable(value, _MAX_DEPTH):
            return value
    raise shared_state.ForeignState(f"no JSON of finite numbers and at most {_MAX_DEPTH} levels")
