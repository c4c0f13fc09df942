"""The command `site`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolaccord.testing import progress
from toolaccord.views.document import CONTENT_SECURITY_POLICY, build_document, join_modules
from toolaccord_codegen.breaking.baseline import read_base
from toolaccord_codegen.breaking.checker import check_changes
from toolaccord_codegen.breaking.rule import Profile
from toolaccord_codegen.cli.options.site import SiteOptions
from toolaccord_codegen.cli.pyproject import NAME, read_pyproject
from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
from toolaccord_codegen.compiler import Contracts, compile_folder
from toolaccord_codegen.diagnostics import pluralise
from toolaccord_codegen.emit.output_tree import add_manifest, write_tree
from toolaccord_codegen.ir.views import ViewCopy
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.site.builder import build_site
from toolaccord_codegen.site.markdown_pages import FOLDER, read_folder
from toolaccord_codegen.site.reference import Reference
from toolaccord_codegen.site.releases import Release, read_release
from toolaccord_codegen.snapshots import read_snapshot, require_valid

COMMENT = r"<!--(?!-?>)(?:(?!--!?>).)*-->"
DOCTYPE = re.compile(rf"^(?:\ufeff?(?:[ \t\n\f\r]|{COMMENT})*<!doctype[^>]*>)?", re.IGNORECASE | re.DOTALL)
"""The start of a page as far as its doctype; empty where anything but comments is before it."""
NOW = "now"
"""The name of the present state among releases."""


def run(options: SiteOptions) -> int:
    """Write the pages, and print their number; return 1 where a link of a page leads nowhere."""
    folders = options.generate.folders
    contracts = compile_folder(folders.contracts, acceptable=ACCEPTABLE_RULES, kinds=folders.source_kinds)
    manual = read_folder(folders.project.folder / FOLDER)
    with progress.Line("Writing pages") as line:
        files = build_site(_describe(options, contracts), manual, line.show)
    tree = add_manifest(files, contracts.inputs, options.generate.layout.contracts)
    written, removed = write_tree(options.output, tree)
    print(*manual.faults, sep="\n", end="\n" if manual.faults else "")
    pages = sum(path.endswith(".html") for path in files)
    state = f"{pluralise(len(written), 'file')} written, {len(removed)} removed"
    print(f"{pluralise(pages, 'page')} in {display_path(options.output)}: {state}")
    return 1 if manual.faults else 0


def _describe(options: SiteOptions, contracts: Contracts) -> Reference:
    """Describe the contracts of a project, with what its pyproject.toml says of it."""
    folder = options.generate.folders.project.folder
    project = dict(read_pyproject(folder / NAME).unwrap().get("project", {}))
    return Reference(
        title=str(project.get("name", folder.absolute().name)),
        description=str(project.get("description", "")),
        contracts=contracts,
        layout=options.generate.layout,
        releases=list(_compare(options)),
        views={
            (contract.document.name, tool.name): _build_view(tool.view_copy)
            for contract in contracts.contracts
            for tool in contract.tools
            if tool.view_copy
        },
        host_script=join_modules(["bridge.js"]),
    )


def _build_view(view: ViewCopy) -> str:
    """Return the page of a view; that of a project gets the policy that hosts give it."""
    if view.file.endswith(".json"):
        return build_document(view.copy)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'
    return DOCTYPE.sub(lambda found: f"{found[0]}{policy}", view.copy, count=1)


def _compare(options: SiteOptions) -> Iterator[Release]:
    """Compare each earlier state with the next one, and the last with the contracts of now."""
    if not options.against:
        return
    folder = options.generate.folders.contracts
    now = require_valid(read_snapshot(folder))
    states = [*(read_base(folder, ref, now) for ref in options.against), now]
    names = [*options.against[1:], NOW]
    for old, new, after in zip(states, states[1:], names, strict=False):
        yield read_release(check_changes(old, new, Profile(options.profile), options.day.today), after)
