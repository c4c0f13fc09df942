"""Command that runs the agent moex-analyst.

Start it by `python -m generated.agents.moex_analyst`.

Generated from contracts/agents/moex_analyst.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolaccord.server.loading import loading


def main() -> int:
    """Run moex-analyst as its arguments say; return the exit code."""
    with loading("moex-analyst", "0.1"):
        from generated.agents.moex_analyst.agent import agent
        from handlers.agents import moex_analyst
        from toolaccord.agent.main import run
    return run(agent(moex_analyst), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
