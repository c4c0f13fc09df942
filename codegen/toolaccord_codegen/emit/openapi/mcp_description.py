"""Tables of a server's resources and prompts, which clients of MCP alone can use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolaccord_codegen.ir.contract import Contract


def describe_mcp(contract: Contract) -> Iterator[str]:
    """Yield the tables in Markdown, with their sentences; nothing for a server of tools alone."""
    resources = [(f"`{each.address}`", each.mime_type, each.description) for each in contract.client_resources]
    if len(resources) < len(contract.resources):
        resources.append((f"`contract://{contract.name}/{{tool}}`", "application/json", "Contract of each tool."))
    if resources:
        yield "Over MCP this server has resources:"
        yield _format_table(("URI", "type", "content"), resources)
    if contract.prompts:
        yield "Over MCP this server has prompts:"
        rows = [
            (f"`{each.name}`", ", ".join(f"`{name}`" for name in each.parameters["properties"]), each.description)
            for each in contract.prompts
        ]
        yield _format_table(("prompt", "arguments", "purpose"), rows)


def _format_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([_escape(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escape(cell: str) -> str:
    """Return the text of a cell on one line, without ends of the cell."""
    return " ".join(cell.split()).replace("|", "\\|")
