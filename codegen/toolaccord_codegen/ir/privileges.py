"""Privileges of a server on the tables of its PostgreSQL sources."""

from __future__ import annotations

from toolaccord.contract.operations import Privilege
from toolaccord_codegen.ir.contract import Contract

PRIVILEGES: tuple[Privilege, ...] = ("SELECT", "INSERT", "UPDATE", "DELETE")
KEYS_TABLE = "idempotency_keys"
"""The table in which the library stores idempotency keys; it needs all privileges there."""


def collect_privileges(contract: Contract, source: str) -> dict[str, list[str]]:
    """Return the privileges of a server on a source, by table, in a stable order."""
    tables: dict[str, set[str]] = {}
    declared = [each.effects.privileges for each in contract.operations if each.effects]
    for of_one in (*declared, contract.derived_privileges):
        for table, privileges in of_one.get(source, {}).items():
            tables.setdefault(table, set()).update(privileges)
    for tool in contract.tools:
        if (
            (source in tool.effects.privileges or source in contract.derived_privileges)
            and source in tool.writes
            and tool.idempotency
            and not tool.idempotency.store
        ):
            tables.setdefault(KEYS_TABLE, set()).update(PRIVILEGES)
    return {table: sorted(tables[table], key=PRIVILEGES.index) for table in sorted(tables)}


def split_table(table: str) -> tuple[str, str]:
    """Return the schema of a table, which is empty for the usual one, and its name."""
    schema, dot, name = table.partition(".")
    return (schema, name) if dot else ("", table)


def quote_table(table: str) -> str:
    """Return a table's name as SQL has it, whatever it holds."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in split_table(table) if part)


def quote_table_as_text(table: str) -> str:
    """Return a table's name as a text in SQL; no dollar in it ends the body of a block."""
    quoted = quote_table(table).replace("'", "''")
    if "$" not in quoted:
        return f"'{quoted}'"
    escaped = quoted.replace("\\", "\\\\").replace("$", "\\0024")
    return f"U&'{escaped}'"
