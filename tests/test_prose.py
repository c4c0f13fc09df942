"""The mechanical part of plain English: openings and lengths. The rest is craft."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.shipped import belongs_to_others
from tests.contracts.statements import statements

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "codegen", "generated", "handlers", "sandbox", "tests", "toolaccord")
RIDDLE = re.compile(r"(What|Whether|Where|How|Who|Whoever|Whose|Which|When|Why)\b")
"""Openings of a relative clause, which names a thing by what is asked of it."""
UNBREAKABLE = re.compile(r"\s*(?:[-*] )?(?:!?\[[^]]*\]\(\S+\)|`[^`]*`)[.,;:]?")
"""A line that a link, a picture or a quotation of code fills."""
LONGEST_FIRST_LINE = 90
LONGEST_LINE = 120


def modules(folder: str) -> list[Path]:
    """Return the Python files of *folder*, without golden cases and other servers."""
    return sorted(
        path for path in (ROOT / folder).rglob("*.py") if "cases" not in path.parts and not belongs_to_others(path)
    )


@cache
def docstrings(path: Path) -> list[tuple[int, str]]:
    """Return the line and text of each docstring of a file, those below a field included."""
    return [
        (node.lineno, node.value.value)
        for node in statements(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_docstring_begins_with_a_short_plain_line(folder: str) -> None:
    wrong = []
    for path in modules(folder):
        for line, text in docstrings(path):
            first = text.strip().partition("\n")[0]
            if RIDDLE.match(first) or len(first) > LONGEST_FIRST_LINE:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {first}")
    assert wrong == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_docstring_has_no_line_above_120_characters(folder: str) -> None:
    wrong = []
    for path in modules(folder):
        lines = path.read_text(encoding="utf-8").splitlines()
        if any(len(line) > LONGEST_LINE for line in lines):
            found = [(first, first + text.count("\n")) for first, text in docstrings(path)]
            numbers = (number for first, last in found for number in range(first, last + 1))
            wrong += [
                f"{path.relative_to(ROOT)}:{number}" for number in numbers if len(lines[number - 1]) > LONGEST_LINE
            ]
    assert wrong == []


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a Markdown page that are prose, with their numbers."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("|") and not UNBREAKABLE.fullmatch(line):
            yield number, line


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_every_example_on_a_page_ends() -> None:
    fences = {page: re.findall(r"^ *```(\w*)", page.read_text(encoding="utf-8"), re.MULTILINE) for page in PAGES}
    assert [page.name for page, found in fences.items() if len(found) % 2 or any(found[1::2])] == []


def test_a_page_has_no_line_of_prose_above_120_characters() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {len(line)} characters"
        for path in PAGES
        for number, line in prose_lines(path.read_text(encoding="utf-8"))
        if len(line) > LONGEST_LINE
    ]
    assert wrong == []


def test_the_changelog_says_nothing_twice() -> None:
    entries = re.findall(r"^- .*\n(?: +.*\n)*", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [entry for entry in entries if entries.count(entry) > 1] == []


def test_no_page_or_message_installs_the_product_by_its_name_which_no_index_has() -> None:
    files = [*PAGES, *(ROOT / "toolaccord").rglob("*.py"), *(ROOT / "codegen").rglob("*.py")]
    command = re.compile(
        r"(pip|uv) (pip )?install [^\n]*['\"\s](toolaccord|toolaccord-codegen)(\[|['\"\s]|$)", re.MULTILINE
    )
    assert [str(path) for path in files if command.search(path.read_text(encoding="utf-8"))] == []


def _anchor(heading: str) -> str:
    """Return the name under which GitHub shows a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        if not re.match(r"[a-z]+:", link):
            target = page.parent / path if path else page
            assert target.exists(), link
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
            assert not anchor or anchor in map(_anchor, headings), link
