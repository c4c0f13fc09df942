"""Start the sandbox, servers and an agent, and tell a story with their answers.

Run with `python -m sandbox.demo`; with `--all` it calls every tool. Exits with 1 where an answer is not of the expected
kind.
"""

import argparse
import asyncio
import importlib
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

import sandbox
from sandbox.demo.calls import RecordedCall
from sandbox.demo.report import build_block, summarise
from sandbox.demo.sections import ServerFailedError, run_section
from sandbox.demo.story import NAMES, Story
from sandbox.demo.tour import TOUR
from toolaccord.testing.programs import ProgramError
from toolaccord.testing.progress import step

PLAIN_WIDTH = 100
"""Columns of the output to a pipe or a file."""
INTRODUCTION = "Servers and an agent on sample data. At the right: the time, and if a cache had the answer."
MORE = "`./run demo --all` calls every tool, also with invalid arguments and without databases."


def main(arguments: Sequence[str]) -> int:
    """Run the demo; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="./run demo",
        description="Tell a story of about fifteen calls to servers and agents, on sample data.",
        epilog="Example: ./run demo --all",
    )
    parser.add_argument("--all", action="store_true", help="call every tool, also with invalid arguments")
    everything = parser.parse_args(arguments).all
    console = Console(highlight=False) if sys.stdout.isatty() else Console(width=PLAIN_WIDTH, highlight=False)
    with step("loading the client's validator"):
        # The client would import it within the first call, and its time would count.
        importlib.import_module("jsonschema")
    try:
        with sandbox.environment(sandbox.NAMES if everything else NAMES) as environment:
            calls = asyncio.run((call_everything if everything else tell_story)(console, environment))
    except (ProgramError, ServerFailedError) as error:
        console.print(Text(str(error), style="red"))
        return 1
    console.print("", summarise(calls), sep="\n")
    if not everything:
        console.print(Text(MORE))
    return 0 if all(call.is_expected for call in calls) else 1


async def tell_story(console: Console, environment: Mapping[str, str]) -> list[RecordedCall]:
    """Print the story's calls as they are answered, and return them."""
    console.print(Text(INTRODUCTION), "", sep="\n")
    calls: list[RecordedCall] = []
    for section in Story(console).list_sections():
        with step(f"starting {section.title}", quiet_s=3.0, stays=True):
            calls += await run_section(section, environment)
    return calls


async def call_everything(console: Console, environment: Mapping[str, str]) -> list[RecordedCall]:
    """Run every section of the tour on a server of its own, print each, and return all calls."""
    calls: list[RecordedCall] = []
    for section in TOUR:
        with step(f"calling {section.title}{section.delay_reason}"):
            answered = await run_section(section, environment)
        console.print(build_block(section.title, answered))
        calls += answered
    return calls


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
