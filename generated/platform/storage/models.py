"""Requests and results of storage-mcp.

Generated from contracts/platform/storage.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from toolaccord.contract_model import ContractModel


class StorageSharedStateGetRequest(ContractModel):
    """Arguments of storage.shared_state.get."""

    corr_id: Annotated[str, Field(max_length=128)]
    """Id of the task that shares the state: at most 128 letters, digits, _ or -"""
    key: Annotated[str, Field(max_length=256)]
    """Name of the value within the task: at most 256 letters, digits, dots, _ or -"""


class Metadata(ContractModel):
    """Metadata of a value; absent if there is none."""

    created_at: AwareDatetime
    """Time of the first of the values that replaced each other"""
    updated_at: AwareDatetime
    """Time at which this value was stored, or first read if another program stored it"""
    ttl_seconds: Annotated[int, Field(ge=-1)]
    """Seconds until the value expires; -1 if it never does"""
    access_count: Annotated[int, Field(ge=0)]
    """Number of reads since created_at, this one included"""


class StorageSharedStateSetRequest(ContractModel):
    """Arguments of storage.shared_state.set."""

    corr_id: Annotated[str, Field(max_length=128)]
    """Id of the task that shares the state: at most 128 letters, digits, _ or -"""
    key: Annotated[str, Field(max_length=256)]
    """Name of the value within the task: at most 256 letters, digits, dots, _ or -"""
    value: Any
    """Any JSON of at most 1 MiB: 1048576 bytes without white space"""
    ttl_seconds: Annotated[int, Field(ge=1, le=86400)] = 300
    """Seconds until the value expires, 1 to 86400; 300 if absent"""


class StorageSharedStateSetResult(ContractModel):
    """Result of storage.shared_state.set."""

    stored: bool
    """True: the value is stored"""
    expires_at: AwareDatetime
    """Time at which the value expires, by Redis's clock"""
    size_bytes: Annotated[int, Field(ge=0)]
    """Size of the stored JSON in bytes"""


class StorageSharedStateGetResult(ContractModel):
    """Result of storage.shared_state.get."""

    exists: bool
    """True if the key has a value that has not expired"""
    value: Any | None = None
    """The value, any JSON; absent if there is none"""
    metadata: Metadata | None = None
