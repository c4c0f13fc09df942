"""Runs of the signal generator for one signal, while strategy-mcp is frozen."""

from __future__ import annotations

import shlex
import sys
from contextlib import AbstractContextManager, nullcontext

import pytest

from tests.handlers.agents.generator import HASTY, SIGNALS, Floor, generating

COMMANDS = {
    "http": (),
    "stdio, from its start": ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"),
    "stdio, by its first call": ("-m", "tests.handlers.agents.freezing_strategy"),
}
LIMIT_MS = 4_000
"""Time limit of requests here; the contract's is longer, and is applied in the same way."""


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_run_for_one_signal_publishes_it_in_time_and_ends_although_a_server_is_frozen(
    floor: Floor, command: tuple[str, ...]
) -> None:
    environ = {"HASTY_TIMEOUT_MS": str(LIMIT_MS)}
    freezing: AbstractContextManager[None] = floor.strategy.frozen()
    if command:
        started = shlex.join([sys.executable, *command])
        environ |= {"STRATEGY_MCP_URL": "", "STRATEGY_MCP_COMMAND": started, "DATABASE_URL": "postgresql://127.0.0.1/x"}
        freezing = nullcontext()
    with (
        floor.redis.subscribed(SIGNALS) as messages,
        freezing,
        generating(floor, "ETH/USD", module=HASTY, environ=environ) as generator,
    ):
        partial = generator.only("partial")
        assert [payload for _, payload in messages()] == [partial["signal"]]
        assert generator.exit_code == 0
    signal = partial["signal"]
    assert (signal["action"], signal["strategies_analyzed"]) == ("HOLD", 0)
    assert signal["market_context"]["current_price"] > 0, "the other server answered"
    (request,) = (line for line in generator.lines if line["message"] == "request")
    assert request["duration_ms"] < LIMIT_MS
    assert not any("later" in line["message"] for line in generator.lines), "the request waited for no connection"
