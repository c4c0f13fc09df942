"""Queries and migrations of drafts, tried on a throw-away PostgreSQL before their writing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from toolaccord.sources.postgresql.migrations import Schema
from toolaccord_codegen.cli.check_cache import FOLDER, digest_compiler
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.queries.describe import DescriptionCache, describe_servers
from toolaccord_codegen.cli.queries.proving import store_descriptions
from toolaccord_codegen.cli.start.draft_update import DraftedServer
from toolaccord_codegen.cli.start.new_files import write_file
from toolaccord_codegen.diagnostics import CommandError, ContractProblems
from toolaccord_codegen.drafts.postgresql.migration import HEADER
from toolaccord_codegen.ir.contract import Contract

_NUMBER = re.compile(r"(\d+)_")


def write_database_files(folders: Folders, drafted: DraftedServer) -> None:
    """Write the queries and the migration of a draft that has them."""
    server, draft = drafted.server, drafted.draft
    if draft.queries:
        write_file(folders.locate_queries(server.system, server.name), draft.queries)
        folder = folders.find_migrations(server.system)
        write_file(folder / _choose_name(folder, server.name), draft.migration)


def check_database_files(folders: Folders, drafted: DraftedServer, contract: Contract) -> None:
    """Apply the migration of a draft, and describe its queries.

    The descriptions stay for the next run. Raises CommandError for what PostgreSQL rejects.
    """
    server, draft = drafted.server, drafted.draft
    if not draft.queries:
        return
    cache = DescriptionCache(folders.project.folder / FOLDER / f"{folders.package}.queries.json", digest_compiler())
    with TemporaryDirectory(prefix="toolaccord-") as place:
        queries = Path(place) / f"{server.name}.sql"
        queries.write_bytes(draft.queries.encode())
        existing, migrations = folders.find_migrations(server.system), Path(place) / "migrations"
        if existing.is_dir():
            shutil.copytree(existing, migrations)
        migrations.mkdir(exist_ok=True)
        (migrations / _choose_name(existing, server.name)).write_bytes(draft.migration.encode())
        schemas = {server.system: Schema(server.system, migrations, keeps_idempotency_keys=True)}
        try:
            _, text = describe_servers({contract.document.name: (contract, queries)}, schemas, cache)
        except ContractProblems as error:
            reason = error.problems[0].sentence
            raise CommandError(f"the draft does not work, so nothing was written: {reason}; leave tables out") from None
    known = json.loads(DescriptionCache.encode(cache.load()))
    store_descriptions(folders, json.dumps(known | json.loads(text)))


def _choose_name(folder: Path, server: str) -> str:
    """Return the name of the migration: that of an earlier draft, or one with the next number."""
    files = sorted(folder.glob("*.sql")) if folder.is_dir() else []
    for path in files:
        if path.stem.partition("_")[2] == server and path.read_bytes().startswith(HEADER.encode()):
            return path.name
    numbers = [int(found[1]) for path in files if (found := _NUMBER.match(path.name))]
    return f"{max(numbers, default=0) + 1:04}_{server}.sql"
