"""SQL that gives a server's PostgreSQL role the privileges of its tools, and no others."""

from __future__ import annotations

from collections.abc import Iterable

from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.ir.privileges import collect_privileges, split_table
from toolaccord_codegen.naming import Identifier


def build_role_files(contracts: Iterable[Contract], layout: Layout) -> Tree:
    """Build `<source>_role.sql` for each PostgreSQL source with declared privileges."""
    return {
        f"{contract.system}/{contract.module}/{source.name}_role.sql": render_template(
            "role.sql",
            layout,
            role=Identifier(contract.name),
            source=source,
            names=contract.document.name,
            tables=tables,
            schemas=sorted({schema for table in tables if (schema := split_table(table)[0])}),
            growing=[table for table, privileges in tables.items() if "INSERT" in privileges],
        )
        for contract in contracts
        for source in contract.sources
        if (tables := collect_privileges(contract, source.name))
    }
