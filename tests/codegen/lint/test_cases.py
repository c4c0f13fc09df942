"""Golden cases of the lint: a folder each, named after its rule, in small letters, and perhaps what it shows of it.

`contracts/` is what the rule has something against, at the places that `findings.txt` says; it has nothing against `spared/`.
`fixed/` is what `--fix` makes of the first, where it can mend it.
"""

import shutil
from datetime import date
from pathlib import Path

import pytest

from codegen.compiler import compile_folder
from codegen.diagnostics import ContractProblems
from codegen.lint.catalog import RULES
from codegen.lint.fixes import mended
from codegen.lint.linter import Finding, linted
from codegen.snapshots import read_snapshot, require_valid

CASES = Path(__file__).parent / "cases"
NAMES = sorted(folder.name for folder in CASES.iterdir())
MENDED = [name for name in NAMES if (CASES / name / "fixed").exists()]
TODAY = date(2027, 1, 1)
ACCEPT = "if that is right, accept it with: pytest tests/codegen/lint/test_cases.py --accept"


def rule_of(name: str) -> str:
    """The rule that a case is about: the longest that its name begins with."""
    return max((rule for rule in RULES if name.upper().startswith(rule)), key=len)


def found(folder: str) -> list[Finding]:
    """What is found in a folder of the case that is current."""
    return list(linted(require_valid(read_snapshot(Path(folder))), TODAY).findings)


def told(finding: Finding) -> str:
    """A finding as a case says it."""
    return f"{finding.position}: {finding.complaint.rule}: {finding.complaint.sentence} [{finding.fingerprint}]"


def texts(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.json")}


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A case, whose folder is current."""
    monkeypatch.chdir(CASES / request.param)
    return str(request.param)


def test_a_case_comes_out_as_it_says(case: str, request: pytest.FixtureRequest) -> None:
    now = [told(finding) for finding in found("contracts")]
    expected = Path("findings.txt")
    if request.config.getoption("--accept", default=False):
        expected.write_text("".join(f"{line}\n" for line in now), encoding="utf-8")
    assert now == expected.read_text(encoding="utf-8").splitlines(), ACCEPT
    assert rule_of(case) in {finding.complaint.rule for finding in found("contracts")}


def test_the_rule_of_a_case_has_nothing_against_what_is_spared(case: str) -> None:
    assert rule_of(case) not in {finding.complaint.rule for finding in found("spared")}


@pytest.mark.usefixtures("case")
def test_what_is_mended_comes_out_as_the_case_says(request: pytest.FixtureRequest) -> None:
    before = read_snapshot(Path("contracts"))
    changed = mended(before, TODAY).changed(before)
    fixed = Path("fixed")
    if request.config.getoption("--accept", default=False):
        shutil.rmtree(fixed, ignore_errors=True)
        for name, content in changed.items():
            (fixed / name).parent.mkdir(parents=True, exist_ok=True)
            (fixed / name).write_bytes(content)
    assert changed == (texts(fixed) if fixed.exists() else {}), ACCEPT


@pytest.mark.parametrize("name", MENDED)
def test_what_was_mended_compiles_and_is_found_no_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASES / name)
    assert compile_folder(Path("fixed")).contracts
    assert rule_of(name) not in {finding.complaint.rule for finding in found("fixed")}


def test_every_rule_has_a_case_and_what_can_be_mended_one_that_is() -> None:
    assert {rule_of(name) for name in NAMES} == set(RULES)
    assert {rule_of(name) for name in MENDED} == {rule.id for rule in RULES.values() if rule.mends}


def test_a_case_is_no_fault_of_the_compiler(case: str) -> None:
    """What the compiler refuses needs no rule here."""
    try:
        compile_folder(Path("contracts"))
    except ContractProblems as error:
        pytest.fail(f"{case}: {error}")
