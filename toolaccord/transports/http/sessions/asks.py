"""Requests to the client of a session, which wait for their responses."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import count
from typing import Any, TypeAlias

from mcp.shared.exceptions import MCPError

from toolaccord.json_values import JsonObject

_Answer: TypeAlias = "asyncio.Future[JsonObject]"


class Asks:
    """The requests of a process to the client of one session.

    Their ids begin with the name of the process, so any other one knows whom a response concerns.
    """

    _numbers = count(1)

    def __init__(self, process: str) -> None:
        self._process = process
        self._waiting: dict[str, _Answer] = {}

    def open(self) -> tuple[str, _Answer]:
        """Return the id of a new request, and its answer, which may raise MCPError."""
        ask_id = f"{self._process}-{next(self._numbers)}"
        answer = self._waiting[ask_id] = asyncio.get_running_loop().create_future()
        return ask_id, answer

    def close(self, ask_id: str) -> None:
        """Wait for no answer to a request any more."""
        del self._waiting[ask_id]

    def resolve(self, response: Mapping[str, Any]) -> None:
        """Deliver a response, unless nobody waits for it any more."""
        answer = self._waiting.get(response["id"])
        if answer is None or answer.done():
            return
        if (error := response.get("error")) is None:
            answer.set_result(response["result"])
        else:
            answer.set_exception(MCPError(error["code"], error["message"], error.get("data")))


def process_of(ask_id: Any) -> str | None:
    """Return the name of the process that has asked; None for an id of no ask."""
    process, _, number = ask_id.rpartition("-") if isinstance(ask_id, str) else ("", "", "")
    return process if process and number.isdecimal() else None
