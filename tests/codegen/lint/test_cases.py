"""Golden cases of the linter: a folder each, named after its rule with an optional suffix.

`findings.txt` lists the findings in `contracts/`. The rule has no finding in `allowed/`.
`fixed/` has the files that `--fix` changes, where it can fix the finding.
"""

import shutil
from datetime import date
from pathlib import Path

import pytest

from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.lint.catalog import RULES
from toolaccord_codegen.lint.fixes import fix_snapshot
from toolaccord_codegen.lint.linter import Finding, lint_snapshot
from toolaccord_codegen.snapshots import read_snapshot, require_valid

CASES = Path(__file__).parent / "cases"
NAMES = sorted(folder.name for folder in CASES.iterdir())
FIXABLE = [name for name in NAMES if (CASES / name / "fixed").exists()]
TODAY = date(2027, 1, 1)
ACCEPT = "if that is right, accept it with: pytest tests/codegen/lint/test_cases.py --accept"


def rule_of(name: str) -> str:
    """Return the rule of a case: the longest one that its name starts with."""
    return max((rule for rule in RULES if name.upper().startswith(rule)), key=len)


def findings_in(folder: str) -> list[Finding]:
    """Return the findings in a folder of the current case."""
    return list(lint_snapshot(require_valid(read_snapshot(Path(folder))), TODAY).findings)


def describe(finding: Finding) -> str:
    """Return a finding as a line of `findings.txt`."""
    return f"{finding.position}: {finding.issue.rule}: {finding.issue.message} [{finding.fingerprint}]"


def read_files(folder: Path) -> dict[str, bytes]:
    """Return every JSON file of a folder by its relative path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.json")}


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make the folder of a case the current one."""
    monkeypatch.chdir(CASES / request.param)
    return str(request.param)


def test_a_case_has_the_expected_findings(case: str, request: pytest.FixtureRequest) -> None:
    actual = [describe(finding) for finding in findings_in("contracts")]
    expected = Path("findings.txt")
    if request.config.getoption("--accept", default=False):
        expected.write_text("".join(f"{line}\n" for line in actual), encoding="utf-8")
    assert actual == expected.read_text(encoding="utf-8").splitlines(), ACCEPT
    assert rule_of(case) in {finding.issue.rule for finding in findings_in("contracts")}


def test_the_rule_of_a_case_allows_its_allowed_contracts(case: str) -> None:
    assert rule_of(case) not in {finding.issue.rule for finding in findings_in("allowed")}


@pytest.mark.usefixtures("case")
def test_fixes_give_the_files_of_the_case(request: pytest.FixtureRequest) -> None:
    before = read_snapshot(Path("contracts"))
    changed_files = fix_snapshot(before, TODAY).changed_files(before)
    fixed = Path("fixed")
    if request.config.getoption("--accept", default=False):
        shutil.rmtree(fixed, ignore_errors=True)
        for name, content in changed_files.items():
            (fixed / name).parent.mkdir(parents=True, exist_ok=True)
            (fixed / name).write_bytes(content)
    assert changed_files == (read_files(fixed) if fixed.exists() else {}), ACCEPT


@pytest.mark.parametrize("name", FIXABLE)
def test_fixed_contracts_compile_and_have_no_such_finding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASES / name)
    assert compile_folder(Path("fixed")).contracts
    assert rule_of(name) not in {finding.issue.rule for finding in findings_in("fixed")}


def test_every_rule_has_a_case_and_every_fixable_rule_a_fixed_one() -> None:
    assert {rule_of(name) for name in NAMES} == set(RULES)
    assert {rule_of(name) for name in FIXABLE} == {name for name, rule in RULES.items() if rule.is_fixable}


def test_the_compiler_accepts_every_case(case: str) -> None:
    """An error of the compiler needs no lint rule."""
    try:
        compile_folder(Path("contracts"))
    except ContractProblems as error:
        pytest.fail(f"{case}: {error}")
