"""Test `python -m toolaccord_codegen breaking` and `changelog`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.breaking.conftest import accept, edit
from tests.codegen.conftest import Command
from tests.contracts.shipped import copy_contracts
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.checker import check_changes
from toolaccord_codegen.breaking.rule import Profile
from toolaccord_codegen.cli.options.comparison import PROFILES
from toolaccord_codegen.cli.rules import format_levels
from toolaccord_codegen.lint.catalog import RULES as LINT_RULES
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.formats import FORMATTERS
from toolaccord_codegen.reporting.sections import Section, format_section
from toolaccord_codegen.rules.catalog import COMPILER_RULES
from toolaccord_codegen.snapshots import read_snapshot

ROOT = Path(__file__).parents[3]


def test_unchanged_contracts_have_no_findings(tmp_path: Path) -> None:
    contracts = copy_contracts(tmp_path)
    same = read_snapshot(contracts)
    result = check_changes(same, read_snapshot(contracts), Profile.STRICT)
    assert len(same.contracts) >= 7
    assert (result.findings, result.problems) == ((), ())


@pytest.mark.usefixtures("repository")
def test_a_break_exits_with_1_and_no_change_with_0(command: Command) -> None:
    code, output = command("breaking", "--against", "v1")
    assert (code, "BOUND_TIGHTENED" in output) == (1, True)
    assert command("breaking", "--against", "contracts") == (0, "nothing changed against contracts\n")


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    "arguments",
    [[], ["--against", "v1", "--format", "xml"], ["--against", "v1", "--profile", "none"], ["--against", "v9"]],
)
def test_wrong_usage_exits_with_2(arguments: list[str], command: Command) -> None:
    try:
        code, _ = command("breaking", *arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    assert code == 2


def test_contracts_of_the_wrong_shape_are_rejected_before_the_comparison(repository: Path, command: Command) -> None:
    def break_it(contract: dict[str, Any]) -> None:
        contract["tools"][0]["deadline"] = 5

    edit(repository / "contracts", break_it)
    code, output = command("breaking", "--against", "v1")
    assert (code, "WRONG_SHAPE" in output) == (3, True)


BOX = {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Box"}}}
UNKNOWN: dict[str, dict[str, Any]] = {
    "RECURSIVE_REF": {"$ref": "#/$defs/Box"},
    "DANGLING_REF": {"$ref": "#/$defs/Nothing"},
    "UNKNOWN_KEYWORD": {"type": "integer", "maximun": 5},
    "KEYWORD_DROPPED": {"type": "integer", "not": {"const": 1}},
    "PATTERN_INVALID": {"type": "string", "pattern": "("},
}
"""Schemas of unknown meaning by the rule that refuses them."""


def edit_to_unknown(state: Path, rule: str) -> None:
    """Give an argument of a state a schema of unknown meaning."""

    def change(contract: dict[str, Any]) -> None:
        contract["$defs"] = {"Box": BOX} if rule == "RECURSIVE_REF" else {}
        contract["tools"][0]["parameters"]["properties"]["x"] = UNKNOWN[rule]

    edit(state, change)


@pytest.mark.parametrize("rule", UNKNOWN)
@pytest.mark.parametrize("state", ["before", "after"])
def test_a_schema_of_unknown_meaning_is_refused_and_not_judged(
    state: str, rule: str, states: Path, command: Command
) -> None:
    edit_to_unknown(states / state, rule)
    code, output = command("breaking", "--contracts", "after", "--against", "before")
    assert (code, f"{state}/shop/stock.json" in output, rule in output) == (3, True, True)


@pytest.mark.parametrize("form", FORMATTERS)
@pytest.mark.parametrize("arguments", [("lint",), ("breaking", "--against", "before")], ids=lambda each: each[0])
def test_every_format_reports_refused_contracts(
    form: str, arguments: tuple[str, ...], states: Path, command: Command
) -> None:
    edit_to_unknown(states / "after", "UNKNOWN_KEYWORD")
    code, output = command(*arguments, "--contracts", "after", "--format", form)
    assert code == 3
    assert "maximun" in output
    if form in {"json", "sarif"}:
        found = json.loads(output)
        problems = found["problems"] if form == "json" else found["runs"][0]["results"]
        assert [each["rule" if form == "json" else "ruleId"] for each in problems] == ["UNKNOWN_KEYWORD"]
        assert form == "sarif" or found["refused"] is True


@pytest.mark.usefixtures("states")
def test_the_finding_in_the_page_is_one_that_the_command_prints(command: Command) -> None:
    page = (ROOT / "docs" / "evolution.md").read_text(encoding="utf-8")
    documented = json.loads(page.partition("```json\n")[2].partition("```")[0])
    _, output = command("breaking", "--contracts", "after", "--against", "before", "--format", "json")
    assert documented == next(each for each in json.loads(output)["findings"] if each["rule"] == documented["rule"])


@pytest.mark.usefixtures("repository")
def test_the_changelog_has_the_changes_and_the_versions(command: Command) -> None:
    assert command("changelog", "--against", "v1") == (
        0,
        "### shop/stock 1.2.3 → 2.0.0\n\nBreaking:\n\n- `count` 1.2.3 → 2.0.0: argument /x: the maximum changed from 100 to 50\n\n",
    )


def test_the_changelog_is_written_below_the_unreleased_heading(repository: Path, command: Command) -> None:
    page = repository / "CHANGELOG.md"
    page.write_text("# Changelog\n\n## [Unreleased]\n\n- Older\n")
    code, _ = command("changelog", "--against", "v1", "--into", str(page))
    written = page.read_text()
    assert code == 0
    assert written.startswith("# Changelog\n\n## [Unreleased]\n\n### shop/stock 1.2.3 → 2.0.0\n")
    assert written.endswith("to 50\n\n- Older\n")


@pytest.mark.usefixtures("repository")
def test_a_page_that_is_missing_is_started_and_gets_an_entry_once(command: Command) -> None:
    arguments = ("changelog", "--against", "v1", "--into", "NEWS.md")
    assert command(*arguments) == (0, "wrote   NEWS.md\n")
    written = Path("NEWS.md").read_text()
    assert written.startswith("# Changelog\n\n## [Unreleased]\n\n### shop/stock 1.2.3 → 2.0.0\n")
    assert command(*arguments) == (0, "kept    NEWS.md: it has the entry\n")
    assert Path("NEWS.md").read_text() == written


def test_a_page_without_the_heading_is_not_changed(repository: Path, command: Command) -> None:
    page = repository / "CHANGELOG.md"
    page.write_text("# Changelog\n")
    code, output = command("changelog", "--against", "v1", "--into", str(page))
    assert (code, page.read_text()) == (2, "# Changelog\n")
    assert '"## [Unreleased]"' in output


def test_the_page_lists_every_rule_with_its_level() -> None:
    page = (ROOT / "docs" / "evolution.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 4]
    assert rows == [f"| `{rule.id}` | {rule.summary} | {format_levels(rule)} |" for rule in RULES.values()]


def test_rules_lists_every_rule(command: Command) -> None:
    code, output = command("rules")
    assert code == 0
    assert [name for name in (*COMPILER_RULES, *RULES, *LINT_RULES) if f"  {name} " not in output] == []


def test_the_command_offers_every_profile() -> None:
    assert tuple(profile.value for profile in Profile) == PROFILES


def test_a_section_has_colours_only_on_a_terminal() -> None:
    section = Section(title="Lint", summary="1 finding", details=("a.json:1:1: X: y",), fails=True)
    assert list(format_section(section, TerminalStyle(on=False))) == [
        "Lint: failed: 1 finding",
        "",
        "a.json:1:1: X: y",
        "",
    ]
    assert (
        next(format_section(section, TerminalStyle(on=True)))
        == "\x1b[1mLint\x1b[0m: \x1b[31;1mfailed\x1b[0m: 1 finding"
    )


@pytest.fixture
def check(repository: Path, command: Command) -> Command:
    """Prepare a repository whose files, handlers and lint pass `check`, and return that command."""
    found = json.loads(command("lint", "--format", "json")[1])["findings"]
    reason = {"reason": "It is an example", "date": "2026-11-22"}
    accept(repository / "contracts", *({key: each[key] for key in ("rule", "fingerprint")} | reason for each in found))
    (repository / "handlers" / "shop").mkdir(parents=True)
    (repository / "handlers" / "shop" / "stock.py").write_text("async def count(request, call): ...\n")
    assert command("generate", "--package", "acme")[0] == 0

    def run(*arguments: str) -> tuple[int, str]:
        return command("check", "--package", "acme", *arguments)

    return run


def test_check_reports_changes_with_everything_else(check: Command) -> None:
    assert check()[0] == 0
    code, output = check("--against", "v1")
    assert code == 1
    assert output.startswith("Files: ok: acme matches contracts\nHandlers: ok: handlers matches contracts\n")
    assert "\nLint: ok: contracts: nothing to fix, 4 findings accepted\n" in output
    assert "\nChanges: failed: against v1: 3 breaking, 0 warning, 0 info\n\n" in output
    assert "VERSION_NOT_BUMPED: count: the version is still 1.2.3; the major changes need 2.0.0\n" in output
    assert output.endswith("\n\nfailed: changes\n")
    assert "\x1b" not in output


def test_check_fails_without_the_upstream_that_it_shall_compare_with(check: Command) -> None:
    code, output = check("--against", "upstream")
    assert code == 1
    assert "\nChanges: failed: nothing is compared, because this clone does not know" in output
    assert "\n  git fetch --unshallow origin\n  git remote set-head origin --auto\n" in output
    assert output.endswith("\nfailed: changes\n")
