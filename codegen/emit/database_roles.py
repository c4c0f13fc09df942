"""SQL that gives a server's PostgreSQL role the privileges of its tools, and no others."""

from __future__ import annotations

from collections.abc import Iterable

from codegen.emit.output_tree import Tree
from codegen.emit.templating import render_template
from codegen.ir.contract import Contract
from codegen.ir.layout import Layout
from codegen.naming import Identifier

PRIVILEGES = ("SELECT", "INSERT", "UPDATE", "DELETE")
KEYS_TABLE = "idempotency_keys"
"""The table in which the library stores idempotency keys; it needs all privileges there."""


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
        )
        for contract in contracts
        for source in contract.sources
        if (tables := _collect_privileges(contract, source.name))
    }


def _collect_privileges(contract: Contract, source: str) -> dict[str, list[str]]:
    """Collect the privileges of a server on a source, by table, in a stable order."""
    tables: dict[str, set[str]] = {}
    declared = [tool.privileges for tool in contract.tools] + [each.privileges for each in contract.resources]
    declared += [prompt.privileges for prompt in contract.prompts]
    for of_one in declared:
        for table, privileges in of_one.get(source, {}).items():
            tables.setdefault(table, set()).update(privileges)
    for tool in contract.tools:
        if source in tool.privileges and source in tool.writes and tool.idempotency and not tool.idempotency.store:
            tables.setdefault(KEYS_TABLE, set()).update(PRIVILEGES)
    return {table: sorted(tables[table], key=PRIVILEGES.index) for table in sorted(tables)}
