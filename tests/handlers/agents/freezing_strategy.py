"""strategy-mcp, which is frozen by its first call."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace
from typing import Any

from generated.tradestream.strategy.server import server
from handlers.tradestream import strategy
from toolaccord.server.main import run


async def freeze(_request: object, _call: object) -> None:
    """Stop this process."""
    os.kill(os.getpid(), signal.SIGSTOP)


def main() -> int:
    """Serve until the input ends."""
    handlers: Any = SimpleNamespace(**vars(strategy) | {"get_top_strategies": freeze})
    return run(server(handlers), package="generated.tradestream.strategy")


if __name__ == "__main__":
    raise SystemExit(main())
