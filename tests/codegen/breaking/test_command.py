"""`python -m codegen breaking` and `changelog`."""

import json
from pathlib import Path
from typing import Any

import pytest

from codegen.breaking.catalog import RULES
from codegen.breaking.checker import judged
from codegen.breaking.rule import Profile
from codegen.cli.arguments import PROFILES
from codegen.cli.rules import format_levels
from codegen.lint.catalog import RULES as OF_LINT
from codegen.reporting.colour import Paint
from codegen.reporting.sections import Section, format_section
from codegen.rules.catalog import COMPILER_RULES
from codegen.snapshots import read_snapshot
from tests.codegen.breaking.conftest import accept, edit
from tests.codegen.conftest import Command

CONTRACTS = Path(__file__).parents[3] / "contracts"


def test_no_contract_breaks_itself() -> None:
    same = read_snapshot(CONTRACTS)
    judgement = judged(same, read_snapshot(CONTRACTS), Profile.STRICT)
    assert len(same.contracts) >= 7
    assert (judgement.findings, judgement.problems) == ((), ())


@pytest.mark.usefixtures("repository")
def test_a_break_ends_with_1_and_none_with_0(command: Command) -> None:
    code, said = command("breaking", "--against", "v1")
    assert (code, "BOUND_TIGHTENED" in said) == (1, True)
    assert command("breaking", "--against", "contracts") == (0, "nothing changed against contracts\n")


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    "arguments",
    [[], ["--against", "v1", "--format", "xml"], ["--against", "v1", "--profile", "none"], ["--against", "v9"]],
)
def test_a_wrong_call_ends_with_2(arguments: list[str], command: Command) -> None:
    try:
        code, _ = command("breaking", *arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    assert code == 2


def test_contracts_of_the_wrong_shape_are_refused_before_they_are_compared(repository: Path, command: Command) -> None:
    def break_it(contract: dict[str, Any]) -> None:
        contract["tools"][0]["deadline"] = 5

    edit(repository / "contracts", break_it)
    code, said = command("breaking", "--against", "v1")
    assert (code, "WRONG_SHAPE" in said) == (1, True)


@pytest.mark.parametrize("state", ["before", "after"])
def test_a_schema_without_end_is_refused_not_passed_over(state: str, states: Path, command: Command) -> None:
    def endless(contract: dict[str, Any]) -> None:
        contract["$defs"] = {"Box": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Box"}}}}
        contract["tools"][0]["parameters"]["properties"]["x"] = {"$ref": "#/$defs/Box"}

    edit(states / state, endless)
    code, said = command("breaking", "--contracts", "after", "--against", "before")
    assert (code, f"{state}/shop/stock.json" in said, "RECURSIVE_REF" in said) == (1, True, True)


@pytest.mark.usefixtures("states")
def test_the_finding_in_the_page_is_one_that_the_command_prints(command: Command) -> None:
    page = (CONTRACTS.parent / "docs" / "evolution.md").read_text(encoding="utf-8")
    shown = json.loads(page.partition("```json\n")[2].partition("```")[0])
    _, said = command("breaking", "--contracts", "after", "--against", "before", "--format", "json")
    assert shown == next(each for each in json.loads(said)["findings"] if each["rule"] == shown["rule"])


@pytest.mark.usefixtures("repository")
def test_the_changelog_says_what_changed_and_in_which_version(command: Command) -> None:
    assert command("changelog", "--against", "v1") == (
        0,
        "### shop/stock 1.2.3 → 2.0.0\n\nBreaking:\n\n- `count` 1.2.3 → 2.0.0: argument /x: a number at most 100 was allowed, now one at most 50 is\n\n",
    )


def test_the_changelog_is_written_below_what_is_not_released(repository: Path, command: Command) -> None:
    page = repository / "CHANGELOG.md"
    page.write_text("# Changelog\n\n## [Unreleased]\n\n- Older\n")
    code, _ = command("changelog", "--against", "v1", "--into", str(page))
    written = page.read_text()
    assert code == 0
    assert written.startswith("# Changelog\n\n## [Unreleased]\n\n### shop/stock 1.2.3 → 2.0.0\n")
    assert written.endswith("50 is\n\n- Older\n")


def test_a_page_without_the_heading_is_left_alone(repository: Path, command: Command) -> None:
    page = repository / "CHANGELOG.md"
    page.write_text("# Changelog\n")
    code, said = command("changelog", "--against", "v1", "--into", str(page))
    assert (code, page.read_text()) == (2, "# Changelog\n")
    assert '"## [Unreleased]"' in said


def test_the_page_lists_every_rule_with_the_level_that_it_has() -> None:
    page = (CONTRACTS.parent / "docs" / "evolution.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 4]
    assert rows == [f"| `{rule.id}` | {rule.summary} | {format_levels(rule)} |" for rule in RULES.values()]


def test_rules_lists_every_rule_of_every_judge(command: Command) -> None:
    code, said = command("rules")
    assert code == 0
    assert [name for name in (*COMPILER_RULES, *RULES, *OF_LINT) if f"  {name} " not in said] == []


def test_the_profiles_that_can_be_chosen_are_those_that_there_are() -> None:
    assert tuple(profile.value for profile in Profile) == PROFILES


def test_a_report_has_colours_on_a_terminal_and_says_the_same_without() -> None:
    section = Section(title="Lint", summary="1 finding", details=("a.json:1:1: X: y",), fails=True)
    assert list(format_section(section, Paint(on=False))) == ["Lint: failed: 1 finding", "", "a.json:1:1: X: y", ""]
    assert next(format_section(section, Paint(on=True))) == "\x1b[1mLint\x1b[0m: \x1b[31;1mfailed\x1b[0m: 1 finding"


@pytest.fixture
def checked(repository: Path, command: Command) -> Command:
    """`check` on the repository, with what the contracts ask for written, a handler, and all that lint says accepted."""
    found = json.loads(command("lint", "--format", "json")[1])["findings"]
    meant = {"reason": "It is an example", "date": "2026-11-22"}
    accept(repository / "contracts", *({key: each[key] for key in ("rule", "fingerprint")} | meant for each in found))
    (repository / "handlers" / "shop").mkdir(parents=True)
    (repository / "handlers" / "shop" / "stock.py").write_text("async def count(request, call): ...\n")
    assert command("generate", "--package", "acme")[0] == 0

    def run(*arguments: str) -> tuple[int, str]:
        return command("check", "--package", "acme", *arguments)

    return run


def test_check_says_in_one_report_what_changed(checked: Command) -> None:
    assert checked()[0] == 0
    code, said = checked("--against", "v1")
    assert code == 1
    assert said.startswith("Files: ok: acme matches contracts\nHandlers: ok: handlers matches contracts\n")
    assert "\nLint: ok: contracts: nothing to fix, 3 findings accepted\n" in said
    assert "\nChanges: failed: against v1: 3 breaking, 0 warning, 0 info\n\n" in said
    assert "VERSION_NOT_BUMPED: count: the version is 1.2.3 still; the changes are major and need 2.0.0\n" in said
    assert said.endswith("\n\nfailed: changes\n")
    assert "\x1b" not in said


def test_check_says_so_where_no_upstream_says_what_the_contracts_were(checked: Command) -> None:
    code, said = checked("--against", "upstream")
    assert code == 0
    assert "there is no upstream whose default branch says what the contracts were" in said
