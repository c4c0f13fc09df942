"""Questions of a server to the person at the terminal."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import mcp_types as types

from toolaccord.json_values import JsonObject
from toolaccord_codegen.cli.call.arguments import describe_type, read_arguments
from toolaccord_codegen.cli.servers.terminal import StatusLine
from toolaccord_codegen.diagnostics import CommandError, escape_lines

_WORDS = {"y": "true", "yes": "true", "n": "false", "no": "false"}


def make_callbacks(status: StatusLine) -> dict[str, Any]:
    """Return the callback of the SDK's client for forms, which it declines outside a terminal.

    The *status* line makes room for a question.
    """

    async def fill_in(_context: Any, params: Any) -> types.ElicitResult:
        status.hide()
        schema = getattr(params, "requested_schema", None)
        sys.stderr.write(f"the server asks: {escape_lines(params.message)}\n")
        if schema is None:
            return _decline("this is no form that a terminal can show")
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return _decline("nobody can answer outside a terminal")
        try:
            return types.ElicitResult(action="accept", content=await asyncio.to_thread(_read_form, schema))
        except EOFError:
            return _decline("you pressed Ctrl-D")

    return {"elicitation_callback": fill_in}


def _decline(reason: str) -> types.ElicitResult:
    sys.stderr.write(f"declined: {reason}\n")
    return types.ElicitResult(action="decline")


def _read_form(schema: JsonObject) -> JsonObject:
    """Return the members that a person enters. Raises EOFError at the end of the input."""
    content: JsonObject = {}
    for name, member in schema.get("properties", {}).items():
        while True:
            sys.stderr.write(f"{_prompt(schema, name, member)}: ")
            sys.stderr.flush()
            text = _expand(_read_line(), member)
            if not text and name not in schema.get("required", ()):
                break
            try:
                content |= read_arguments(
                    [f"{name}={text}"], "the form", {"type": "object", "properties": {name: member}}
                )
            except CommandError as error:
                sys.stderr.write(f"{error}\n")
                continue
            break
    return content


def _expand(text: str, member: JsonObject) -> str:
    """Return what people mean by `y` and `n`, where a member is true or false."""
    return _WORDS.get(text.lower(), text) if member.get("type") == "boolean" else text


def _prompt(schema: JsonObject, name: str, member: JsonObject) -> str:
    title = escape_lines(str(member.get("title") or member.get("description") or name))
    return f"{title} ({describe_type(schema, member)}; Ctrl-D declines)"


def _read_line() -> str:
    """Return a line of the input. Raises EOFError at its end."""
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.strip()
