"""Comparison of a server's generated files with the contract that they were made of."""

from __future__ import annotations

from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.folders import Folders, resolve
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.emit.output_tree import read_contract_digests
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.reading import read_document


def check_freshness(folders: Folders, system: str, name: str) -> None:
    """Raise CommandError if a server's contract changed after its files were generated.

    So it does for the documents that all contracts share.
    """
    recorded = read_contract_digests(folders.output)
    for path in (folders.contracts / system / f"{name}.json", *sorted(folders.contracts.glob("*.json"))):
        digest = recorded.get(f"{resolve(folders.contracts).name}/{path.relative_to(folders.contracts).as_posix()}")
        document = read_document(path, path.name, []) if digest and path.is_file() else None
        if document and document.digest() != digest:
            again = f"run: {folders.generate_command(program_name())}"
            raise CommandError(f"{display_path(path)} changed after {folders.package} was generated; {again}")
