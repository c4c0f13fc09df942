"""Requests of the command line, with their results on standard output."""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime

import orjson

from toolaccord.agent.batches import BatchRunner
from toolaccord.agent.mode import Mode, finish_in_time
from toolaccord.agent.outcomes import Answered
from toolaccord.agent.requests import Dependencies, RequestRunner
from toolaccord.agent.result_lines import ResultLines
from toolaccord.agent.schedule import run_every
from toolaccord.agent.settings import list_values
from toolaccord.shutdown import StopSignal


class CommandLine(Mode):
    """Runs the requests of the command line."""

    async def run(self, dependencies: Dependencies, stop: StopSignal) -> None:
        """Run the requests; after a stop, only those in flight."""
        await finish_in_time(asyncio.create_task(self._work(dependencies, stop.requested)), stop)

    async def _work(self, dependencies: Dependencies, stop: asyncio.Event) -> None:
        """Run every round, until *stop* is set."""
        requests, lines = RequestRunner(self._agent, dependencies), ResultLines(dependencies.clock)
        if self._agent.batch is None:
            (request,) = self._options.requests
            await self._run_request(requests, request, lines)
            return
        batches = BatchRunner(self._agent, self._agent.batch, requests, dependencies)
        values = list_values(self._agent.batch, self._options.requests, self._settings)

        async def run_round(_time: datetime) -> None:
            async for outcome in batches.run(values, stop):
                self.has_failed = self.has_failed or outcome.is_error
                await lines.write(outcome.text)

        if self._options.every is None:
            await run_round(dependencies.clock.now())
        else:
            await run_every(dependencies.clock, self._options.every, run_round, stop)
        self.has_failed = not await requests.outbox.drain() or self.has_failed

    async def _run_request(self, requests: RequestRunner, request: str, lines: ResultLines) -> None:
        """Run the only request of the command line, and write its result."""
        outcome = await requests.run(orjson.loads(request))
        if isinstance(outcome, Answered):
            await lines.write(orjson.dumps(outcome.result))
        else:
            self.has_failed = True
            sys.stderr.write(f"{self._agent.name}: {outcome.error}\n")
