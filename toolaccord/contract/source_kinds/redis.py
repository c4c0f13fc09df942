"""Redises that handlers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Required
    from toolaccord.contract.texts import Count, Duration, KeyName, SettingName


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisSource:
    """A Redis or a server with its protocol, such as Valkey."""

    name: KeyName
    kind: Annotated[Literal["redis"], Required()] = "redis"
    url: SettingName
    """Setting with the address: redis://, rediss:// or unix://."""
    max_connections: Count = 10
    """Maximum number of open connections."""
    connection_timeout_s: Duration = 1
    """Seconds that a command waits for a connection, including the time to connect."""
    timeout_s: Duration = 1
    """Seconds within which a command must be answered."""
    retries: Annotated[int, Constraint(minimum=0, maximum=10)] | None = None
    """Number of repetitions of a command after a timeout or a broken connection, if a second run
    does no harm; 0 if absent.
    """
