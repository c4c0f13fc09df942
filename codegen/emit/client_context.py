"""What the template of a typed client is filled with."""

from __future__ import annotations

from typing import Any

from codegen.emit.nullability import nullable_arguments
from codegen.ir.contract import Contract, Tool
from codegen.naming import end_sentence

ENGINE = frozenset({"call", "http", "pages", "stdio"})
"""Names that `toolpact.client.base.ServerClient` has; a tool called so has a method with `_` behind its name."""


def client_values(contract: Contract) -> dict[str, Any]:
    """What client.py says, beside the contract itself."""
    paged = {tool.paginated for tool in contract.tools}
    writing = {tool.window_s is not None for tool in contract.tools}
    names = {
        "CallOptions": False in writing,
        "PagedTool": True in paged,
        "RemoteServer": True,
        "RemoteTool": False in paged,
        "ServerClient": True,
        "WriteOptions": True in writing,
    }
    return {
        "imports": ", ".join(name for name, used in names.items() if used),
        "methods": {tool.name: method(tool) for tool in contract.tools},
        "told": {tool.name: told(tool) for tool in contract.tools},
        "errors": {tool.name: errors(tool) for tool in contract.tools},
        "nullable": {tool.name: nullable_arguments(tool.parameters) for tool in contract.tools},
        "uses_errors": any(tool.errors for tool in contract.tools),
    }


def method(tool: Tool) -> str:
    """The name of a tool's method."""
    return f"{tool.function}_" if tool.function in ENGINE else tool.function


def errors(tool: Tool) -> str:
    """The classes of a tool's errors, as a tuple."""
    classes = [f"errors.{error.class_name}" for error in tool.errors]
    return f"({', '.join(classes)}{',' if len(classes) == 1 else ''})"


def told(tool: Tool) -> str:
    """The docstring of a tool's method: what it does, and the errors it declares."""
    raised = [f"* {error.class_name}: {end_sentence(one_line(error.description))}" for error in tool.errors]
    return "\n\n".join([tool.description, *(["\n".join(["It may raise", *raised])] if raised else [])])


def one_line(text: str) -> str:
    """Text without line breaks."""
    return " ".join(text.split())
