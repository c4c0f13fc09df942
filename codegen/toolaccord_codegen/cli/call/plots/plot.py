"""The charts of a call: planned before it, and drawn after it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from toolaccord.client.connection import Connection
from toolaccord.json_values import JsonObject
from toolaccord.transports.mcp.capabilities import VIEWS
from toolaccord_codegen.cli.call.plots.charts import Plan
from toolaccord_codegen.cli.call.plots.drawing import draw
from toolaccord_codegen.cli.call.plots.schemas import find_plan
from toolaccord_codegen.cli.call.plots.values import NothingToDrawError
from toolaccord_codegen.cli.call.plots.views import SETTINGS, read_view
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.reporting.charts.frame import GLYPHS

_NARROWEST = 40
_LOWEST, _HIGHEST = 6, 20
_OTHER_LINES = 8
"""Lines of a chart below its drawing, and of the prompt."""


class Plot:
    """The charts of a call."""

    def __init__(self) -> None:
        """Raise CommandError if standard output shows no chart."""
        self._plan = Plan([])
        encoding = sys.stdout.encoding or "ascii"
        try:
            GLYPHS.encode(encoding)
        except UnicodeEncodeError:
            raise CommandError(f"--plot needs UTF-8, and standard output has {encoding}") from None
        if (width := Console().width) < _NARROWEST:
            raise CommandError(f"--plot needs {_NARROWEST} columns, and the terminal has {width}")

    @property
    def client_options(self) -> Mapping[str, Any]:
        """The options of the SDK's client with which a server offers its views."""
        from mcp.client.extension import advertise

        return {"extensions": [advertise(VIEWS, dict(SETTINGS))]}

    async def plan(self, connection: Connection, listed: JsonObject) -> None:
        """Choose the charts of a listed tool: those of its view, else what its output schema has.

        Raises CallFailed, and CommandError if there is nothing to draw.
        """
        charts = await read_view(connection, listed)
        plan = Plan(charts) if charts else find_plan(listed.get("outputSchema"))
        if plan is None:
            view = "no view" if charts is None else "a view without a chart"
            schema = "an output schema without a list of dates and numbers" if "outputSchema" in listed else "no schema"
            raise CommandError(f"--plot has nothing to draw: {listed['name']} has {view}, and {schema}")
        self._plan = plan

    def print(self, body: Any) -> bool:
        """Print the charts of a result, and return True.

        Without anything to draw, print the reason and return False.
        """
        console = Console(highlight=False)
        has_colours = console.is_terminal and not console.no_color
        charts = self._plan.charts
        height = min(max((console.height - 1) // len(charts) - _OTHER_LINES, _LOWEST), _HIGHEST)
        try:
            parts = [
                part for each in charts for part in draw(each, body, (console.width, height), has_colours=has_colours)
            ]
        except NothingToDrawError as error:
            sys.stderr.write(f"nothing is drawn: {error}\n")
            return False
        for part in parts:
            console.print(part)
        if self._plan.left_out:
            rest = f"not drawn: {', '.join(self._plan.left_out)}; see them without --plot"
            console.print(Text(f"\n{rest}", style="dim"))
        return True
