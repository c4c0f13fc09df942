"""The agents of the demo: each call is a run of an agent, with the servers that it starts."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TextIO

from sandbox.demo.answers import Answer, shorten
from sandbox.demo.calls import Arguments, Recorder
from sandbox.demo.connections import Command

GENERATOR, ANALYST = "signal-generator", "moex-analyst"


@asynccontextmanager
async def connect_generator(command: Command, log: TextIO) -> AsyncIterator[Recorder]:
    """Run the signal generator for the `symbol` of each call."""

    async def send(_agent: str, arguments: Arguments, _meta: Any) -> Answer:
        batch = await _run(command, log, arguments["symbol"])
        ((kind, outcome),) = ((kind, each) for kind, items in batch.items() if kind != "success_rate" for each in items)
        if kind == "failed":
            return Answer(kind=outcome["error_type"], summary=shorten(outcome["error"]), body=batch)
        signal = outcome["signal"] if kind == "partial" else outcome
        summary = f"{signal['action']} {signal['confidence']:.2f}. {signal['reasoning']}"
        return Answer(kind="partial" if kind == "partial" else "result", summary=shorten(summary), body=batch)

    yield Recorder(send)


@asynccontextmanager
async def connect_analyst(command: Command, log: TextIO) -> AsyncIterator[Recorder]:
    """Run the analyst for the `question` of each call, with its `locale`."""

    async def send(_agent: str, arguments: Arguments, _meta: Any) -> Answer:
        message = {"role": "user", "content": arguments["question"]}
        asked = {"input": {"messages": [message], "metadata": {"locale": arguments["locale"]}}}
        response = await _run(command, log, json.dumps(asked))
        return Answer(kind="result", summary=shorten(response["output"]["text"]), body=response)

    yield Recorder(send)


async def call_generator(recorder: Recorder) -> None:
    """Let the signal generator analyse a symbol, and one without strategies."""
    await recorder.call("a signal", "result", GENERATOR, {"symbol": "ETH/USD"})
    await recorder.call("an unknown symbol", "SYMBOL_NOT_FOUND", GENERATOR, {"symbol": "ABC/XYZ"})


async def call_generator_without_data(recorder: Recorder) -> None:
    """Let the signal generator analyse a symbol that is not in its cache, while its tools fail."""
    await recorder.call("all tools fail", "partial", GENERATOR, {"symbol": "BTC/USD"})


async def call_analyst(recorder: Recorder) -> None:
    """Ask the analyst in two languages."""
    for question, locale in (
        ("Как изменилась цена SBER за неделю?", "ru"),
        ("Compare SBER and GAZP for a month", "en"),
    ):
        await recorder.call("a question", "result", ANALYST, {"question": question, "locale": locale})


async def _run(command: Command, log: TextIO, request: str) -> dict[str, Any]:
    """Return the line that the agent writes for *request*."""
    process = await asyncio.create_subprocess_exec(
        *(*command.arguments, request),
        env=command.environment,
        cwd=command.folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
    )
    output, _ = await process.communicate()
    written: dict[str, Any] = json.loads(output)
    return written
