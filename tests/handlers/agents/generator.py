"""The signal generator as a process, beside its real servers and Redis."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from tests.services.lines import Lines
from tests.services.mcp_server import McpServer
from tests.services.valkey import Valkey
from tests.toolaccord.process import PATIENCE_S, ROOT

SIGNALS, ERRORS = "channel:raw-signals", "channel:signal-errors"
GENERATOR = "generated.agents.signal_generator"
HASTY = "tests.handlers.agents.hasty_generator"
"""The generator with a cache whose results are fresh for a moment only."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The servers and the Redis that signal generators share."""

    redis: Valkey
    strategy: McpServer
    market_data: McpServer

    @property
    def environ(self) -> dict[str, str]:
        """Settings of a generator on this floor."""
        return {
            "REDIS_URL": self.redis.url,
            "STRATEGY_MCP_URL": self.strategy.url,
            "MARKET_DATA_MCP_URL": self.market_data.url,
            "NO_PROXY": "127.0.0.1",
        }


class Generator:
    """A running signal generator."""

    def __init__(self, floor: Floor, process: subprocess.Popen[str]) -> None:
        self._floor = floor
        self._process = process
        self._log = Lines(process.stderr)
        self._results = Lines(process.stdout)
        self._batches_read = 0

    def batch(self) -> dict[str, Any]:
        """Return the next batch's result."""
        number = self._batches_read
        self._batches_read += 1
        result: dict[str, Any] = json.loads(
            self._results.wait_for(lambda lines: lines[number] if len(lines) > number else None)
        )
        return result

    def only(self, outcome: str) -> dict[str, Any]:
        """Return the only item of the next batch's result, which must be in the list *outcome*."""
        batch = self.batch()
        (item,) = batch[outcome]
        assert batch["success_rate"] == (outcome != "failed")
        only: dict[str, Any] = item
        return only

    def until(self, outcome: str) -> Any:
        """Return the first item of a later batch that is in the list *outcome*."""
        return next(found[0] for batch in self._batches() if (found := batch[outcome]))

    def until_published(self, *reasons: str) -> Any:
        """Return the first partial signal with all *reasons*.

        It is published, although the same minute may have had another signal.
        """
        found = (partial for batch in self._batches() for partial in batch["partial"])
        return next(partial for partial in found if all(each in partial["signal"]["reasoning"] for each in reasons))

    @property
    def exit_code(self) -> int:
        """The exit code of a generator without `--every`, after its end."""
        return self._process.wait(PATIENCE_S)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of the log so far."""
        return [json.loads(line) for line in self._log.so_far if line.startswith("{")]

    def logged(self, level: str) -> list[str]:
        """Return the messages of a level."""
        return [line["message"] for line in self.lines if line["level"] == level]

    def _batches(self) -> Iterator[dict[str, Any]]:
        """Yield batches; before each, Redis forgets everything, also the ids of published signals."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            self._floor.redis.command("FLUSHALL")
            yield self.batch()
        raise TimeoutError("no such batch")

    def log_has(self, pattern: str) -> re.Match[str]:
        """Wait until *pattern* is in the log, and return the match."""
        return self._log.wait_for(lambda lines: next(filter(None, (re.search(pattern, line) for line in lines)), None))

    def metrics(self) -> list[str]:
        """Return the lines of its page of metrics."""
        found = self.log_has(r"metrics are at (http://\S+/metrics)")
        return httpx.get(found[1], trust_env=False, timeout=PATIENCE_S).text.splitlines()


@contextlib.contextmanager
def generating(
    floor: Floor, *arguments: str, module: str = GENERATOR, environ: Mapping[str, str] | None = None
) -> Iterator[Generator]:
    """Give a running signal generator, and kill it at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=os.environ | floor.environ | dict(environ or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Generator(floor, process)
    finally:
        process.kill()
        process.wait(PATIENCE_S)
