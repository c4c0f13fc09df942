"""Dashboards, rows and panels, and their JSON in Grafana's schema v1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any, TypeAlias

from toolaccord_codegen.emit.output_tree import compute_digest

Json: TypeAlias = dict[str, Any]
SCHEMA_VERSION = 41
"""Version of the schema in Grafana 11.6, which newer ones read."""
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""Colours of Okabe and Ito, which all people can tell apart, without black and yellow."""
DASHES = ((), (10, 10), (3, 6), (20, 6))
"""Lines of the first six series, of the next six, and so on."""
TARGET = "target"
"""The series of a contract's target, a grey line of dashes."""
_TARGET_STYLE = ("#888888", (6, 6))
_BAD = "#D55E00"
_SOURCE: Json = {"type": "prometheus", "uid": "${datasource}"}
_WIDTH, _HEIGHT, _ACROSS = 24, 8, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A chart of series over time."""

    title: str
    remedy: str
    """A sentence that says how to go on where the chart looks wrong."""
    unit: str
    queries: Mapping[str, str]
    """Queries in PromQL, by the names of their series."""
    names: Sequence[str] = ()
    """Names of series that are known, in the order of their colours."""
    limit: float | None = None
    """Value of a line, beyond which something is wrong."""
    repeat: str | None = None
    """Variable for each of whose values the panel is shown once."""


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under a title; those that are None do not exist for a server."""

    title: str
    optional_panels: Sequence[Panel | None]

    @property
    def panels(self) -> list[Panel]:
        """Return the panels that exist."""
        return [panel for panel in self.optional_panels if panel]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """A page of rows."""

    key: str
    """Text that no other dashboard has."""
    title: str
    description: str
    tags: Sequence[str]
    rows: Sequence[Row]
    variables: Mapping[str, str] = field(default_factory=dict)
    """Queries of label values that a viewer can select, by name."""

    def to_json(self) -> Json:
        """Return the dashboard as Grafana imports it."""
        return {
            "uid": compute_digest(self.key)[:16],
            "title": self.title,
            "description": self.description,
            "tags": ["toolaccord", *self.tags],
            "schemaVersion": SCHEMA_VERSION,
            "editable": True,
            "graphTooltip": 1,
            "timezone": "browser",
            "refresh": "30s",
            "time": {"from": "now-3h", "to": "now"},
            "links": [_link(tag) for tag in self.tags],
            "templating": {"list": [_DATA_SOURCE, *(_variable(*each) for each in self.variables.items())]},
            "panels": _place(self.rows),
        }


_DATA_SOURCE: Json = {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}


def _variable(name: str, query: str) -> Json:
    return {
        "name": name,
        "label": name.capitalize(),
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "allValue": ".+",
        "current": {"text": "All", "value": "$__all"},
    }


def _link(tag: str) -> Json:
    return {
        "type": "dashboards",
        "title": f"Dashboards of {tag}",
        "tags": ["toolaccord", tag],
        "asDropdown": True,
        "includeVars": False,
        "keepTime": True,
        "icon": "external link",
        "targetBlank": False,
        "tooltip": "",
        "url": "",
    }


def _place(rows: Sequence[Row]) -> list[Json]:
    """Return the panels of *rows* with their places, up to three side by side."""
    placed: list[Json] = []
    y = 0
    for row in rows:
        if not row.panels:
            continue
        placed.append(_row(row.title, {"h": 1, "w": _WIDTH, "x": 0, "y": y}, len(placed) + 1))
        y += 1
        for start in range(0, len(row.panels), _ACROSS):
            chunk = row.panels[start : start + _ACROSS]
            width = _WIDTH // len(chunk)
            for index, panel in enumerate(chunk):
                place = {"h": _HEIGHT, "w": width, "x": index * width, "y": y}
                placed.append(_panel(panel, place, len(placed) + 1))
            y += _HEIGHT
    return placed


def _row(title: str, place: Json, number: int) -> Json:
    return {"id": number, "type": "row", "title": title, "collapsed": False, "gridPos": place, "panels": []}


def _panel(panel: Panel, place: Json, number: int) -> Json:
    repeat = {"repeat": panel.repeat, "repeatDirection": "h", "maxPerRow": _ACROSS} if panel.repeat else {}
    return {
        "id": number,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.remedy,
        "gridPos": place,
        **repeat,
        "datasource": _SOURCE,
        "targets": [
            {"refId": ref_id, "expr": query, "legendFormat": legend}
            for ref_id, (legend, query) in zip(ascii_uppercase, panel.queries.items(), strict=False)
        ],
        "fieldConfig": {"defaults": _defaults(panel), "overrides": _overrides(panel)},
        "options": {
            "legend": {
                "displayMode": "table",
                "placement": "bottom",
                "showLegend": True,
                "calcs": ["lastNotNull", "max"],
            },
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
    }


def _defaults(panel: Panel) -> Json:
    """Return how all series of a panel look."""
    custom: Json = {"drawStyle": "line", "lineWidth": 2, "fillOpacity": 0, "showPoints": "auto", "spanNulls": False}
    defaults: Json = {"unit": panel.unit, "min": 0, "color": {"mode": "palette-classic"}, "custom": custom}
    if panel.limit is not None:
        custom["thresholdsStyle"] = {"mode": "dashed"}
        steps = [{"color": "transparent", "value": None}, {"color": _BAD, "value": panel.limit}]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
    return defaults


def _overrides(panel: Panel) -> list[Json]:
    """Return the colours and dashes of the series that are known by name."""
    styles = {
        name: (COLOURS[index % len(COLOURS)], DASHES[index // len(COLOURS) % len(DASHES)])
        for index, name in enumerate(panel.names)
    }
    if TARGET in panel.queries:
        styles[TARGET] = _TARGET_STYLE
    return [
        {"matcher": {"id": "byName", "options": name}, "properties": _style(colour, dashes)}
        for name, (colour, dashes) in styles.items()
    ]


def _style(colour: str, dashes: Sequence[int]) -> list[Json]:
    """Return the properties of a series with a colour, and dashes if there are any."""
    properties: list[Json] = [{"id": "color", "value": {"mode": "fixed", "fixedColor": colour}}]
    if dashes:
        properties.append({"id": "custom.lineStyle", "value": {"fill": "dash", "dash": list(dashes)}})
    return properties
