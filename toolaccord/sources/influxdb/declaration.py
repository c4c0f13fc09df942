"""InfluxDB source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from toolaccord.sources.influxdb.api import BucketAddress, Influxdb, InfluxdbLimits, Language
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class InfluxdbSource(InfluxdbLimits):
    """A bucket of an InfluxDB, as the contract declares it."""

    kind: ClassVar = "influxdb"
    """Kind of the system that answers."""
    url: str
    """Name of the setting that holds the URL."""
    token: str
    """Name of the setting that holds the token, or `user:password` of a 1.x with users."""
    org: str
    """Name of the setting that holds the organisation; InfluxQL needs none."""
    bucket: str
    """Name of the setting that holds the bucket."""
    query_language: str
    """Name of the setting that holds `flux` or `influxql`."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Influxdb:
        """Return the bucket, not yet connected."""
        address = BucketAddress(
            url=str(settings[self.url]),
            token=settings[self.token] or "",
            org=settings[self.org] or "",
            bucket=str(settings[self.bucket]),
        )
        if cast("Language", settings[self.query_language]) == "flux":
            from toolaccord.sources.influxdb.flux import FluxClient  # noqa: PLC0415 - only servers that open one need it

            return FluxClient(self, address, clock)
        from toolaccord.sources.influxdb.influxql import InfluxqlClient  # noqa: PLC0415 - see above

        return InfluxqlClient(self, address, clock)
