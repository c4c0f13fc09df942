"""Pages of Markdown are read as their authors mean them, whoever's editor wrote them."""

import re
from pathlib import Path

import pytest

from tests.codegen.conftest import Command


@pytest.fixture
def docs(shop: Path) -> Path:
    """The empty folder of pages of a project."""
    folder = shop / "docs"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_a_page_is_the_same_with_other_ends_of_lines_and_a_mark_at_its_start(
    docs: Path, command: Command, end: bytes
) -> None:
    lines = b"# Title\n\n- one\n- two\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    (docs / "page.md").write_bytes(lines)
    assert command("site")[0] == 0
    page = docs.parent / "site/docs/page.html"
    plain = page.read_bytes()
    (docs / "page.md").write_bytes(b"\xef\xbb\xbf" + lines.replace(b"\n", end))
    assert command("site")[1].endswith(": 0 files written, 0 removed\n")
    assert page.read_bytes() == plain


def test_a_link_that_leaves_the_folder_and_returns_leads_to_the_page(docs: Path, command: Command) -> None:
    (docs / "inner").mkdir()
    (docs / "inner/a.md").write_text("# A\n\n[b](../../docs/b.md#b) ![y](../../docs/p.png)\n", encoding="utf-8")
    (docs / "b.md").write_text("# B\n\n[a](../docs/inner/a.md)\n", encoding="utf-8")
    (docs / "p.png").write_bytes(b"\x89PNG")
    assert command("site")[0] == 0
    page = (docs.parent / "site/docs/inner/a.html").read_text(encoding="utf-8")
    assert '<a href="../b.html#b">b</a>' in page
    assert '<img src="../p.png"' in page
    assert (docs.parent / "site/docs/p.png").read_bytes() == b"\x89PNG"
    assert '<a href="inner/a.html">a</a>' in (docs.parent / "site/docs/b.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("link", ["%00", "a" * 300, "%00/../%00.md"])
def test_a_link_that_no_file_can_have_leads_nowhere(docs: Path, command: Command, link: str) -> None:
    (docs / "page.md").write_text(f"# Page\n\n[x]({link})\n", encoding="utf-8")
    code, output = command("site")
    assert (code, output.splitlines()[0]) == (1, f"docs/page.md: {link} leads nowhere")


def test_headings_have_an_id_each(docs: Path, command: Command) -> None:
    (docs / "page.md").write_text("## x\n\n## x\n\n## x 1\n\n## x\n\n[last](#x-2)\n", encoding="utf-8")
    assert command("site")[0] == 0
    page = (docs.parent / "site/docs/page.html").read_text(encoding="utf-8")
    assert re.findall(r'<h2 id="(x[^"]*)"', page) == ["x", "x-1", "x-1-1", "x-2"]
