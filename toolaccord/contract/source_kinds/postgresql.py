"""PostgreSQL databases that handlers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Required, Resolved
    from toolaccord.contract.texts import Count, Duration, KeyName, SettingName


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlSource:
    """A PostgreSQL database, accessed through a connection pool."""

    name: KeyName
    kind: Annotated[Literal["postgresql"], Required()] = "postgresql"
    url: SettingName
    min_connections: Annotated[int, Constraint(minimum=0, maximum=1000)] = 1
    """Minimum number of open connections."""
    max_connections: Count = 10
    """Maximum number of open connections."""
    idle_timeout_s: Duration = 300
    """Seconds after which an idle connection above the minimum is closed."""
    connection_timeout_s: Duration = 5
    """Seconds that a call waits for a connection, including the time to connect."""
    caller_parameter: (
        Annotated[str, Constraint(pattern=r"^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)+$", maxLength=63)] | None
    ) = None
    """Parameter of PostgreSQL that holds the caller's claims as JSON, for row-level security.

    Each transaction of a call sets it, e.g. request.jwt.claims. Without a proven caller it holds {}.
    """
    system: Annotated[str | None, Resolved()] = None
    """The system for `toolaccord migrate`; None if something else makes the tables."""
    tables: Annotated[tuple[str, ...], Resolved()] = ()
    """Names of the tables that calls need, as far as the contract declares them."""
