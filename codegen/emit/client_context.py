"""Template context of typed clients (client.py)."""

from __future__ import annotations

from typing import Any

from codegen.emit.nullability import has_nullable_member
from codegen.ir.contract import Contract, Tool
from codegen.naming import end_sentence

SERVER_CLIENT_METHODS = frozenset({"call", "http", "pages", "stdio"})
"""Methods of `toolpact.client.base.ServerClient`.

A tool with such a name gets a method with `_` appended.
"""


def build_client_context(contract: Contract) -> dict[str, Any]:
    """Build the template values of client.py that the contract itself does not hold."""
    paginated = {tool.paginated for tool in contract.tools}
    idempotent = {tool.window_s is not None for tool in contract.tools}
    names = {
        "CallOptions": False in idempotent,
        "PagedTool": True in paginated,
        "RemoteServer": True,
        "RemoteTool": False in paginated,
        "ServerClient": True,
        "WriteOptions": True in idempotent,
    }
    return {
        "imports": ", ".join(name for name, is_used in names.items() if is_used),
        "methods": {tool.name: _name_method(tool) for tool in contract.tools},
        "docstrings": {tool.name: _describe_method(tool) for tool in contract.tools},
        "errors": {tool.name: _format_error_classes(tool) for tool in contract.tools},
        "nullable": {tool.name: has_nullable_member(tool.parameters) for tool in contract.tools},
        "uses_errors": any(tool.errors for tool in contract.tools),
    }


def _name_method(tool: Tool) -> str:
    """Name the client's method that calls a tool."""
    return f"{tool.function}_" if tool.function in SERVER_CLIENT_METHODS else tool.function


def _format_error_classes(tool: Tool) -> str:
    """Format the classes of a tool's errors as a tuple expression."""
    classes = [f"errors.{error.class_name}" for error in tool.errors]
    return f"({', '.join(classes)}{',' if len(classes) == 1 else ''})"


def _describe_method(tool: Tool) -> str:
    """Write the docstring of a tool's method: the tool's description and its declared errors."""
    errors = [f"* {error.class_name}: {end_sentence(_join_lines(error.description))}" for error in tool.errors]
    return "\n\n".join([tool.description, *(["\n".join(["May raise:", *errors])] if errors else [])])


def _join_lines(text: str) -> str:
    """Put text on one line."""
    return " ".join(text.split())
