"""Effects, errors and deadlines of tools, resources and prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from toolaccord.contract.constraints import Constraint, Counts, Judged, Shape
from toolaccord.contract.policies import When
from toolaccord.contract.texts import (
    CamelName,
    Code,
    HttpStatus,
    JsonRpcNumber,
    Milliseconds,
    Names,
    SnakeName,
    Target,
    Text,
)

Privilege: TypeAlias = Literal["SELECT", "INSERT", "UPDATE", "DELETE"]
TableName: TypeAlias = Annotated[str, Constraint(pattern=r"^[a-z_][a-z0-9_]{0,62}$")]
TablePrivileges: TypeAlias = Annotated[
    Mapping[TableName, Annotated[tuple[Privilege, ...], Constraint(minItems=1, uniqueItems=True)]],
    Constraint(minProperties=1),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEffects:
    """Sources that a read uses."""

    reads: Annotated[Names, Judged("as a set")] = ()
    """Sources that a call reads."""
    privileges: Annotated[Mapping[str, TablePrivileges], Judged("with those of the whole server")] = field(
        default_factory=dict
    )
    """Privileges on tables that a call needs, by PostgreSQL source and table.

    The role of the server is generated from those of all its tools.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects(ReadEffects):
    """Sources that a call uses.

    Annotations for hosts and the metadata's source are derived from them.
    """

    adds: Annotated[Names, Judged("by what hosts and users consented to")] = ()
    """Sources to which a call only adds: it changes and removes nothing that is there.

    Hosts then need not ask as for a tool that destroys. The source of a published event may be among them.
    """
    writes: Annotated[Names, Judged("by what hosts and users consented to")] = ()
    """Sources that a call changes."""
    publishes: Annotated[Names, Counts(added="PUBLICATION_ADDED", removed="PUBLICATION_REMOVED")] = ()
    """Events that a call publishes; it thereby changes their sources."""
    elsewhere: (
        Annotated[Literal["nothing", "reads", "adds", "writes"], Judged("by what hosts and users consented to")] | None
    ) = None
    """Effects of a call beyond the named sources.

    If absent, it is nothing if sources are named, and else unknown: hosts then see the cautious hints.
    """


class Detail(TypedDict):
    """A value in an error's details."""

    type: Literal["string", "integer", "number", "boolean", "array"]
    """Type of the value; an array has objects as items."""
    description: NotRequired[str]
    """Meaning of the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """An error of the tool."""

    code: Annotated[Code, Judged("by what identifies it")]
    description: Annotated[Text, Counts("DESCRIPTION_CHANGED", subject="")]
    """Cause of the error."""
    http: Annotated[HttpStatus, Judged("beside that of the dialect")] | None = None
    """The HTTP status; a standard code of the dialect has its own."""
    jsonrpc: Annotated[JsonRpcNumber, Judged("beside that of the dialect")] | None = None
    """The number in JSON-RPC, for a dialect that sends it; a standard code of the dialect has
    its own.
    """
    retryable: Annotated[bool, Judged("beside that of the dialect")] = False
    """If true, the same call may succeed later.

    A standard code of the dialect has its own value.
    """
    name: Annotated[CamelName, Judged("beside that of its code")] | None = None
    """Name of the Python class, if the code makes a poor one."""
    details: Annotated[
        Mapping[str, Mapping[str, Any]], Shape(Mapping[SnakeName, Detail]), Judged("each by its type")
    ] = field(default_factory=dict)
    """Values of the error's details, by name. The handler must give all of them, and no others."""
    when: Annotated[When, Judged("as a whole, with its arguments in any order")] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """Time limits of a call; 10 seconds if absent."""

    timeout_ms: Annotated[Milliseconds, Counts(raised="TIMEOUT_RAISED", lowered="TIMEOUT_LOWERED", unsaid=10_000)]
    """Milliseconds after which the handler is cancelled."""
    p95_ms: Target | None = None
    """Target of the 95th percentile of latency, in milliseconds.

    Prometheus rules alert if it is missed.
    """
