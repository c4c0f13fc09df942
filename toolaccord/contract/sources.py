"""Systems that handlers use, by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from toolaccord.contract.constraints import ByName, Constraint, Definition, Judged, Others
from toolaccord.contract.source_kinds.files import FilesSource
from toolaccord.contract.source_kinds.grpc import GrpcSource
from toolaccord.contract.source_kinds.http import HttpSource
from toolaccord.contract.source_kinds.influxdb import InfluxdbSource
from toolaccord.contract.source_kinds.mcp import McpSource
from toolaccord.contract.source_kinds.nats import NatsSource
from toolaccord.contract.source_kinds.postgresql import PostgresqlSource
from toolaccord.contract.source_kinds.redis import RedisSource
from toolaccord.contract.source_kinds.zmq import ZmqPubSource, ZmqSubSource
from toolaccord.contract.texts import KeyName, SnakeName


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomSource:
    """A source of a kind that the project or a package adds, with the keys of the kind."""

    name: KeyName
    kind: Annotated[str, Constraint(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$")]
    """Name of the kind, e.g. acme.sqlite."""
    keys: Annotated[Mapping[str, Any], Others()]


Source: TypeAlias = Annotated[
    PostgresqlSource
    | HttpSource
    | InfluxdbSource
    | GrpcSource
    | RedisSource
    | NatsSource
    | ZmqPubSource
    | ZmqSubSource
    | FilesSource
    | McpSource
    | CustomSource,
    Definition(
        "Source",
        "A system that handlers use, with the limits of its connection pool.",
        properties={"kind": {"description": "Kind of the system, or one of your own with a dot in its name."}},
    ),
]
Sources: TypeAlias = Annotated[
    tuple[Source, ...],
    ByName(SnakeName),
    Judged("each by its kind, and else key by key as a limit, whatever the kind has"),
    Definition("Sources", "Systems that handlers read and write, by name. Handlers access one as call.<name>."),
]
