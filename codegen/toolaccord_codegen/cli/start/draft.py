"""Writing of drafted contracts, which compile before, with a report of their differences."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from toolaccord_codegen.cli.generate import compile_project, find_contracts_in_output
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.drafts import ImportOptions
from toolaccord_codegen.cli.start.loss_report import format_losses
from toolaccord_codegen.cli.start.new_files import write_file, write_packages
from toolaccord_codegen.cli.start.stubs import Server
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import CommandError, ContractProblems, Problem, escape_lines, pluralise
from toolaccord_codegen.drafts.contract import Draft, Identity
from toolaccord_codegen.emit.contract_schema import refresh_schema
from toolaccord_codegen.emit.handlers import render_handlers
from toolaccord_codegen.emit.output_tree import write_tree
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.lint.linter import lint_snapshot
from toolaccord_codegen.loading.documents import display_path, is_shared_file, list_json_files
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.loading.reading import LARGEST_FILE
from toolaccord_codegen.loading.text_files import read_utf8
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.snapshots import read_snapshot, require_valid


def write_draft(options: ImportOptions, origin: str, make: Callable[[Identity], Draft]) -> int:
    """Write the contract that *make* drafts and its other files; print what differs.

    Raises CommandError for files that exist, ContractProblems if the contracts do not compile with it.
    """
    folders = options.generate.folders
    server = Server.locate(folders, options.server)
    identity = Identity(system=server.system, name=server.name, taken=_shared_names(folders.contracts))
    draft = make(identity)
    text = format_json(draft.contract)
    if len(text.encode()) > LARGEST_FILE:
        raise CommandError(
            f"the contract would have {len(text.encode()):,} bytes of {LARGEST_FILE:,}; select fewer tools"
        )
    contract = _compile_draft(folders.contracts, server, text)
    handlers = render_handlers(contract, options.generate.layout, draft.forwards)
    print(escape_lines(f"{_count_parts(draft)} of {origin}"))
    write_file(server.contract, text)
    _write_handlers(server, handlers)
    compiled = compile_project(options.generate)
    written, _ = write_tree(folders.output, compiled.tree, find_contracts_in_output(folders))
    refresh_schema(folders.contracts)
    print(f"wrote   {pluralise(len(written), 'generated file')} in {display_path(folders.output)}")
    if options.report:
        report = {"origin": origin, "losses": [loss.as_json() for loss in draft.losses]}
        write_file(options.report, f"{json.dumps(report, indent=2, ensure_ascii=False)}\n")
    print("\n".join(format_losses(draft.losses, TerminalStyle.of(sys.stdout))))
    steps = [*_list_steps(options, draft, len(compiled.handler_problems), server)]
    if steps:
        print("\nTo do:", *(f"  - {step}" for step in steps), sep="\n")
    return 0


def require_absent(options: ImportOptions) -> None:
    """Raise CommandError if the contract or the handlers exist and may not be replaced."""
    server = Server.locate(options.generate.folders, options.server)
    for path in (server.contract, server.module):
        if path.exists() and not options.force:
            raise CommandError(
                f"{display_path(path)} exists already; choose another name, or replace the contract with --force"
            )


def _compile_draft(folder: Path, server: Server, text: str) -> Contract:
    """Compile the contracts folder with the draft in it, in a copy; return the draft's record.

    Raises ContractProblems, with the paths of the real folder.
    """
    with TemporaryDirectory(prefix="toolaccord-") as place:
        copy = Path(place) / folder.name
        if folder.is_dir():
            shutil.copytree(folder, copy, symlinks=True)
        path = copy / server.contract_name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        try:
            compiled = compile_folder(copy)
        except ContractProblems as error:
            shown = {display_path(copy): display_path(folder)}
            raise ContractProblems([_move(problem, shown) for problem in error.problems]) from None
    return next(each for each in compiled.contracts if each.document.name == server.contract_name)


def _move(problem: Problem, shown: dict[str, str]) -> Problem:
    """Return a problem at its path below another folder."""
    for old, new in shown.items():
        if problem.path.startswith(old):
            return replace(problem, path=f"{new}{problem.path.removeprefix(old)}")
    return problem


def _shared_names(folder: Path) -> frozenset[str]:
    """Return the names of schemas in files that several contracts share."""
    return frozenset(_list_shared_names(folder))


def _list_shared_names(folder: Path) -> Iterator[str]:
    for name in list_json_files(folder) if folder.is_dir() else ():
        if is_shared_file(name):
            yield from json.loads(read_utf8(folder / name)).get("$defs", {})


def _count_parts(draft: Draft) -> str:
    """Return the numbers of drafted tools, resources and prompts as text."""
    parts = {"tool": "tools", "resource": "resources", "prompt": "prompts"}
    found = [pluralise(len(draft.contract[key]), noun) for noun, key in parts.items() if draft.contract.get(key)]
    return f"drafted {', '.join(found)}"


def _write_handlers(server: Server, text: str) -> None:
    """Write the module of handlers and the packages around it, unless it exists."""
    if server.module.exists():
        print(f"kept    {display_path(server.module)}")
        return
    write_packages(server)
    write_file(server.module, text)


def _list_steps(options: ImportOptions, draft: Draft, handlers: int, server: Server) -> Iterator[str]:
    """Yield the next steps of the author."""
    lint = lint_snapshot(require_valid(read_snapshot(options.generate.folders.contracts)), datetime.now(UTC).date())
    findings = sum(1 for finding in lint.open if finding.position.path == display_path(server.contract))
    stubs = sum(len(draft.contract.get(key, ())) for key in ("tools", "resources", "prompts")) - len(draft.forwards)
    if stubs:
        yield f"write {pluralise(stubs, 'handler')} in {display_path(server.module)}"
    if handlers:
        yield f"mend {pluralise(handlers, 'problem')} of handlers (`{program_name()} check`)"
    if findings:
        yield f"decide upon {pluralise(findings, 'finding')} of lint (`{program_name()} lint`)"
    if "sources" in draft.contract and not draft.forwards:
        yield f"name the real sources in {display_path(server.contract)}"
