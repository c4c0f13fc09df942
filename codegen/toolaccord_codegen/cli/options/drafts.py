"""Options of `import`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.cli.options.arguments import argument
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.cli.value_types import parse_server_path


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """Options of `import`; exactly one of the origins is given."""

    server: tuple[str, str] = field(
        metadata=argument("the new server, e.g. acme/books", flag=False, type=parse_server_path, metavar="SYSTEM/NAME")
    )
    from_server: str | None = field(
        metadata=argument('the command of an MCP server on stdio, e.g. "npx -y some-server"', metavar="COMMAND")
    )
    from_url: str | None = field(metadata=argument("the URL of an MCP server over HTTP", metavar="URL"))
    from_openapi: Path | None = field(
        metadata=argument("an OpenAPI document (2.0, 3.0 or 3.1), JSON or YAML", type=Path, metavar="FILE")
    )
    from_tools: Path | None = field(
        metadata=argument("the answer to tools/list, or an array of tools, as JSON", type=Path, metavar="FILE")
    )
    from_postgresql: str | None = field(
        metadata=argument(
            "the URL of a PostgreSQL database, whose tables and views get tools; PGPASSWORD or ~/.pgpass has the password",
            metavar="URL",
        )
    )
    token_env: str | None = field(
        metadata=argument("with --from-url: the environment variable with the bearer token", metavar="NAME")
    )
    tag: list[str] | None = field(
        metadata=argument(
            "with --from-openapi: take operations with this tag alone; repeatable",
            action="append",
            metavar="TAG",
        )
    )
    operation: list[str] | None = field(
        metadata=argument(
            "with --from-openapi: take this operationId alone; repeatable",
            action="append",
            metavar="ID",
        )
    )
    table: list[str] | None = field(
        metadata=argument(
            "with --from-postgresql: take this table or view alone, also of another schema; repeatable",
            action="append",
            metavar="NAME",
        )
    )
    keys: bool = field(
        metadata=argument(
            "with --from-postgresql: let new rows have primary keys of the caller's, in the place of a default",
            action="store_true",
        )
    )
    report: Path | None = field(
        metadata=argument("write every difference from the original to this file as JSON", type=Path, metavar="FILE")
    )
    force: bool = field(
        metadata=argument("replace an existing contract; a module of handlers stays", action="store_true")
    )
    update: bool = field(
        metadata=argument(
            "merge a new draft into the edited contract and handlers; conflicts are named", action="store_true"
        )
    )
    generate: GenerateOptions
