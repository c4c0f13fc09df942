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
    declared = [tool.effects.privileges for tool in contract.tools] + [each.privileges for each in contract.resources]
    declared += [prompt.privileges for prompt in contract.prompts] + [contract.derived_privileges]
    for of_one in declared:
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
