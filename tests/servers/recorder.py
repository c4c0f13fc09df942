"""Generated servers with handlers that write down what reaches them and answer what they are told.

`python -m tests.servers.recorder ROOM FILE` serves one on standard input and output; each request that reaches a handler
becomes a line of FILE: `[tool, arguments]`.
"""

import dataclasses
import importlib
import json
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pydantic import BaseModel, ConfigDict, RootModel

from tests.contracts.reading import contracts
from toolpact import Page
from toolpact.declarations.tool import Server
from toolpact.server.main import run


class Anything(RootModel[Any]):
    """A record that holds any JSON, and what is no JSON."""

    model_config = ConfigDict(ser_json_inf_nan="constants")


Write = Callable[[str, dict[str, Any]], None]


def example(tool: dict[str, Any]) -> dict[str, Any]:
    """Return the first example of *tool* that has a result."""
    found: dict[str, Any] = next(each for each in tool["examples"] if "returns" in each)
    return found


class Recorder:
    """Handlers for every tool of a room."""

    def __init__(self, room: str) -> None:
        self.room = room
        self.tools = {tool["name"]: tool for tool in contracts()[room]["tools"]}
        self.seen: list[tuple[str, dict[str, Any]]] = []
        """Tool and arguments of each request that reached a handler."""
        self.results: dict[str, Any] = {name: example(tool)["returns"] for name, tool in self.tools.items()}
        """What each tool answers next, as JSON; an exception is raised."""
        self.write: Write = lambda tool, arguments: self.seen.append((tool, arguments))

    def server(self) -> Server[Any]:
        """Return the generated server of the room on these handlers."""
        handlers = {re.sub(r"\W", "_", name): self._handler(name) for name in self.tools}
        module = importlib.import_module(f"generated.{self.room}.server")
        served: Server[Any] = module.server(SimpleNamespace(**handlers))
        return served

    def _handler(self, name: str) -> Callable[[BaseModel, Any], Awaitable[Any]]:
        async def handle(request: BaseModel, _call: Any) -> Any:
            self.write(name, request.model_dump(mode="json", by_alias=True, exclude_unset=True))
            result = self.results[name]
            if isinstance(result, Exception):
                raise result
            if self.tools[name].get("pagination") is None:
                return Anything(result)
            return Page([Anything(item) for item in result["items"]], result["pagination"]["total"])

        return handle


def main() -> int:
    """Serve a room and write what reaches its handlers to a file; nothing is cached, so that everything does."""
    room, file = sys.argv[1:]
    recorder = Recorder(room)
    with Path(file).open("w", encoding="utf-8", buffering=1) as lines:
        recorder.write = lambda tool, arguments: print(json.dumps([tool, arguments]), file=lines)
        served = recorder.server()
        uncached = tuple(dataclasses.replace(tool, cache=None) for tool in served.tools)
        return run(dataclasses.replace(served, tools=uncached), argv=[])


if __name__ == "__main__":
    raise SystemExit(main())
