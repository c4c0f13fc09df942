"""Golden cases of the compiler: a folder each, from contracts to a tree or problems.

A case has `contracts/`, perhaps `handlers/`, and either `problems.txt` or `expected/`. If `expected/` has a
`manifest.json`, its files are the whole tree, else a part of it. Python files end with `.py.txt`, so that linters and
type checkers of this repository skip them.
"""

import ast
import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import toolaccord_codegen
from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.emit.output_tree import MANIFEST, add_manifest
from toolaccord_codegen.emit.render import render_tree
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.rules import catalog
from toolaccord_codegen.rules.handlers.imports import ProjectModules, check_imports
from toolaccord_codegen.rules.handlers.signatures import check_agent_handler, check_handlers

CASES = Path(__file__).parent / "cases"
NAMES = sorted(folder.name for folder in CASES.iterdir())
ACCEPT = "if that is right, accept it with: pytest tests/codegen/test_cases.py --accept"
LAYOUT = Layout(
    package="acme",
    handlers="handlers",
    sandbox=None,
    contracts="contracts",
    command="toolaccord generate --package acme",
    kubernetes=True,
)
OF_QUERIES = {rule for rule in catalog.COMPILER_RULES if rule.startswith(("PRIVILEGE_", "QUERY_"))}
TESTED_ELSEWHERE = {"ACCEPTED_NOTHING", *OF_QUERIES - {"PRIVILEGE_UNDECLARED"}}
"""Rules that need findings or a database: see tests/codegen/breaking and queries."""
RULE = re.compile(r"[A-Z]+(_[A-Z]+)+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of compiling a case: problems or a tree."""

    problems: list[str] = field(default_factory=list)
    tree: dict[str, str] = field(default_factory=dict)


def copy_input(case: Path, folder: Path) -> None:
    """Copy the input of a case to a folder, Python files under their own names."""
    for source in sorted(case.rglob("*")):
        relative = source.relative_to(case).as_posix()
        if source.is_file() and relative.startswith(("contracts/", "handlers/")):
            target = folder / relative.removesuffix(".txt")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())


def compile_case(folder: Path) -> Outcome:
    """Compile the contracts and handlers of the current folder."""
    try:
        contracts = compile_folder(Path("contracts"), acceptable=ACCEPTABLE_RULES)
    except ContractProblems as error:
        return Outcome(problems=list(map(str, error.problems)))
    if (folder / "handlers").exists():
        faults = {fault for each in contracts.contracts for fault in check_handlers(each, "handlers", [folder])}
        faults |= {fault for each in contracts.agents for fault in check_agent_handler(each, "handlers", [folder])}
        modules = ProjectModules(LAYOUT.package, render_tree(contracts, LAYOUT), "handlers", [folder])
        faults |= {*check_imports((*contracts.contracts, *contracts.agents), modules)}
        return Outcome(problems=list(map(str, sorted(faults))))
    tree = render_tree(contracts, LAYOUT)
    return Outcome(tree=add_manifest(tree, contracts.inputs, LAYOUT.contracts))


def read_expected(case: Path) -> Outcome:
    """Read the expected outcome of a case."""
    problems = case / "problems.txt"
    if problems.exists():
        return Outcome(problems=problems.read_text(encoding="utf-8").splitlines())
    files = {path.relative_to(case / "expected").as_posix(): path for path in (case / "expected").rglob("*.*")}
    return Outcome(
        tree={
            name.removesuffix(".txt") if name.endswith(".py.txt") else name: path.read_bytes().decode()
            for name, path in files.items()
            if path.is_file()
        }
    )


def accept(case: Path, found: Outcome) -> None:
    """Write an outcome as the expected one."""
    wanted = read_expected(case).tree
    is_whole = MANIFEST in wanted or not wanted
    if found.problems:
        (case / "problems.txt").write_text("".join(f"{line}\n" for line in found.problems), encoding="utf-8")
    for name, text in found.tree.items():
        if is_whole or name in wanted:
            path = case / "expected" / (f"{name}.txt" if name.endswith(".py") else name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())


def format_difference(wanted: list[str], found: list[str], name: str) -> str:
    """Format a diff of two texts with the command that accepts the second."""
    lines = difflib.unified_diff(wanted, found, f"{name} (expected)", f"{name} (now)", lineterm="")
    return "\n".join([*lines, ACCEPT])


@pytest.mark.parametrize("name", NAMES)
def test_a_case_gives_its_expected_tree_or_problems(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    copy_input(CASES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    found = compile_case(tmp_path)
    if request.config.getoption("--accept", default=False):
        accept(CASES / name, found)
    wanted = read_expected(CASES / name)
    assert found.problems == wanted.problems, format_difference(wanted.problems, found.problems, f"{name}/problems.txt")
    if MANIFEST in wanted.tree or not wanted.tree:
        assert sorted(found.tree) == sorted(wanted.tree), ACCEPT
    for path, text in wanted.tree.items():
        now = found.tree.get(path, "")
        assert now == text, format_difference(text.splitlines(), now.splitlines(), f"{name}/expected/{path}")


def find_compiler_rules() -> set[str]:
    """Find every string in the compiler's source with the syntax of a rule's id."""
    found: set[str] = set()
    source = Path(toolaccord_codegen.__file__).parent
    # The checkers list their rules themselves, and drafts have names of codes.
    others = ("breaking", "cli", "drafts", "lint", "reporting", "schema_sets")
    paths = {path for path in source.rglob("*.py") if path.relative_to(source).parts[0] not in others}
    paths |= {*(source / "cli" / "queries").rglob("*.py")}
    for path in paths - {Path(catalog.__file__)}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and RULE.fullmatch(node.value):
                found.add(node.value)
    return found


def test_every_rule_of_the_compiler_has_a_case_in_which_it_fires() -> None:
    lines = [line for path in CASES.glob("*/problems.txt") for line in path.read_text(encoding="utf-8").splitlines()]
    fired = {line.split(": ")[1] for line in lines}
    assert fired == find_compiler_rules() - TESTED_ELSEWHERE


def test_every_rule_of_the_compiler_is_in_its_table() -> None:
    assert set(catalog.COMPILER_RULES) == find_compiler_rules()
