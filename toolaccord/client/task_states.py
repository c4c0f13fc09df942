"""States of tasks, as servers describe them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from toolaccord.json_values import JsonObject

TaskStatus: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]
"""States of MCP's extension for tasks; the last three are final."""
_FINAL = frozenset({"completed", "failed", "cancelled"})


def _number(value: Any) -> float | None:
    """Return a number of somebody else's server; None for anything else."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _object(value: Any) -> JsonObject:
    """Return an object of somebody else's server; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


_Number: TypeAlias = Annotated[float | None, BeforeValidator(_number)]


class TaskProgress(BaseModel):
    """The part of a task that is done."""

    model_config = ConfigDict(frozen=True)

    done: _Number = Field(default=None, alias="progress")
    """The part that is done, in any unit; None if the server does not say."""
    total: _Number = None
    """The whole; None if nobody knows."""


class TaskState(BaseModel):
    """A task at one moment."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(alias="taskId", min_length=1, repr=False)
    """The id, which only its caller should know."""
    status: TaskStatus
    """Its state."""
    message: str | None = Field(default=None, alias="statusMessage")
    """A sentence on its state for people; None without one."""
    progress: Annotated[TaskProgress, BeforeValidator(_object)] = Field(
        default=TaskProgress(), validation_alias=AliasPath("_meta", "progress")
    )
    """The part that is done, if the server says so."""
    created_at: datetime = Field(alias="createdAt")
    """Time of its creation."""
    updated_at: datetime = Field(alias="lastUpdatedAt")
    """Time of its last change."""
    ttl_ms: float | None = Field(alias="ttlMs")
    """Milliseconds from its creation for which it can be read; None for ever."""
    poll_ms: _Number = Field(default=None, alias="pollIntervalMs")
    """Milliseconds that a reader should wait between two looks; None if the server does not say."""
    requests: dict[str, JsonObject] = Field(default={}, alias="inputRequests")
    """Questions that wait for an answer, by key."""
    result: JsonObject | None = None
    """The result of the call as MCP sends it; None unless it is completed."""
    error: JsonObject | None = None
    """The error of JSON-RPC that ended it; None unless it has failed."""

    @property
    def is_final(self) -> bool:
        """Return whether it never changes again."""
        return self.status in _FINAL
