"""Count, with progress notifications and without.

`contracts/demo/counter.json` declares the server. `python -m tests.toolaccord.demo.counter` serves it.
"""

from __future__ import annotations

from tests.toolaccord.generated.demo.counter import server as declared
from tests.toolaccord.generated.demo.counter.models import (
    CountRequest,
    CountResult,
    CountSilentlyRequest,
    CountSilentlyResult,
)
from tests.toolaccord.generated.demo.counter.server import CounterCall
from toolaccord.declarations.tool import Server
from toolaccord.server.main import run


class Counter:
    """The handlers; both report progress, which the contract of one tool lets through."""

    async def count(self, request: CountRequest, call: CounterCall, /) -> CountResult:
        """Count with progress notifications."""
        await _report(request.to, call)
        return CountResult(to=request.to)

    async def count_silently(self, request: CountSilentlyRequest, call: CounterCall, /) -> CountSilentlyResult:
        """Count without progress notifications."""
        await _report(request.to, call)
        return CountSilentlyResult(to=request.to)


async def _report(last: int, call: CounterCall) -> None:
    for number in range(1, last + 1):
        await call.progress(number, last, f"s3cr3t {number}")


def server() -> Server[CounterCall]:
    """Return the server."""
    return declared.server(Counter())


def main() -> int:
    """Serve the counter."""
    return run(server())


if __name__ == "__main__":
    raise SystemExit(main())
