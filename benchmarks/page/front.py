"""docs/against-fastmcp.svg: four figures of toolaccord beside FastMCP's, for the README."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks import rounds
from benchmarks.clients.messages import Era
from benchmarks.contenders import FASTMCP, TOOLACCORD
from benchmarks.figures import number, spread
from benchmarks.rounds import Measured

MEASURES = {
    "Start to the first list of tools, seconds: less is better": rounds.LISTED_S,
    "Memory of an idle server, MiB: less is better": rounds.IDLE_MIB,
    "Calls a second over stdio: more is better": rounds.PIPELINED,
    "Calls a second over HTTP: more is better": rounds.HTTP[Era.HANDSHAKE, False],
}
"""Measures by the title of their figure. Each call runs its handler."""
_WIDTH, _ROW, _LEFT, _BAR = 860, 74, 24, 560
_STYLE = """<style>
  text { font: 14px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 } .factor { font-weight: 600; fill: #0b6e4f }
  .toolaccord { fill: #0b6e4f } .FastMCP { fill: #d1603d } .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .factor { fill: #4fc79b } .toolaccord { fill: #2f9e77 } .FastMCP { fill: #d97a5c } .ground { fill: #0d1117 }
  }
</style>"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of toolaccord and the same of FastMCP."""

    title: str
    toolaccord: float
    fastmcp: float

    @property
    def factor(self) -> float:
        """The factor between the larger and the smaller one."""
        return max(self.toolaccord, self.fastmcp) / min(self.toolaccord, self.fastmcp)


def list_figures(measured: Measured) -> list[Figure]:
    """Return the medians of the measures in the picture, as docs/benchmarks.md has them."""
    measures = {title: measured.samples[measure] for title, measure in MEASURES.items()}
    return [
        Figure(title, *(_median(samples[name]) for name in (TOOLACCORD, FASTMCP)))
        for title, samples in measures.items()
    ]


def _median(samples: Sequence[float]) -> float:
    """Return the median with the digits that the page shows."""
    return float(number(spread(samples).median).replace(",", ""))


def draw_front(figures: Sequence[Figure]) -> str:
    """Return the picture as SVG: a pair of bars for each figure, with the factor between them."""
    height = 16 + _ROW * len(figures)
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    label = "; ".join(f"{each.title}: {number(each.toolaccord)} against {number(each.fastmcp)}" for each in figures)
    rows = [line for place, figure in enumerate(figures) for line in _draw_figure(figure, 12 + _ROW * place)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="toolaccord beside FastMCP. {label}">',
            _STYLE,
            f'<rect class="ground" width="{_WIDTH}" height="{height}"/>',
            *rows,
            "</svg>\n",
        ]
    )


def _draw_figure(figure: Figure, top: int) -> Iterator[str]:
    """Yield the title and the bars of a figure, whose upper edge is *top*."""
    longest = max(figure.toolaccord, figure.fastmcp)
    yield f'<text class="title" x="{_LEFT}" y="{top + 14}">{escape(figure.title)}</text>'
    yield f'<text class="factor" x="{_WIDTH - _LEFT}" y="{top + 14}" text-anchor="end">{number(figure.factor)} x</text>'
    for name, value, y in ((TOOLACCORD, figure.toolaccord, top + 22), (FASTMCP, figure.fastmcp, top + 41)):
        width = max(2, round(_BAR * value / longest))
        yield f'<rect class="{name}" x="{_LEFT}" y="{y}" width="{width}" height="16" rx="3"/>'
        yield f'<text x="{_LEFT + width + 8}" y="{y + 13}">{name} {number(value)}</text>'
