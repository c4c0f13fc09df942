"""InfluxDB source. Importing this package loads no client library."""

from __future__ import annotations

from toolpact.sources.influxdb.api import BucketAddress, Influxdb, InfluxdbError, InfluxdbLimits, Language, Row
from toolpact.sources.influxdb.declaration import InfluxdbSource

__all__ = ["BucketAddress", "Influxdb", "InfluxdbError", "InfluxdbLimits", "InfluxdbSource", "Language", "Row"]
