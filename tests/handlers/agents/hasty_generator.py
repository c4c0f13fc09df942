"""The signal generator with a cache whose results are fresh for a moment only.

So a test need not wait minutes for an old result. HASTY_TIMEOUT_MS replaces the time limit of requests. Everything else
is as in the contract.
"""

from __future__ import annotations

import os
from dataclasses import replace

from generated.agents.signal_generator.agent import agent
from handlers.agents import signal_generator
from toolaccord.agent.declarations import ToolUse
from toolaccord.agent.main import run


def _hurry(use: ToolUse) -> ToolUse:
    """Return *use* of a tool with results that are fresh for a hundredth of a second."""
    return replace(use, cache=replace(use.cache, ttl_s=0.01)) if use.cache else use


def main() -> int:
    """Run the agent with the process's arguments."""
    declared = agent(signal_generator)
    uses = tuple(replace(use, tools=tuple(map(_hurry, use.tools))) for use in declared.uses)
    limits = replace(declared.limits, timeout_ms=int(os.environ.get("HASTY_TIMEOUT_MS", declared.limits.timeout_ms)))
    return run(replace(declared, uses=uses, limits=limits), sandbox=None, package=None)


if __name__ == "__main__":
    raise SystemExit(main())
