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
from toolaccord_codegen.naming import ClassName


def render_handlers(contract: Contract, layout: Layout, forwards: Mapping[str, Any]) -> str:
    """Return a module with a handler for each tool, resource and prompt.

    A handler raises NotImplementedError, unless *forwards* has the `Forward` of its tool.
    """
    results = {tool.name: _annotate_result(tool) for tool in contract.tools}
    of_queries = {name: each for name, each in forwards.items() if hasattr(each, "query")}
    refusals = {error.code for tool in contract.tools if tool.name in of_queries for error in tool.errors}
    text = render_template(
        "new/handlers.py",
        layout,
        contract=contract,
        results=results,
        returned=results | {name: _annotate_rows(each) for name, each in of_queries.items() if _has_rows(each)},
        forwards=forwards,
        has_queries=bool(of_queries),
        refusals=refusals if any(each.refuses for each in of_queries.values()) else (),
    )
    name = f"{contract.module}.py"
    return format_files({name: text}, [layout.package, layout.handlers, "toolaccord"])[name]


def _has_rows(forward: Any) -> bool:
    """Return True for a query whose handler returns something else than the tool's result."""
    return forward.kind == "page" or not forward.member


def _annotate_rows(forward: Any) -> str:
    """Annotate the return type of a handler that passes on the rows of a query."""
    item = f"models.{forward.model}" if forward.member else f"queries.{ClassName(forward.query)}Row"
    return f"Page[{item}]" if forward.kind == "page" else item


def _annotate_result(tool: Tool) -> str:
    """Annotate the return type of a tool's handler, which returns no pages."""
    result = f"models.{tool.class_name}Result"
    return annotate_content(tool, result) if tool.content else result
