"""Tests judge the servers of this repository, and none that somebody adds to it."""

import ast
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeGuard

import pytest

from tests.contracts import reading, shipped
from tests.contracts.reading import CONTRACTS, ROOT
from tests.contracts.shipped import GENERATED

FOLDERS = {"ROOT": ROOT, "CONTRACTS": CONTRACTS, "GENERATED": GENERATED}
"""Folders by the names that test modules import."""
SELECTING = {ROOT / "tests/contracts" / name for name in ("reading.py", "shipped.py", "test_shipped.py")}
NAMES = re.compile(r"\b(CONTRACTS|GENERATED)\b|\"(contracts|generated)[/\"]")
OTHERS = {"acme/books": "books-mcp", "tradestream/news": "news-mcp"}
NUMBERS = {2: "two", 13: "thirteen"}


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Plant two servers beside those of this repository, one in a system of it."""
    contracts = tmp_path / "contracts"
    shutil.copytree(CONTRACTS, contracts)
    (contracts / "acme").mkdir(exist_ok=True)
    for path, name in OTHERS.items():
        (contracts / path).with_suffix(".json").write_text(f'{{"server": {{"name": "{name}"}}}}', encoding="utf-8")
        (contracts / path).with_suffix(".accepted.json").write_text("{}", encoding="utf-8")
    for module in (reading, shipped):
        monkeypatch.setattr(module, "CONTRACTS", contracts)
    reading.all_names.cache_clear()
    yield
    reading.all_names.cache_clear()


def test_the_pages_count_and_list_the_shipped_servers() -> None:
    assert {reading.all_names()[file] for file in reading.contract_files()} == reading.shipped_names()
    servers, agents = len(reading.server_files()), len(reading.contract_files()) - len(reading.server_files())
    for page in ("README.md", "docs/servers.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"{NUMBERS[servers]} servers and {NUMBERS[agents]} agents" in text


@pytest.mark.usefixtures("planted")
def test_servers_beside_the_shipped_ones_are_left_out(tmp_path: Path) -> None:
    names = reading.all_names()
    assert set(OTHERS.values()) < set(names.values())
    assert set(OTHERS.values()).isdisjoint(names[file] for file in reading.contract_files())
    copied = shipped.copy_contracts(tmp_path / "copy")
    assert [path for path in copied.rglob("*.json") if path.stem.partition(".")[0] in {"books", "news"}] == []
    assert (copied / "tradestream/strategy.accepted.json").exists()


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(
    "path, is_others",
    [
        ("generated/acme/errors.py", True),
        ("generated/tradestream/news/server.py", True),
        ("generated/tradestream/errors.py", False),
        ("generated/tradestream/hosts/opencode.json", False),
        ("generated/manifest.json", False),
        ("handlers/acme/books.py", True),
        ("handlers/tradestream/news.py", True),
        ("handlers/tradestream/pages.py", False),
        ("tests/acme/test_books.py", True),
        ("tests/handlers/tradestream/test_news.py", True),
        ("tests/handlers/tradestream/test_strategy.py", False),
        ("toolaccord/acme/books.py", False),
    ],
)
def test_a_file_of_another_server_is_known_by_its_path(path: str, is_others: bool) -> None:  # noqa: FBT001 - a parameter
    assert shipped.belongs_to_others(ROOT / path) == is_others


def test_no_test_module_reads_a_whole_folder_that_others_add_to() -> None:
    """A module that lists contracts/ or generated/ finds the servers of others there."""
    modules = sorted(path for path in (ROOT / "tests").rglob("*.py") if "cases" not in path.parts)
    judging = [path for path in modules if path not in SELECTING and not shipped.belongs_to_others(path)]
    assert [found for path in judging for found in whole_folders(path, path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "line, is_found",
    [
        ('FILES = sorted(CONTRACTS.glob("*/*.json"))', True),
        ('FILES = (ROOT / "generated").rglob("*.py")', True),
        ('FILES = (GENERATED / "tradestream").iterdir()', True),
        ('compile_folder(Path(__file__).parents[1] / "contracts")', True),
        ('HERE = CONTRACTS / "moex"\nread_snapshot(HERE)', True),
        ('ROLES = ROOT.glob(f"generated/{system}/*.sql")', True),
        ('load(CONTRACTS / "tradestream/strategy.json")', False),
        ('load(ROOT / "contracts" / "shared.json")', False),
        ('compile_folder(tmp_path / "contracts")', False),
        ("path.relative_to(GENERATED)", False),
    ],
)
def test_a_whole_folder_is_found_in_a_module(line: str, is_found: bool) -> None:  # noqa: FBT001 - a parameter
    text = f"from tests.contracts.reading import CONTRACTS, GENERATED, ROOT\n{line}\n"
    assert bool(whole_folders(ROOT / "tests/test_it.py", text)) == is_found


def whole_folders(path: Path, text: str) -> list[str]:
    """Return the lines of a module that use contracts/ or generated/ as a whole, or a system."""
    if not NAMES.search(text):
        return []
    tree = ast.parse(text)
    known = {"__file__": path}
    for statement in tree.body:
        match statement:
            case ast.ImportFrom(module="tests.contracts.reading" | "tests.contracts.shipped", names=names):
                known |= {each.name: FOLDERS[each.name] for each in names if each.name in FOLDERS}
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if folder := resolve(value, known):
                known[name] = folder
    found = [
        child
        for parent in ast.walk(tree)
        for child in ast.iter_child_nodes(parent)
        if lists_folder(child, known) or (is_folder(child, known) and not is_harmless(parent, child))
    ]
    return [f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}" for node in found]


def resolve(node: ast.AST, known: Mapping[str, Path]) -> Path | None:
    """Return the path that an expression of a module gives; None for any other expression."""
    match node:
        case ast.Name(id=name):
            return known.get(name)
        case ast.Call(func=ast.Name(id="Path"), args=[inner]):
            return resolve(inner, known)
        case ast.Subscript(value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int(number))) if (
            path := resolve(inner, known)
        ):
            return path.parents[number]
        case ast.BinOp(left=inner, op=ast.Div(), right=ast.Constant(value=str(name))) if path := resolve(inner, known):
            return path / name
    return None


def lists_folder(node: ast.AST, known: Mapping[str, Path]) -> TypeGuard[ast.expr]:
    """Return True for ROOT.glob("generated/…")."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="glob" | "rglob"), args=[pattern]):
            return resolve(inner, known) == ROOT and bool(re.match(r"f?'(contracts|generated)/", ast.unparse(pattern)))
        case _:
            return False


def is_folder(node: ast.AST, known: Mapping[str, Path]) -> TypeGuard[ast.expr]:
    """Return True for the path of a folder that others add to."""
    path = resolve(node, known)
    return path is not None and not {path, path.parent}.isdisjoint({CONTRACTS, GENERATED}) and not path.suffix


def is_harmless(parent: ast.AST, child: ast.AST) -> bool:
    """Return True where a folder only gets a name, or is a part of another path."""
    match parent:
        case ast.BinOp(op=ast.Div(), left=left):
            return left is child
        case ast.Attribute(attr="parent") | ast.Call(func=ast.Attribute(attr="relative_to")):
            return True
        case _:
            return isinstance(parent, ast.Assign)
