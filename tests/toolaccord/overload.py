"""A tool with more calls in flight than its deadline has time for."""

from toolaccord.call.pipeline import Pipeline
from toolaccord.testing import ManualClock


def saturate(pipeline: Pipeline, tool: str, clock: ManualClock, timeout_s: float) -> None:
    """Let forty calls of *tool* arrive, of which ten finish just before their deadline."""
    queue = pipeline.tools[tool].queue
    tickets = [queue.enter() for _ in range(40)]
    clock.advance(0.9 * timeout_s)
    for ticket in tickets[:10]:
        queue.leave(ticket, is_finished=True)
