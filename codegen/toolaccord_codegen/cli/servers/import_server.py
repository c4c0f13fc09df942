"""The command `import`: a draft of a contract, of a running MCP server or of a document."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolaccord.testing import progress
from toolaccord_codegen.cli.options.drafts import ImportOptions
from toolaccord_codegen.diagnostics import CommandError, escape_unprintable

if TYPE_CHECKING:
    from toolaccord_codegen.cli.start.draft import Drafts
    from toolaccord_codegen.drafts.contract import Identity

LARGEST_JSON = 1 << 25
"""Characters of a YAML document as JSON, without aliases; large APIs have twelve million."""
ORIGINS = ("from_server", "from_url", "from_openapi", "from_tools", "from_postgresql")


def run(options: ImportOptions) -> int:
    """Draft a contract, write it, and print its differences from the original.

    Raises CommandError for wrong options, for files that exist, and for an origin that cannot be read. Raises
    ContractProblems for a name that the project does not admit; the original is not started then.
    """
    from toolaccord_codegen.cli.start.draft import require_absent, require_name, write_draft

    given = [name for name in ORIGINS if getattr(options, name) is not None]
    if len(given) != 1:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in ORIGINS)
        raise CommandError(f"give exactly one origin: {flags}")
    if options.from_postgresql is not None and options.update:
        raise CommandError("--update does not merge drafts of a database; write a migration and the queries yourself")
    require_absent(options)
    require_name(options)
    return write_draft(options, *_read_origin(options))


def _read_origin(options: ImportOptions) -> tuple[str, Callable[[Identity], Drafts]]:
    """Return the name of the original, and a function that drafts its contract."""
    from toolaccord_codegen.drafts.server_listing import draft_listing, read_listing

    if options.from_openapi is not None:
        with progress.Line(f"Reading {escape_unprintable(str(options.from_openapi))}"):
            return _read_openapi(options, options.from_openapi)
    if options.from_postgresql is not None:
        with progress.Line("Reading the database"):
            return _read_postgresql(options, options.from_postgresql)
    if options.from_tools is not None:
        origin, document = str(options.from_tools), load_json(options.from_tools)
    else:
        from toolaccord_codegen.cli.servers.server_lists import list_server

        flag = "--from-server" if options.from_url is None else "--from-url"
        given = str(options.from_server if options.from_url is None else options.from_url)
        origin, document = asyncio.run(list_server(given, options.token_env, flag))
    address = options.from_server or options.from_url
    try:
        listing = replace(read_listing(document), address=address)
    except ValueError as error:
        raise CommandError(f"{origin}: {error}") from None
    return origin, lambda identity: [(identity, draft_listing(listing, identity))]


def _read_openapi(options: ImportOptions, path: Path) -> tuple[str, Callable[[Identity], Drafts]]:
    """Return a function that drafts the operations of an OpenAPI document."""
    from toolaccord_codegen.drafts.openapi.document import Selection
    from toolaccord_codegen.drafts.openapi.partition import draft_parts
    from toolaccord_codegen.loading.reading import LARGEST_FILE

    if str(path).startswith(("http:", "https:")):
        raise CommandError("--from-openapi reads a file: download the document first")
    document = load_json(path) if path.suffix == ".json" else _load_yaml(path)
    selection = Selection(tags=frozenset(options.tag or ()), operations=frozenset(options.operation or ()))

    def make(identity: Identity) -> Drafts:
        try:
            return draft_parts(document, identity, selection, LARGEST_FILE)
        except ValueError as error:
            raise CommandError(f"{path}: {error}") from None

    return str(path), make


def _read_postgresql(options: ImportOptions, url: str) -> tuple[str, Callable[[Identity], Drafts]]:
    """Return a function that drafts tables and views of a database."""
    from toolaccord_codegen.cli.catalogue.reading import read_catalogue
    from toolaccord_codegen.cli.queries.database import start_databases
    from toolaccord_codegen.drafts.postgresql.database import Choice, draft_database

    with start_databases() as databases:
        extensions = databases.list_extensions()
    catalogue = read_catalogue(url, extensions)
    choice = Choice(tables=tuple(options.table or ()), takes_keys=options.keys)

    def make(identity: Identity) -> Drafts:
        try:
            return [(identity, draft_database(catalogue, identity, choice))]
        except ValueError as error:
            raise CommandError(f"{catalogue.database}: {error}") from None

    return f"the database {catalogue.database}", make


def load_json(path: Path) -> Any:
    """Return the value of a JSON file. Raises CommandError."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not JSON: {error}") from None


def _load_yaml(path: Path) -> Any:
    """Return the value of a YAML file as JSON has it. Raises CommandError."""
    import yaml

    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
        return json.loads(_dump_json(loaded, path))
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise CommandError(f"{path}{line} is not YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not YAML: {error}") from None


def _dump_json(value: Any, path: Path) -> str:
    """Return a value as JSON, with dates as texts.

    Raises CommandError if aliases of aliases would fill the memory.
    """
    text = StringIO()
    for part in json.JSONEncoder(default=str).iterencode(value):
        if text.tell() + len(part) > LARGEST_JSON:
            raise CommandError(f"{path} is larger than {LARGEST_JSON:,} characters as JSON; its aliases may repeat it")
        text.write(part)
    return text.getvalue()
