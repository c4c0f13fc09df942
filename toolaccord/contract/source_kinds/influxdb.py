"""InfluxDBs that handlers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Required
    from toolaccord.contract.texts import Bytes, Count, Duration, KeyName, SettingName


@dataclass(frozen=True, slots=True, kw_only=True)
class InfluxdbSource:
    """A time series database: InfluxDB."""

    name: KeyName
    kind: Annotated[Literal["influxdb"], Required()] = "influxdb"
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
    max_response_bytes: Bytes = 2**24
    """Maximum size of a response in bytes, after decompression. 16777216 (16 MiB) if absent."""
