"""Pages of the site: content, place and headings of each, inside the frame that all share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from markupsafe import Markup

from toolaccord_codegen.site.markdown_pages import Heading
from toolaccord_codegen.site.templating import render

REFERENCE = "reference"
MANUAL = "manual"
HEADING = re.compile(r'<h([23]) id="([^"]*)">(.*?)</h\1>', re.DOTALL)

Link = tuple[str, str]
"""A title with the path of its page in the site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page without its frame."""

    path: str
    """Its path in the site."""
    title: str
    tab: str
    content: Markup
    parent: str = ""
    """The page below whose entry the side shows the siblings."""
    siblings: Sequence[Link] = ()
    crumbs: Sequence[Link] = ()
    view: tuple[str, str] | None = None
    """Path and content of the view that it shows."""

    @property
    def root(self) -> str:
        """Return the relative path to the root of the site."""
        return root_of(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Entries at the side of a page, below a title."""

    title: str
    pages: Sequence[Link]
    is_closed: bool = False
    """True for a group that is closed on other pages than its own."""

    def holds(self, path: str) -> bool:
        """Return True if a page is in the group."""
        return any(path == each for _, each in self.pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The parts around the content of every page."""

    title: str
    tabs: Sequence[tuple[str, str, str]]
    """Title, page and name of each part of the site."""
    groups: Mapping[str, Sequence[Group]]
    """The entries at the side, by the name of the part."""

    def render(self, page: Page) -> str:
        """Return a whole page."""
        around = {"page": page, "root": page.root}
        return render(
            "page",
            **around,
            site_title=self.title,
            tabs=self.tabs,
            nav=render("nav", **around, groups=self.groups[page.tab]),
            headings=list(list_headings(page.content)),
        )


def root_of(path: str) -> str:
    """Return the relative path from a page to the root of the site."""
    return "../" * path.count("/")


def list_headings(content: str) -> Iterable[Heading]:
    """List the headings of the second and third level."""
    for level, anchor, inner in HEADING.findall(content):
        yield Heading(int(level), unescape(anchor), unescape(re.sub(r"<[^>]+>", "", inner)).strip())
