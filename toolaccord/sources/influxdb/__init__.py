"""InfluxDB source. Importing this package loads no client library."""

from __future__ import annotations

from toolaccord.sources.influxdb.api import BucketAddress, Influxdb, InfluxdbError, Language, Row
from toolaccord.sources.influxdb.declaration import InfluxdbSource

__all__ = ["BucketAddress", "Influxdb", "InfluxdbError", "InfluxdbSource", "Language", "Row"]
