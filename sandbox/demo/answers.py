"""The answers of tools as the demo shows them: kind, and a summary in a line."""

import json
import textwrap
from dataclasses import dataclass
from typing import Any

from mcp import MCPError
from mcp.types import CallToolResult, TextContent

MAX_CHARS = 200
"""The most characters of a summary."""
NAMES = ("name", "symbol", "month", "ticker", "ts")
"""The fields that name a record in a list, the best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one call."""

    kind: str
    """`result`, the code of a declared error, or the number of a protocol error."""
    summary: str
    body: dict[str, Any]
    """The JSON of the answer; empty for a protocol error."""

    @property
    def data(self) -> dict[str, Any]:
        """The data in the answer's envelope, or an answer without one; empty for an error."""
        if self.kind != "result":
            return {}
        data: dict[str, Any] = self.body.get("data", self.body)
        return data


def read_answer(result: CallToolResult) -> Answer:
    """Read the JSON that *result* carries as text."""
    body = json.loads("".join(part.text for part in result.content if isinstance(part, TextContent)))
    return read_body(body, is_error=result.is_error)


def read_body(body: dict[str, Any], *, is_error: bool) -> Answer:
    """Read the envelope of a result or of an error, in any dialect."""
    if not is_error:
        shown = {"metrics": body["metrics"], "data": body["data"]} if body.get("metrics") else body.get("data", body)
        return Answer(kind="result", summary=shorten(_line(shown)), body=body)
    error = body["error"]
    code = error.get("data", error).get("code") or error.get("error_type")  # JSON-RPC has the name of a code in data
    return Answer(kind=code, summary=shorten(error["message"]), body=body)


def read_protocol_error(error: MCPError) -> Answer:
    """Read an error of the protocol."""
    return Answer(kind=str(error.code), summary=shorten(error.message), body={})


def _line(value: Any) -> str:
    """Return *value* as a line: a record as its fields, a list of records by name."""
    match value:
        case dict():
            return ", ".join(f"{key} {_line(part)}" for key, part in value.items())
        case list():
            return " ".join(_name(part) if isinstance(part, dict) else _line(part) for part in value)
        case float():
            return f"{value:.10g}"
        case str():
            return value
        case _:
            return json.dumps(value)


def _name(record: dict[str, Any]) -> str:
    return str(next((record[key] for key in NAMES if key in record), "?"))


def shorten(line: str) -> str:
    """Return *line*, without its last words where it is too long."""
    return textwrap.shorten(line, MAX_CHARS, placeholder=" …")
