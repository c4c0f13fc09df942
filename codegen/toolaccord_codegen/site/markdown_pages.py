"""The Markdown of a project as pages: links, anchors and pictures checked and rewritten."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from toolaccord_codegen.diagnostics import escape_unprintable
from toolaccord_codegen.loading.regular_files import read_regular_file, read_utf8
from toolaccord_codegen.site.templating import highlight_code, show_hidden

FOLDER = "docs"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page."""

    level: int
    anchor: str
    text: str


@dataclass(slots=True)
class MarkdownPage:
    """A page of Markdown."""

    name: str
    """Its path in the folder, e.g. decisions/0001.md."""
    tokens: list[Token]
    headings: list[Heading] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Return its first heading, or its name."""
        return next((each.text for each in self.headings if each.level == 1), self.name)

    @property
    def summary(self) -> str:
        """Return its first paragraph as text; empty without one."""
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        return next((_read_text(inline.children or []) for each, inline in pairs if each.type == "paragraph_open"), "")

    @property
    def target(self) -> str:
        """Return its path in the site."""
        return f"{FOLDER}/{self.name.removesuffix('.md')}.html"


@dataclass(frozen=True, slots=True)
class MarkdownFolder:
    """The pages of a folder, with the other files that they show or link to."""

    folder: Path
    parser: MarkdownIt
    pages: Mapping[str, MarkdownPage]
    files: dict[str, bytes] = field(default_factory=dict)
    """Contents of pictures and other files by their path in the site."""
    faults: list[str] = field(default_factory=list)
    """Links that lead nowhere."""

    def render(self, page: MarkdownPage) -> Markup:
        """Return the content of a page, with links that work in the site."""
        for token in _walk(page.tokens):
            if token.type == "link_open":
                self._rewrite(page, token, "href")
            elif token.type == "image":
                self._rewrite(page, token, "src")
        return Markup(self.parser.renderer.render(page.tokens, self.parser.options, {}))  # noqa: S704 - escapes

    def _rewrite(self, page: MarkdownPage, token: Token, attribute: str) -> None:
        """Point a link or a picture to its place in the site."""
        given = str(token.attrs[attribute])
        parts = urlsplit(given)
        if parts.scheme or parts.netloc:
            token.meta["outside"] = True
            return
        name = self._locate(page, unquote(parts.path))
        linked = self.pages.get(name)
        target = linked.target if linked else self._copy(name)
        if linked and parts.fragment and unquote(parts.fragment) not in {each.anchor for each in linked.headings}:
            target = None
        if target is None:
            if linked or not posixpath.exists(self.folder / name):  # False for a path that no file can have, too
                self.faults.append(escape_unprintable(f"{FOLDER}/{page.name}: {given} leads nowhere"))
            token.meta["missing"] = True
            return
        relative = quote(posixpath.relpath(target, posixpath.dirname(page.target)))
        token.attrs[attribute] = f"{relative}#{parts.fragment}" if parts.fragment else relative

    def _locate(self, page: MarkdownPage, path: str) -> str:
        """Return the path in the folder of a linked file; the whole path of one outside of it."""
        if not path:
            return page.name
        folder = (self.folder.parent.resolve() / self.folder.name).as_posix()
        found = posixpath.normpath(posixpath.join(folder, posixpath.dirname(page.name), path))
        return found.removeprefix(f"{folder}/")

    def _copy(self, name: str) -> str | None:
        """Copy a file of the folder; None for a folder and for a file elsewhere."""
        path = self.folder / name
        if not posixpath.isfile(path) or not path.resolve().is_relative_to(self.folder.resolve()):
            return None
        target = f"{FOLDER}/{name}"
        self.files[target] = read_regular_file(path.resolve())
        return target


def read_folder(folder: Path) -> MarkdownFolder:
    """Read every page of a folder; none where there is no folder."""
    parser = _make_parser()
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md") if path.is_file())
    pages = {name: _read_page(parser, folder, name) for name in names}
    return MarkdownFolder(folder, parser, pages)


def _read_page(parser: MarkdownIt, folder: Path, name: str) -> MarkdownPage:
    """Read a page, and give its headings the anchors that GitHub gives them."""
    lines = read_utf8(folder / name).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    page = MarkdownPage(name, parser.parse(show_hidden(lines)))
    seen: dict[str, int] = {}
    for token, inline in zip(page.tokens, page.tokens[1:], strict=False):
        if token.type == "heading_open":
            text = _read_text(inline.children or [])
            anchor = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            token.attrSet("id", _number(anchor, seen))
            page.headings.append(Heading(int(token.tag[1]), str(token.attrs["id"]), text))
    return page


def _number(anchor: str, seen: dict[str, int]) -> str:
    """Return an anchor with the first number that makes it the only one of its page."""
    unique = anchor
    while unique in seen:
        seen[anchor] += 1
        unique = f"{anchor}-{seen[anchor]}"
    seen[unique] = 0
    return unique


def _read_text(tokens: Sequence[Token]) -> str:
    """Return the text of inline tokens."""
    texts = {"softbreak": " ", "hardbreak": " "}
    return "".join(
        each.content if each.type in {"text", "code_inline"} else texts.get(each.type, "") for each in tokens
    )


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens with those inside them."""
    for token in tokens:
        yield token
        yield from _walk(token.children or [])


def _make_parser() -> MarkdownIt:
    """Make a parser of CommonMark with tables, in which HTML is text and code has colours."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for name, rule in RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _render_code(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    return str(highlight_code(token.content, token.info.split(" ")[0].strip()))


def _render_html(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """Render HTML as text; comments are for authors."""
    return str(escape(re.sub(r"<!--.*?-->\n?", "", tokens[index].content, flags=re.DOTALL)))


def _render_link(renderer: Any, tokens: Sequence[Token], index: int, options: Any, _env: Any) -> str:
    """Render the start of a link; one that leads out of the site opens nothing with our rights."""
    token = tokens[index]
    if "missing" in token.meta:
        return "<a>"
    if "outside" in token.meta:
        token.attrSet("rel", "noopener noreferrer")
    return str(renderer.renderToken(tokens, index, options, _env))


def _render_image(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Render a picture; one on another machine is a link, because pages load nothing from there."""
    token = tokens[index]
    text = renderer.renderInlineAsText(token.children or [], options, env)
    source = str(token.attrs["src"])
    if "missing" in token.meta:
        return str(escape(text))
    if "outside" in token.meta and not source.startswith("data:"):
        return str(Markup('<a href="{}" rel="noopener noreferrer">{}</a>').format(source, text or source))
    return str(Markup('<img src="{}" alt="{}" loading="lazy">').format(source, text))


def _render_table(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """Render the start or the end of a table, which scrolls where it is too wide."""
    opens = tokens[index].type == "table_open"
    return '<div class="scroll" tabindex="0"><table>' if opens else "</table></div>\n"


RULES: Mapping[str, Any] = {
    "fence": _render_code,
    "code_block": _render_code,
    "html_block": _render_html,
    "html_inline": _render_html,
    "link_open": _render_link,
    "image": _render_image,
    "table_open": _render_table,
    "table_close": _render_table,
}
