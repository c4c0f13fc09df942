"""Pass words on, over every transport.

`contracts/demo/relay.json` declares the server. `python -m tests.toolaccord.demo.relay` serves it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict

from tests.toolaccord.generated.demo.errors import LineBroken, TradeDisabled
from tests.toolaccord.generated.demo.relay.models import (
    EchoRequest,
    EchoResult,
    FailRequest,
    FailResult,
    SignalHoldRequest,
    SignalHoldResult,
    SignalReleaseRequest,
    SignalReleaseResult,
    StallRequest,
    StallResult,
    TradeSubmitRequest,
    TradeSubmitResult,
)
from tests.toolaccord.generated.demo.relay.server import RelayCall, server
from toolaccord.errors import SourceError
from toolaccord.server.main import run

PRINTED = "a stray print"
"""A text that `echo` prints, too."""


class Operator:
    """The handlers."""

    def __init__(self) -> None:
        self._signals: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    async def echo(self, request: EchoRequest, call: RelayCall, /) -> EchoResult:
        if request.text == PRINTED:
            print(PRINTED, flush=True)  # noqa: T201 - as a library may do
        return EchoResult(text=request.text, station=call.settings.station)

    async def signal_hold(self, request: SignalHoldRequest, _call: RelayCall, /) -> SignalHoldResult:
        await self._signals[request.signal].wait()
        return SignalHoldResult(signal=request.signal)

    async def signal_release(self, request: SignalReleaseRequest, _call: RelayCall, /) -> SignalReleaseResult:
        self._signals[request.signal].set()
        return SignalReleaseResult(signal=request.signal)

    async def stall(self, _request: StallRequest, _call: RelayCall, /) -> StallResult:
        await asyncio.Event().wait()
        return StallResult()

    async def fail(self, request: FailRequest, _call: RelayCall, /) -> FailResult:
        if request.by == "declared":
            raise LineBroken("The line is broken.", text=request.text)
        if request.by == "source":
            raise SourceError(request.text)
        raise RuntimeError(request.text)

    async def trade_submit(self, _request: TradeSubmitRequest, _call: RelayCall, /) -> TradeSubmitResult:
        raise TradeDisabled("trade-capable disabled")


if __name__ == "__main__":
    raise SystemExit(run(server(Operator())))
