"""The page on architecture and its pictures name files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"
FOLDERS = ("benchmarks", "codegen", "contracts", "generated", "handlers", "sandbox", "tests", "toolaccord")
LONGEST = 160
"""Lines of two printed pages."""


def test_every_path_on_the_page_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    paths = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`", text)
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("picture", ["life-of-a-contract.svg", "path-of-a-call.svg"])
def test_every_path_in_a_picture_exists(picture: str) -> None:
    assert f"]({picture})" in PAGE.read_text(encoding="utf-8")
    labels = re.findall(r">([^<]+)</text>", (ROOT / "docs" / picture).read_text(encoding="utf-8"))
    paths = [path for label in labels for path in re.findall(r"\b[a-z]+/[\w/]*", label)]
    assert paths
    assert [path for path in paths if not exists(path)] == []


def exists(path: str) -> bool:
    """Return whether a path of a picture is a folder, a module or a route."""
    library, compiler = ROOT / "toolaccord", ROOT / "codegen/toolaccord_codegen"
    candidates = [ROOT / path, library / path, library / f"{path}.py", compiler / path]
    return any(each.exists() for each in candidates) or path in {"tools/call", "mcp/tools/"}


def test_the_page_fits_two_printed_pages() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= LONGEST
