"""Writing of drafted contracts, which compile before, with a report of their differences."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from toolaccord.testing import progress
from toolaccord_codegen.cli.generate import compile_project, find_contracts_in_output
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.drafts import ImportOptions
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
from toolaccord_codegen.cli.start.database_files import check_database_files, write_database_files
from toolaccord_codegen.cli.start.draft_update import DraftedServer, format_stored, locate_stored, merge_update
from toolaccord_codegen.cli.start.loss_report import format_losses
from toolaccord_codegen.cli.start.new_files import write_file, write_packages
from toolaccord_codegen.cli.start.stubs import Server, contract_text
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
from toolaccord_codegen.loading.reading import LARGEST_FILE, read_document
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.snapshots import read_snapshot, require_valid

Drafts = Sequence[tuple[Identity, Draft]]
"""The drafts of one origin, each with its server."""


def write_draft(options: ImportOptions, origin: str, make: Callable[[Identity], Drafts]) -> int:
    """Write the contracts that *make* drafts and their other files; print what differs.

    Raises CommandError for files that exist, ContractProblems if the contracts do not compile with them.
    """
    folders = options.generate.folders
    system, name = options.server
    with progress.Line("Drafting"):
        made = make(Identity(system=system, name=name, taken=_shared_names(folders.contracts)))
        drafted = _render(options, made)
        if options.update:
            drafted = [merge_update(folders, each) for each in drafted]
            _compile_drafts(folders, {each.server.contract_name: each.contract for each in drafted})
        else:
            for each in drafted:
                _require_absent(options, each.server)
    print(escape_lines(f"{_count_parts([each.draft for each in drafted])} of {origin}"))
    for each in drafted:
        write_file(each.server.contract, each.contract)
        _write_handlers(each.server, each.handlers, replaces=options.update)
        write_database_files(folders, each)
        write_file(locate_stored(folders, each.server), each.stored)
    with progress.Line("Generating") as line:
        compiled = compile_project(options.generate, line.show)
    written, _ = write_tree(folders.output, compiled.tree, find_contracts_in_output(folders))
    refresh_schema(folders.contracts)
    print(f"wrote   {pluralise(len(written), 'generated file')} in {display_path(folders.output)}")
    losses = [*dict.fromkeys(loss for each in drafted for loss in each.draft.losses)]
    if options.report:
        report = {"origin": origin, "losses": [loss.as_json() for loss in losses]}
        write_file(options.report, f"{json.dumps(report, indent=2, ensure_ascii=False)}\n")
    print("\n".join(format_losses(losses, TerminalStyle.of(sys.stdout))))
    steps = [*_list_steps(options, drafted, len(compiled.handler_problems))]
    if steps:
        print("\nTo do:", *(f"  - {step}" for step in steps), sep="\n")
    return _report_conflicts(folders, drafted)


def _report_conflicts(folders: Folders, drafted: Sequence[DraftedServer]) -> int:
    """Print the places that both sides of an update changed; return 1 if there are any."""
    for each in drafted:
        if each.conflicts:
            stored = display_path(locate_stored(folders, each.server))
            print(f"\nYou and the original changed these; yours stays, and {stored} has the original's:")
            print(*(f"  - {escape_lines(conflict)}" for conflict in each.conflicts), sep="\n")
    return int(any(each.conflicts for each in drafted))


def _render(options: ImportOptions, made: Drafts) -> list[DraftedServer]:
    """Return drafts with the texts of their files.

    Raises ContractProblems if they do not compile together.
    """
    folders = options.generate.folders
    servers = [Server.locate(folders, (identity.system, identity.name)) for identity, _ in made]
    texts = {
        server.contract_name: format_json(draft.contract) for server, (_, draft) in zip(servers, made, strict=True)
    }
    compiled = _compile_drafts(folders, texts)
    drafted = []
    for server, (_, draft) in zip(servers, made, strict=True):
        handlers = render_handlers(compiled[server.contract_name], options.generate.layout, draft.forwards)
        stored = format_stored(draft.contract, handlers)
        contract = texts[server.contract_name]
        drafted.append(DraftedServer(server=server, draft=draft, contract=contract, handlers=handlers, stored=stored))
        check_database_files(folders, drafted[-1], compiled[server.contract_name])
    return drafted


def require_absent(options: ImportOptions) -> None:
    """Raise CommandError if the contract or the handlers exist and may not be replaced."""
    if not options.update:
        _require_absent(options, Server.locate(options.generate.folders, options.server))


def _require_absent(options: ImportOptions, server: Server) -> None:
    queries = options.generate.folders.locate_queries(server.system, server.name)
    for path in (server.contract, server.module, queries):
        if path.exists() and not options.force:
            raise CommandError(
                f"{display_path(path)} exists already; choose another name, or replace the contract with --force"
            )


def require_name(options: ImportOptions) -> None:
    """Raise ContractProblems if a server of this name does not compile beside the others."""
    folders = options.generate.folders
    server = Server.locate(folders, options.server)
    if not server.contract.exists():
        _compile_drafts(folders, {server.contract_name: contract_text(server, "draft")})


def _compile_drafts(folders: Folders, texts: Mapping[str, str]) -> Mapping[str, Contract]:
    """Compile the contracts folder with drafts in it, in a copy; return their records by name.

    Raises ContractProblems, with the paths of the real folder, and CommandError for a draft that is too large.
    """
    folder = folders.contracts
    with TemporaryDirectory(prefix="toolaccord-") as place:
        copy = Path(place) / folder.name
        if folder.is_dir():
            shutil.copytree(folder, copy, symlinks=True)
        for name, text in texts.items():
            content = text.encode()
            if len(content) > LARGEST_FILE:
                raise CommandError(f"{name} would have {len(content):,} bytes of {LARGEST_FILE:,}; select fewer tools")
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(content)
        try:
            compiled = compile_folder(copy, acceptable=ACCEPTABLE_RULES, kinds=folders.source_kinds)
        except ContractProblems as error:
            shown = {display_path(copy): display_path(folder)}
            raise ContractProblems([_move(problem, shown) for problem in error.problems]) from None
    return {each.document.name: each for each in compiled.contracts if each.document.name in texts}


def _move(problem: Problem, shown: dict[str, str]) -> Problem:
    """Return a problem at its path below another folder."""
    for old, new in shown.items():
        problem = replace(
            problem, path=problem.path.replace(old, new), sentence=problem.sentence.replace(f"{old}/", f"{new}/")
        )
    return problem


def _shared_names(folder: Path) -> frozenset[str]:
    """Return the names of schemas in files that contracts share. Raises ContractProblems."""
    problems: list[Problem] = []
    shared = filter(is_shared_file, list_json_files(folder) if folder.is_dir() else ())
    found = [read_document(folder / name, name, problems) for name in shared]
    if problems:
        raise ContractProblems(problems)
    return frozenset(name for each in found if each for name in as_object(as_object(each.value).get("$defs")))


def _count_parts(drafts: Sequence[Draft]) -> str:
    """Return the numbers of drafted tools, resources and prompts as text."""
    parts = {"tool": "tools", "resource": "resources", "prompt": "prompts"}
    totals = {noun: sum(len(draft.contract.get(key, ())) for draft in drafts) for noun, key in parts.items()}
    found = [pluralise(number, noun) for noun, number in totals.items() if number]
    split = f" in {len(drafts)} contracts" if len(drafts) > 1 else ""
    return f"drafted {', '.join(found)}{split}"


def _write_handlers(server: Server, text: str, *, replaces: bool) -> None:
    """Write the module of handlers and the packages around it, unless it exists and stays."""
    if server.module.exists() and not replaces:
        print(f"kept    {display_path(server.module)}")
        return
    write_packages(server)
    write_file(server.module, text)


def _list_steps(options: ImportOptions, drafted: Sequence[DraftedServer], handlers: int) -> Iterator[str]:
    """Yield the next steps of the author."""
    lint = lint_snapshot(require_valid(read_snapshot(options.generate.folders.contracts)), datetime.now(UTC).date())
    paths = {display_path(each.server.contract) for each in drafted}
    findings = sum(1 for finding in lint.open if finding.position.path in paths)
    for each in drafted:
        if stubs := each.handlers.count("raise NotImplementedError("):
            yield f"write {pluralise(stubs, 'handler')} in {display_path(each.server.module)}"
    if handlers:
        yield f"mend {pluralise(handlers, 'problem')} of handlers (`{program_name()} check`)"
    if findings:
        yield f"decide upon {pluralise(findings, 'finding')} of lint (`{program_name()} lint`)"
    for each in drafted:
        if "sources" in each.draft.contract and not each.draft.forwards:
            yield f"name the real sources in {display_path(each.server.contract)}"
