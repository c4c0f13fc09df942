"""Views of results: pages that hosts with MCP Apps show beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from toolaccord.contract.constraints import Constraint, Definition
from toolaccord.contract.texts import ResultPointer, StaticPath, Text

Columns: TypeAlias = Annotated[tuple[ResultPointer, ...], Constraint(minItems=1, maxItems=32, uniqueItems=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandlesView:
    """A chart of prices in candles, with their volume below."""

    kind: Literal["candles"]
    title: Text | None = None
    """Heading; none if absent."""
    time: ResultPointer
    """Start of each candle, a date or a date-time, e.g. /items/*/timestamp."""
    open: ResultPointer
    high: ResultPointer
    low: ResultPointer
    close: ResultPointer
    volume: ResultPointer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The area between two curves."""

    lower: ResultPointer
    upper: ResultPointer


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesView:
    """A chart of curves."""

    kind: Literal["lines"]
    title: Text | None = None
    """Heading; none if absent."""
    x: ResultPointer
    """Horizontal axis: dates, date-times or numbers, in ascending order."""
    lines: Columns = ()
    """Numbers that are drawn as lines."""
    areas: Columns = ()
    """Numbers that are drawn as areas down to zero, e.g. a drawdown."""
    bands: Annotated[tuple[Band, ...], Constraint(minItems=1, maxItems=8)] = ()
    """Areas between two of its numbers, e.g. the bid and the ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarsView:
    """A chart of bars, one for each item."""

    kind: Literal["bars"]
    title: Text | None = None
    """Heading; none if absent."""
    label: ResultPointer
    """Name of each bar."""
    values: Annotated[tuple[ResultPointer, ...], Constraint(minItems=1, maxItems=4, uniqueItems=True)]
    """Lengths of the bars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table that its reader sorts.

    It turns the pages of a tool with pagination by calls through the host.
    """

    kind: Literal["table"]
    title: Text | None = None
    """Heading; none if absent."""
    columns: Columns
    """Columns, each a member of the same items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresView:
    """Key figures."""

    kind: Literal["figures"]
    title: Text | None = None
    """Heading; none if absent."""
    figures: Columns
    """Numbers, texts and booleans outside of arrays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormView:
    """The arguments of the call as a form. Sending it calls the tool through the host."""

    kind: Literal["form"]
    title: Text | None = None
    """Heading; none if absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlView:
    """A page of the project, which speaks the protocol of MCP Apps itself."""

    kind: Literal["html"]
    file: StaticPath
    """Path of the HTML file, which holds its scripts, styles and pictures."""


_Panel: TypeAlias = CandlesView | LinesView | BarsView | TableView | FiguresView | FormView
Panel: TypeAlias = Annotated[
    _Panel,
    Definition(
        "Panel",
        "One chart, table or form of a result.",
        properties={"kind": {"description": "Kind of the view; a stack holds no stack and no html."}},
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackView:
    """Several views of one result, one below the other."""

    kind: Literal["stack"]
    views: Annotated[tuple[Panel, ...], Constraint(minItems=2, maxItems=8)]
    """Views in their order, of any kind but stack and html."""


View: TypeAlias = Annotated[
    _Panel | StackView | HtmlView,
    Definition(
        "View",
        "View of a tool's result, which hosts with MCP Apps show beside it. Pointers lead into returns.",
        properties={"kind": {"description": "Kind of the view."}},
    ),
]
