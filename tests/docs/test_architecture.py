"""The pages for readers of the code, and their pictures, name files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"
MAP = ROOT / "docs/code-map.md"
FOLDERS = ("benchmarks", "codegen", "contracts", "generated", "handlers", "sandbox", "tests", "toolaccord")
LONGEST = 160
"""Lines of two printed pages."""


@pytest.mark.parametrize("page", [PAGE, MAP], ids=lambda page: page.stem)
def test_every_path_on_a_page_exists(page: Path) -> None:
    paths = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`", page.read_text(encoding="utf-8"))
    assert len(paths) > 30
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_short_path_of_the_map_lies_beside_the_one_before() -> None:
    rows = [re.findall(r"`([\w./-]+(?:\.py|/))`", row) for row in MAP.read_text(encoding="utf-8").splitlines()]
    assert [path for row in rows for path in misplaced(row)] == []


def misplaced(paths: list[str]) -> list[str]:
    """Return the short paths of a row that lie neither beside a whole one nor in it."""
    whole = [path for path in paths if path.partition("/")[0] in FOLDERS]
    places = {place for path in whole for place in (ROOT / path, (ROOT / path).parent)}
    return [path for path in paths if path not in whole and not any((place / path).exists() for place in places)]


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
