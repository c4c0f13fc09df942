"""Golden cases: a folder each, contracts in; a tree, or what the compiler complains about, out.

A case has `contracts/`, perhaps `handlers/`, and either `problems.txt` or `expected/`. With a `manifest.json` among
them, the files of `expected/` are the whole tree, else those that the case is about. A Python file bears `.txt` behind
its name, so that the tools that judge this repository leave it alone.
"""

import ast
import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import codegen
from codegen.cli.rules import SUPPRESSIBLE_RULES
from codegen.compiler import compile_folder
from codegen.diagnostics import ContractProblems
from codegen.emit import mcp_registry
from codegen.emit.output_tree import MANIFEST, with_manifest
from codegen.emit.render import rendered
from codegen.ir.layout import Layout
from codegen.rules import catalog
from codegen.rules.handlers import check_handlers

CASES = Path(__file__).parent / "cases"
NAMES = sorted(folder.name for folder in CASES.iterdir())
ACCEPT = "if that is right, accept it with: pytest tests/codegen/test_cases.py --accept"
LAYOUT = Layout(
    package="acme",
    handlers="handlers",
    sandbox=None,
    contracts="contracts",
    command="python -m codegen generate --package acme",
)
JUDGED = {"ACCEPTED_NOTHING"}
"""Rules that ask what a judge has found: see tests/codegen/breaking."""
RULE = re.compile(r"[A-Z]+(_[A-Z]+)+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the compiler made of a case."""

    problems: list[str] = field(default_factory=list)
    tree: dict[str, str] = field(default_factory=dict)


def laid_out(case: Path, place: Path) -> None:
    """Copy the input of a case to where it is compiled, Python files under their own names."""
    for source in sorted(case.rglob("*")):
        relative = source.relative_to(case).as_posix()
        if source.is_file() and relative.startswith(("contracts/", "handlers/")):
            target = place / relative.removesuffix(".txt")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())


def outcome(place: Path) -> Outcome:
    """Compile the folder that is current."""
    try:
        contracts = compile_folder(Path("contracts"), suppressible=SUPPRESSIBLE_RULES)
    except ContractProblems as error:
        return Outcome(problems=list(map(str, error.problems)))
    if (place / "handlers").exists():
        faults = {fault for each in contracts.contracts for fault in check_handlers(each, "handlers", [place])}
        return Outcome(problems=list(map(str, sorted(faults))))
    tree = rendered(contracts, LAYOUT)
    return Outcome(tree=with_manifest(tree, [*contracts.documents, *contracts.protocols], LAYOUT.contracts))


def expected(case: Path) -> Outcome:
    """What a case says must come out."""
    complaints = case / "problems.txt"
    if complaints.exists():
        return Outcome(problems=complaints.read_text(encoding="utf-8").splitlines())
    files = {path.relative_to(case / "expected").as_posix(): path for path in (case / "expected").rglob("*.*")}
    return Outcome(
        tree={name.removesuffix(".txt"): path.read_bytes().decode() for name, path in files.items() if path.is_file()}
    )


def accept(case: Path, found: Outcome) -> None:
    """Make what came out what must come out."""
    wanted = expected(case).tree
    whole = MANIFEST in wanted or not wanted
    if found.problems:
        (case / "problems.txt").write_text("".join(f"{line}\n" for line in found.problems), encoding="utf-8")
    for name, text in found.tree.items():
        if whole or name in wanted:
            path = case / "expected" / (f"{name}.txt" if name.endswith(".py") else name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())


def difference(wanted: list[str], found: list[str], name: str) -> str:
    """Two texts compared, and how to accept the second."""
    lines = difflib.unified_diff(wanted, found, f"{name} (expected)", f"{name} (now)", lineterm="")
    return "\n".join([*lines, ACCEPT])


@pytest.mark.parametrize("name", NAMES)
def test_a_case_comes_out_as_it_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    laid_out(CASES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    found = outcome(tmp_path)
    if request.config.getoption("--accept", default=False):
        accept(CASES / name, found)
    wanted = expected(CASES / name)
    assert found.problems == wanted.problems, difference(wanted.problems, found.problems, f"{name}/problems.txt")
    if MANIFEST in wanted.tree or not wanted.tree:
        assert sorted(found.tree) == sorted(wanted.tree), ACCEPT
    for path, text in wanted.tree.items():
        now = found.tree.get(path, "")
        assert now == text, difference(text.splitlines(), now.splitlines(), f"{name}/expected/{path}")


def rules_of_the_compiler() -> set[str]:
    """Every string of the compiler's source that has the form of a rule's id, and is not the name of a variable."""
    found: set[str] = set()
    source = Path(codegen.__file__).parent
    others = ("breaking", "cli", "lint", "reporting", "schema_sets")  # the checkers list their rules themselves
    paths = {path for path in source.rglob("*.py") if path.relative_to(source).parts[0] not in others}
    for path in paths - {Path(catalog.__file__)}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and RULE.fullmatch(node.value):
                found.add(node.value)
    return found - {mcp_registry.TOKEN}


def test_every_rule_of_the_compiler_has_a_case_in_which_it_fires() -> None:
    lines = [line for path in CASES.glob("*/problems.txt") for line in path.read_text(encoding="utf-8").splitlines()]
    fired = {line.split(": ")[1] for line in lines}
    assert fired == rules_of_the_compiler() - JUDGED


def test_every_rule_of_the_compiler_is_in_its_table() -> None:
    assert set(catalog.COMPILER_RULES) == rules_of_the_compiler()
