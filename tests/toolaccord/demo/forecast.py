"""Forecast the weather, in replicas that share their results.

`contracts/demo/forecast.json` declares the server. `python -m tests.toolaccord.demo.forecast` serves it. The file
FORECAST_LOADS gets a byte for each load, and "Gate" is a place whose weather waits for LIBRARY_GATE.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from tests.toolaccord.demo.library import wait_at_gate
from tests.toolaccord.generated.demo.forecast import server as declared
from tests.toolaccord.generated.demo.forecast.models import ForecastRequest, ForecastResult
from tests.toolaccord.generated.demo.forecast.server import ForecastCall
from toolaccord import Provisional
from toolaccord.declarations.tool import Server
from toolaccord.server.main import run

Load = Callable[[ForecastRequest], Awaitable[int]]


class Forecaster:
    """The handlers; *load* returns the number of a load."""

    def __init__(self, load: Load) -> None:
        self._load = load

    async def forecast(
        self, request: ForecastRequest, _call: ForecastCall, /
    ) -> ForecastResult | Provisional[ForecastResult]:
        """Return the weather; that of "Today" is provisional, that of "Large" a long text."""
        text = "sun" * (1 << 20 if request.place == "Large" else 1)
        result = ForecastResult(load=await self._load(request), text=text)
        return Provisional(result) if request.place == "Today" else result


def server(load: Load) -> Server[ForecastCall]:
    """Return the server."""
    return declared.server(Forecaster(load))


async def _load(request: ForecastRequest) -> int:
    """Return the number of loads so far, in all replicas."""
    log = os.open(os.environ["FORECAST_LOADS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(log, b".")
        number = os.fstat(log).st_size
    finally:
        os.close(log)
    if request.place == "Gate":
        await wait_at_gate()
    return number


def main() -> int:
    """Serve the forecast."""
    return run(server(_load))


if __name__ == "__main__":
    raise SystemExit(main())
