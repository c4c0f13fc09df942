"""The charts of a tool's view, which a running server offers as a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from toolaccord.client.connection import READ, Connection
from toolaccord.json_values import JsonObject
from toolaccord.resources.view_pages import MEDIA_TYPE
from toolaccord_codegen.cli.call.plots.charts import BarsChart, CandlesChart, Chart, Column, LinesChart
from toolaccord_codegen.diagnostics import CommandError, escape_unprintable

SETTINGS: Mapping[str, Any] = {"mimeTypes": [MEDIA_TYPE]}
"""The settings of the extension, with which a server offers its views."""
_PRICES = ("open", "high", "low", "close")
_TIMEOUT_S = 60.0


async def read_view(connection: Connection, listed: JsonObject) -> list[Chart] | None:
    """Return the charts in the view of a listed tool.

    None for a tool without a view of the library. Raises CallFailed, and CommandError for a view of a wrong form.
    """
    meta = listed.get("_meta")
    interface = meta.get("ui") if isinstance(meta, dict) else None
    uri = interface.get("resourceUri") if isinstance(interface, dict) else None
    if not isinstance(uri, str):
        return None
    response = await connection.call(READ, {"uri": uri}, {}, _TIMEOUT_S)
    if response.is_error:
        sys.stderr.write(f"the view {escape_unprintable(uri)} cannot be read: {escape_unprintable(response.text)}\n")
        return None
    page = _Page()
    page.feed(response.text)
    if page.configuration is None:
        return None
    try:
        view = json.loads(page.configuration)
        return list(_list_charts(view["panels"], view["result"]))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise CommandError(f"{escape_unprintable(uri)} is a view of a form that --plot does not know") from None


class _Page(HTMLParser):
    """A parser of a view's page, which finds its configuration."""

    configuration: str | None = None
    _is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the beginning of the configuration."""
        self._is_inside = tag == "script" and {"type": "application/json", "id": "view"}.items() <= dict(attrs).items()

    def handle_data(self, data: str) -> None:
        """Keep the configuration."""
        if self._is_inside:
            self.configuration = (self.configuration or "") + data

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - its signature is the parser's
        """Note the end of the configuration."""
        self._is_inside = False


def _list_charts(panels: list[Any], result: str) -> Iterator[Chart]:
    for panel in panels:
        title, kind = escape_unprintable(panel.get("title", "")), panel["kind"]
        if kind == "candles":
            yield CandlesChart(
                title=title,
                time=_column(panel["time"], result),
                prices=[_column(panel[name], result) for name in _PRICES],
                volume=_column(panel["volume"], result) if "volume" in panel else None,
            )
        elif kind == "lines":
            edges = [band[edge] for band in panel.get("bands", ()) for edge in ("lower", "upper")]
            yield LinesChart(
                title=title,
                x=_column(panel["x"], result),
                lines=[_column(each, result) for each in panel.get("lines", ())],
                areas=[_column(each, result) for each in panel.get("areas", ())],
                edges=[_column(each, result) for each in edges],
            )
        elif kind == "bars":
            values = [_column(each, result) for each in panel["values"]]
            yield BarsChart(title=title, label=_column(panel["label"], result), values=values)


def _column(column: Any, result: str) -> Column:
    unit = f" ({column['unit']})" if "unit" in column else ""
    label = escape_unprintable(f"{column['label']}{unit}")
    return Column(pointer=result + column["pointer"], label=label, format=column["format"])
