"""The mechanical part of plain English: openings and lengths. The rest is craft."""

import ast
import re
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "codegen", "generated", "handlers", "sandbox", "tests", "toolpact")
RIDDLE = re.compile(r"(What|Whether|Where|How|Who|Whoever|Whose|Which|When|Why)\b")
"""Openings of a relative clause, which names a thing by what is asked of it."""
UNBREAKABLE = re.compile(r"\s*(?:[-*] )?(?:!?\[[^]]*\]\(\S+\)|`[^`]*`)[.,;:]?")
"""A line that a link, a picture or a quotation of code fills."""
LONGEST_FIRST_LINE = 90
LONGEST_LINE = 120


def tracked(*patterns: str) -> list[str]:
    """Return the paths of the repository's files that match *patterns*; those of a plain copy where there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT, check=False, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    names = listed.stdout.splitlines() if listed.returncode == 0 else []
    return [name for name in names if (ROOT / name).exists() and "/cases/" not in name]


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each docstring, those below a field included."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for each in body if isinstance(body, list) else ():
            if (
                isinstance(each, ast.Expr)
                and isinstance(each.value, ast.Constant)
                and isinstance(each.value.value, str)
            ):
                yield each.lineno, each.value.value


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_docstring_begins_with_a_short_line_that_is_no_riddle(folder: str) -> None:
    wrong = []
    for name in tracked(f"{folder}/*.py"):
        for line, text in docstrings(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
            first = text.strip().partition("\n")[0]
            if RIDDLE.match(first) or len(first) > LONGEST_FIRST_LINE:
                wrong.append(f"{name}:{line}: {first}")
    assert wrong == []


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a Markdown page that are prose, with their numbers."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("|") and not UNBREAKABLE.fullmatch(line):
            yield number, line


def test_a_page_has_no_line_of_prose_above_120_characters() -> None:
    pages = chain(tracked("*.md"), tracked("docs/*.md"))
    wrong = [
        f"{name}:{number}: {len(line)} characters"
        for name in sorted(set(pages))
        for number, line in prose_lines((ROOT / name).read_text(encoding="utf-8"))
        if len(line) > LONGEST_LINE
    ]
    assert wrong == []
