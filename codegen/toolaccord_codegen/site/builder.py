"""The whole site as files."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from itertools import chain

from toolaccord_codegen.emit.render import Show
from toolaccord_codegen.site.markdown_pages import FOLDER, MarkdownFolder
from toolaccord_codegen.site.pages import MANUAL, REFERENCE, Frame, Group, Link, Page, root_of
from toolaccord_codegen.site.reference import CHANGES, ERRORS, Reference, agent_path, server_path
from toolaccord_codegen.site.search import ASSET, Entry, format_index
from toolaccord_codegen.site.templating import quote_path, render

OVERVIEW = f"{FOLDER}/index.html"
ASSETS = ("site.css", "site.js", "theme.js")
HOST = "views.js"
"""The script that shows views in their pages."""

Files = dict[str, str | bytes]
"""Contents by path in the site."""


def build_site(reference: Reference, manual: MarkdownFolder, show: Show) -> Files:
    """Build every file; the same input gives the same bytes. *show* is told of each page."""
    frame = _build_frame(reference, manual)
    built: Files = {}
    most = reference.page_count + len(manual.pages) + _lacks_overview(manual)
    for number, page in enumerate(chain(reference.list_pages(), _list_manual(manual))):
        show(number, most, page.path)
        built |= {page.path: frame.render(page)} | dict([page.view] if page.view else [])
    built |= manual.files
    built |= {f"assets/{name}": _read_asset(name) for name in ASSETS}
    built[ASSET] = format_index([*reference.list_entries(), *_list_manual_entries(manual)])
    if reference.views:
        built[f"assets/{HOST}"] = f"(() => {{\n{reference.host_script}\n{_read_asset(HOST)}}})();\n"
    return dict(sorted(built.items()))


def _read_asset(name: str) -> str:
    """Read a file that pages load."""
    return files("toolaccord_codegen.site").joinpath("assets", name).read_text(encoding="utf-8")


def _build_frame(reference: Reference, manual: MarkdownFolder) -> Frame:
    """Build what surrounds every page."""
    tabs = [("Reference", "index.html", REFERENCE), *([("Documentation", OVERVIEW, MANUAL)] if manual.pages else [])]
    groups = {REFERENCE: list(_list_reference_groups(reference)), MANUAL: list(_list_manual_groups(manual))}
    return Frame(title=reference.title, tabs=tabs, groups=groups)


def _list_reference_groups(reference: Reference) -> Iterator[Group]:
    """List the servers and agents of each system, then the pages about all."""
    contracts = reference.contracts
    for system in contracts.systems:
        servers = [(each.title, server_path(each)) for each in contracts.contracts if each.system == system]
        agents = [(each.title, agent_path(each)) for each in contracts.agents if each.system == system]
        yield Group(title=system, pages=[*servers, *agents])
    changes = [("Changes between releases", CHANGES)] if reference.releases else []
    yield Group(title="All servers", pages=[("Errors", ERRORS), *changes])


def _list_manual_groups(manual: MarkdownFolder) -> Iterator[Group]:
    """List the pages of each folder; those of inner folders are closed."""
    folders: dict[str, list[Link]] = {}
    for name, page in manual.pages.items():
        folders.setdefault(name.rpartition("/")[0], []).append((page.title, page.target))
    for folder, pages in sorted(folders.items()):
        if not folder:
            pages.sort(key=lambda link: link[0].lower())
        title = folder.rpartition("/")[2].replace("-", " ").capitalize()
        yield Group(title=title or "Documentation", pages=pages, is_closed=bool(folder))


def _lacks_overview(manual: MarkdownFolder) -> bool:
    """Tell if a folder has pages, and none to begin with."""
    return bool(manual.pages) and OVERVIEW not in {page.target for page in manual.pages.values()}


def _list_manual(manual: MarkdownFolder) -> Iterator[Page]:
    """List the pages of Markdown, with an overview where the folder has none."""
    groups = list(_list_manual_groups(manual))
    if _lacks_overview(manual):
        summaries = {page.target: page.summary for page in manual.pages.values()}
        content = render("manual", groups=groups, summaries=summaries, root=root_of(OVERVIEW))
        yield Page(path=OVERVIEW, title="Documentation", tab=MANUAL, content=content)
    for page in manual.pages.values():
        yield Page(path=page.target, title=page.title, tab=MANUAL, content=manual.render(page))


def _list_manual_entries(manual: MarkdownFolder) -> Iterator[Entry]:
    """List the pages of Markdown and their headings."""
    for page in manual.pages.values():
        target = quote_path(page.target)
        yield Entry(page.title, "page", target, "Documentation", page.summary)
        for heading in page.headings:
            if heading.level in {2, 3}:
                yield Entry(heading.text, "section", f"{target}#{quote_path(heading.anchor)}", page.title)
