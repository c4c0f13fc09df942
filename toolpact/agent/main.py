"""Command line of an agent's process."""

from __future__ import annotations

from typing import Any

from toolpact.agent.declarations import Agent


def run(agent: Agent[Any, Any, Any], *, sandbox: str | None, package: str | None) -> int:
    """Run *agent* with the process's arguments; return the exit code."""
    raise NotImplementedError(f"the runner of {agent.name} ({package}, sandbox {sandbox}) is not written yet")
