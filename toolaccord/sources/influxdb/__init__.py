"""InfluxDB source. Importing this package loads no client library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from toolaccord.contract.source_kinds import influxdb
from toolaccord.sources.influxdb.api import BucketAddress, Influxdb, InfluxdbError, Language, Row
from toolaccord.timing.clock import Clock

__all__ = ["BucketAddress", "Influxdb", "InfluxdbError", "InfluxdbSource", "Language", "Row"]


class InfluxdbSource(influxdb.InfluxdbSource):
    """A bucket of an InfluxDB, as the contract declares it."""

    __slots__ = ()

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
