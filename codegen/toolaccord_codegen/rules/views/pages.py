"""Rules for pages of the project as views, for which hosts load nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser

from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document, resolve_path
from toolaccord_codegen.loading.static_files import StaticFile, list_static_files

LARGEST_PAGE = 2**19
"""Most bytes of a page; a host reads it before it shows anything."""
LOADING = {
    **dict.fromkeys(("audio", "embed", "frame", "iframe", "input", "script", "track"), ("src",)),
    **dict.fromkeys(("img", "source"), ("src", "srcset")),
    **dict.fromkeys(("feimage", "image", "use"), ("href", "xlink:href")),
    "body": ("background",),
    "link": ("href",),
    "object": ("data",),
    "video": ("src", "poster"),
}
"""Attributes that name what an element loads, by its name."""
INSIDE = ("data:", "#", "about:")
"""Beginnings of addresses for which nothing is loaded."""
_IN_STYLES = re.compile(
    r"""(?:@import\s+(?:url\(\s*)?|url\(\s*|image-set\(\s*)["']?(?!["']|url\(|data:|#)([^"')\s;]+)""", re.IGNORECASE
)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def check_pages(document: Document, files: Mapping[str, StaticFile]) -> Iterator[Problem]:
    """Yield pages of views that are too large, or that load something; *files* are by path."""
    for at, holder, file in list_static_files(document):
        page = files.get(resolve_path(document, file))
        if holder.get("kind") != "html" or page is None:
            continue
        if len(page.content) > LARGEST_PAGE:
            sentence = (
                f'"{file}" has {len(page.content)} bytes, and a host reads at most {LARGEST_PAGE}; make it smaller'
            )
            yield document.problem(at, "VIEW_PAGE", sentence)
        for line, address in _list_loaded(page.content.decode()):
            shown = address if len(address) <= 60 else f"{address[:57]}..."
            sentence = (
                f'"{file}" loads {shown} in line {line}, and hosts let a view load nothing; '
                "write it into the page, or as a data: URL"
            )
            yield document.problem(at, "VIEW_PAGE", sentence)


def _list_loaded(text: str) -> list[tuple[int, str]]:
    """Return the addresses that a page loads, with their lines."""
    reader = _PageReader()
    reader.feed(text)
    reader.close()
    return reader.loaded


class _PageReader(HTMLParser):
    """Finds what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[tuple[int, str]] = []
        """Addresses, with their lines."""
        self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read the attributes of an element."""
        self._is_style = tag == "style"
        for name, value in attrs:
            if name == "style":
                self._read_style(value or "")
            elif name in LOADING.get(tag, ()) and value and not value.strip().lower().startswith(INSIDE):
                self.loaded.append((self.getpos()[0], value.strip()))

    def handle_data(self, data: str) -> None:
        """Read a text, which may be a style."""
        if self._is_style:
            self._read_style(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave a style."""
        self._is_style = self._is_style and tag != "style"

    def _read_style(self, styles: str) -> None:
        text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), styles)
        for found in _IN_STYLES.finditer(text):
            line = self.getpos()[0] + text.count("\n", 0, found.start())
            self.loaded.append((line, found[1]))
