"""SQL that gives a server's PostgreSQL role the privileges of its tools, and no others."""

from __future__ import annotations

from collections.abc import Iterable

from codegen.emit.output_tree import Tree
from codegen.ir.contract import Contract
from codegen.ir.layout import Layout
from codegen.naming import Identifier

PRIVILEGES = ("SELECT", "INSERT", "UPDATE", "DELETE")
KEYS_TABLE = "idempotency_keys"
"""The table in which the library stores idempotency keys; it needs all privileges there."""
TEMPLATE = """\
-- Rights of the role {role} in the database {source}. Run it as the owner of the tables after each migration:
-- psql --set ON_ERROR_STOP=1 --single-transaction --file {source}_role.sql
-- The role cannot log in until it has a password: ALTER ROLE {role} LOGIN PASSWORD '...';
-- {header}

DO $role$
BEGIN
    IF to_regrole('"{role}"') IS NULL THEN
        CREATE ROLE "{role}";
    END IF;
    -- By default every role may create temporary tables, and before PostgreSQL 15 also others.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO "{role}"', current_schema());
    -- What an older contract granted.
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM "{role}"', current_schema());
END
$role$;
{grants}"""


def build_role_files(contracts: Iterable[Contract], layout: Layout) -> Tree:
    """Build `<source>_role.sql` for every PostgreSQL source on which a server declares privileges."""
    files: Tree = {}
    for contract in contracts:
        for source in contract.sources:
            tables = _collect_privileges(contract, source.name)
            if tables:
                path = f"{contract.system}/{contract.module}/{source.name}_role.sql"
                files[path] = TEMPLATE.format(
                    role=Identifier(contract.name),
                    source=source.name,
                    header=layout.header(contract.document.name),
                    grants="".join(_format_grant(contract, table, tables[table]) for table in sorted(tables)),
                )
    return files


def _collect_privileges(contract: Contract, source: str) -> dict[str, set[str]]:
    """Collect the privileges of a server's tools on a source, by table."""
    tables: dict[str, set[str]] = {}
    for tool in contract.tools:
        for table, privileges in tool.privileges.get(source, {}).items():
            tables.setdefault(table, set()).update(privileges)
        if source in tool.privileges and source in tool.writes and tool.window_s is not None:
            tables.setdefault(KEYS_TABLE, set()).update(PRIVILEGES)
    return tables


def _format_grant(contract: Contract, table: str, privileges: set[str]) -> str:
    """Format the statement that grants privileges on a table, in a stable order."""
    listed = ", ".join(sorted(privileges, key=PRIVILEGES.index))
    return f'GRANT {listed} ON "{table}" TO "{Identifier(contract.name)}";\n'
