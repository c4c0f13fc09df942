"""Systems that handlers use, by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from toolaccord.contract.constraints import ByName, Constraint, Definition, Judged, Others
from toolaccord.contract.texts import Bytes, Count, Duration, KeyName, SettingName, SnakeName

HEADER_NAME = r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
HeaderName: TypeAlias = Annotated[str, Constraint(pattern=HEADER_NAME)]
DEFAULT_RESPONSE_BYTES = 2**24
"""Limit of responses of a source whose contract has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlSource:
    """A PostgreSQL database, accessed through a connection pool."""

    name: KeyName
    kind: Literal["postgresql"]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSource:
    """A web service below one base URL."""

    name: KeyName
    kind: Literal["http"]
    url: SettingName
    bearer: SettingName | None = None
    """Secret setting with a bearer token. An empty value is not sent."""
    basic: SettingName | None = None
    """Secret setting with user:password for basic authentication. An empty value is not sent."""
    headers: Mapping[HeaderName, SettingName] = field(default_factory=dict)
    """Settings with headers of every request, by name. An empty value is not sent."""
    query: Mapping[str, SettingName] = field(default_factory=dict)
    """Settings with query parameters of every request, by name. An empty value is not sent."""
    max_connections: Count = 10
    """Maximum number of open connections."""
    connection_timeout_s: Duration = 5
    """Seconds that a call waits for a connection."""
    timeout_s: Duration = 20
    """Seconds within which a response must be complete."""
    requests_per_second: Annotated[float, Constraint(exclusiveMinimum=0, maximum=1000)] | None = None
    """Maximum number of requests started per second, for all callers together.

    No limit if absent.
    """
    store: str | None = None
    """Redis source in which replicas share requests_per_second.

    Without it each process has the whole number.
    """
    retries: Annotated[int, Constraint(minimum=0, maximum=10)] | None = None
    """Number of retries after a status of 5xx or 429 or a broken connection; 0 if absent.

    Requests that may change something are repeated only with an idempotency key, or if the method is idempotent.
    """
    max_response_bytes: Bytes = DEFAULT_RESPONSE_BYTES
    """Maximum size of a response in bytes, after decompression. 16777216 (16 MiB) if absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InfluxdbSource:
    """A time series database: InfluxDB."""

    name: KeyName
    kind: Literal["influxdb"]
    url: SettingName
    """Setting with the address."""
    token: SettingName
    """Setting with the token, or with user:password for an InfluxDB with users."""
    org: SettingName
    """Setting with the organisation, for InfluxDB 2."""
    bucket: SettingName
    """Setting with the bucket, or with the database in other versions."""
    query_language: SettingName
    """Setting with the query language."""
    max_connections: Count = 10
    """Maximum number of open connections."""
    idle_timeout_s: Duration = 300
    """Seconds after which an idle connection is closed."""
    connection_timeout_s: Duration = 5
    """Seconds that a call waits for a connection, including the time to connect."""
    max_response_bytes: Bytes = DEFAULT_RESPONSE_BYTES
    """Maximum size of a response in bytes, after decompression. 16777216 (16 MiB) if absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcSource:
    """A gRPC service, accessed through several connections."""

    name: KeyName
    kind: Literal["grpc"]
    target: SettingName
    """Setting with the address, host:port."""
    max_connections: Count = 1
    """Number of connections over which calls are distributed."""
    keepalive_interval_s: Duration = 30
    """Seconds between two keepalive pings of a connection in use."""
    keepalive_timeout_s: Duration = 10
    """Seconds after which a connection with an unanswered ping counts as broken."""
    max_in_flight: Count = 100
    """Maximum number of concurrent calls; further calls wait."""
    max_response_bytes: Bytes = DEFAULT_RESPONSE_BYTES
    """Maximum size of a reply in bytes. 16777216 (16 MiB) if absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisSource:
    """A Redis or a server with its protocol, such as Valkey."""

    name: KeyName
    kind: Literal["redis"]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NatsSource:
    """A NATS server or cluster with JetStream, over one connection that is made again for ever."""

    name: KeyName
    kind: Literal["nats"]
    url: SettingName
    connection_timeout_s: Duration = 1
    """Seconds that each step of an attempt to connect may take."""
    timeout_s: Duration = 1
    """Seconds within which a request must be answered, including the wait for a connection."""
    max_outstanding: Count = 1000
    """Maximum number of publications without acknowledgement; further publications wait."""
    max_pending_bytes: Bytes = 2097152
    """Maximum number of bytes that wait to be sent to a server that does not read.

    A publication above it fails.
    """
    max_response_bytes: Bytes = DEFAULT_RESPONSE_BYTES
    """Size after which a read of a stream returns no further message.

    16777216 (16 MiB) if absent.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ZmqPubSource:
    """A bound ZeroMQ SUB socket, over one connection that is made again for ever."""

    name: KeyName
    kind: Literal["zmq_pub"]
    endpoint: SettingName
    """Setting with the endpoint: tcp://host:port or ipc://path."""
    timeout_s: Duration = 2
    """Seconds that a publication waits for a subscriber, and for room in the queue."""
    max_pending: Count = 1000
    """Maximum number of messages in the queue for a subscriber that does not read, and of
    publications that wait. A publication above it fails.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ZmqSubSource:
    """A ZeroMQ PUB socket that is bound to an endpoint. The newest messages are kept in memory."""

    name: KeyName
    kind: Literal["zmq_sub"]
    endpoint: SettingName
    """Setting with the endpoint: tcp://host:port or ipc://path.

    If it is empty, there are no messages.
    """
    max_messages: Count = 1000
    """Maximum number of messages that are kept, the newest."""
    max_message_bytes: Bytes = 65536
    """Maximum size of a message in bytes; larger ones are dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSource:
    """Small files that other programs write, each read whole. A missing file is no fault."""

    name: KeyName
    kind: Literal["files"]
    paths: Annotated[Mapping[SnakeName, SettingName], Constraint(minProperties=1)]
    """Settings with the paths, by the name with which handlers read a file."""
    max_bytes: Bytes = 65536
    """Maximum size of a file in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSource:
    """Another MCP server, whose tools handlers call."""

    name: KeyName
    kind: Literal["mcp"]
    server: SettingName
    """Setting with its URL, or with the command that starts it on stdio."""
    bearer: SettingName | None = None
    """Secret setting with a bearer token for a URL. An empty value is not sent."""
    max_in_flight: Count = 10
    """Maximum number of concurrent calls; further calls wait."""
    connection_timeout_s: Duration = 60
    """Seconds in which the server starts or is reached, and a call waits for its turn."""
    timeout_s: Duration = 20
    """Seconds within which a call must be answered."""
    max_response_bytes: Bytes = DEFAULT_RESPONSE_BYTES
    """Maximum size of a result in bytes. 16777216 (16 MiB) if absent."""


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
