"""server.json of the MCP registry: a server's identity and the launch of its image."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from codegen.emit.output_tree import Tree
from codegen.emit.templating import render_template
from codegen.ir.contract import Contract
from codegen.ir.layout import Layout

MAX_LENGTH = 100
"""Characters that the registry allows in a title or a description."""


def build_registry_files(contracts: Sequence[Contract], layout: Layout) -> Tree:
    """Build the server.json of each server, with packages if the layout names images."""
    return {
        f"{contract.system}/{contract.module}/server.json": render_template(
            "server.json",
            layout,
            contract=contract,
            title=_shorten(contract.title),
            description=_shorten(contract.description),
        )
        for contract in contracts
    }


def _shorten(text: str) -> str:
    """Put text on one line, cut to the registry's limit."""
    return textwrap.shorten(text, MAX_LENGTH, placeholder=" …")
