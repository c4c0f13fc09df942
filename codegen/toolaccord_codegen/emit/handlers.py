"""First drafts of a server's handlers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord_codegen.emit.render import annotate_content
from toolaccord_codegen.emit.ruff import format_files
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.ir.tool import Tool


def render_handlers(contract: Contract, layout: Layout, forwards: Mapping[str, Any]) -> str:
    """Return a module with a handler for each tool, resource and prompt.

    A handler raises NotImplementedError, unless *forwards* has the `Forward` of its tool.
    """
    results = {tool.name: _annotate_result(tool) for tool in contract.tools}
    text = render_template("new/handlers.py", layout, contract=contract, results=results, forwards=forwards)
    name = f"{contract.module}.py"
    return format_files({name: text}, [layout.package, layout.handlers, "toolaccord"])[name]


def _annotate_result(tool: Tool) -> str:
    """Annotate the return type of a tool's handler, which returns no pages."""
    result = f"models.{tool.class_name}Result"
    return annotate_content(tool, result) if tool.content else result
