"""Flux queries to InfluxDB 2.x: `POST /api/v2/query`."""

from __future__ import annotations

import csv

from toolaccord.sources.influxdb.annotated_csv import read_tables
from toolaccord.sources.influxdb.api import InfluxdbError, Language, Row
from toolaccord.sources.influxdb.bucket import Bucket, collect_rows

_DIALECT = {"annotations": ["datatype", "group", "default"], "header": True, "delimiter": ","}


class FluxClient(Bucket):
    """A bucket queried in Flux."""

    @property
    def language(self) -> Language:
        """Language of `query`."""
        return "flux"

    async def query(self, text: str) -> list[Row]:
        """Return the rows of all yields of *text*. Raises InfluxdbError."""
        body = await self._fetch(
            "POST",
            "/api/v2/query",
            params={"org": self._address.org},
            json={"query": text, "type": "flux", "dialect": _DIALECT},
            headers={"Accept": "application/csv"},
        )
        try:
            return await collect_rows(read_tables(body))
        except (csv.Error, ValueError, LookupError) as error:
            raise InfluxdbError("POST /api/v2/query: the answer is not annotated CSV") from error
