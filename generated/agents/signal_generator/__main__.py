"""Command that runs the agent signal-generator.

Start it by `python -m generated.agents.signal_generator`.

Generated from contracts/agents/signal_generator.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolaccord.server.loading import loading


def main() -> int:
    """Run signal-generator as its arguments say; return the exit code."""
    with loading("signal-generator", "0.1"):
        from generated.agents.signal_generator.agent import agent
        from handlers.agents import signal_generator
        from toolaccord.agent.main import run
    return run(agent(signal_generator), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
