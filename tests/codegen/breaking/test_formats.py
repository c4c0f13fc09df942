"""Test one result in every output format."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.breaking.conftest import accept, edit
from tests.codegen.breaking.golden import CASES, unpack
from toolaccord_codegen.breaking.changelog import format_changelog
from toolaccord_codegen.breaking.checker import CheckResult, check_changes
from toolaccord_codegen.breaking.report import build_report
from toolaccord_codegen.breaking.rule import Profile
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.formats import FORMATTERS, format_report
from toolaccord_codegen.snapshots import read_snapshot


def compare() -> CheckResult:
    """Compare the two states."""
    return check_changes(read_snapshot(Path("before")), read_snapshot(Path("after")), Profile.DEFAULT)


@pytest.mark.usefixtures("states")
def test_text_shows_both_places_a_mark_a_witness_and_the_cure() -> None:
    lines = format_report(build_report(compare()), "text", TerminalStyle(on=False)).splitlines()
    start = next(index for index, line in enumerate(lines) if "BOUND_TIGHTENED" in line)
    assert lines[start : start + 10] == [
        "after/shop/stock.json:14:102: breaking: BOUND_TIGHTENED: count: argument /x: the maximum changed from 100 to 50",
        ' 14 |         "properties": {"name": {"type": "string"}, "x": {"type": "integer", "minimum": 1, "maximum": 50}},',
        "    |                                                                                                      ^^",
        "   was before/shop/stock.json:14:102",
        ' 14 |         "properties": {"name": {"type": "string"}, "x": {"type": "integer", "minimum": 1, "maximum": 100}},',
        "    |                                                                                                      ^^^",
        '   = accepted before, rejected now: {"name": "nail", "x": 100}',
        "   = keep accepting the old values; else revert the change, or give the tool a new major version and keep the old one callable",
        "   = to accept: toolaccord accept BOUND_TIGHTENED e54a0d7621bc --against before --reason TEXT",
        "",
    ]
    assert start == 0
    assert [line.split(": ")[2] for line in lines[10:-1:2]] == ["VERSION_NOT_BUMPED"] * 2
    assert lines[-1] == "against before: 3 breaking, 0 warning, 0 info"


@pytest.mark.usefixtures("states")
def test_colours_change_nothing_else() -> None:
    plain, coloured = (
        format_report(build_report(compare()), "text", TerminalStyle(on=False)),
        format_report(build_report(compare()), "text", TerminalStyle(on=True)),
    )
    for code in ("\x1b[31;1m", "\x1b[31m", "\x1b[36m", "\x1b[33;1m", "\x1b[1m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


def test_text_of_a_contract_cannot_control_the_terminal(states: Path) -> None:
    def hostile(contract: dict[str, Any]) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"]["enum"] = ["\x1b[2J\x07", "\u202e"]

    edit(states / "after", hostile)
    report = build_report(compare())
    for form in FORMATTERS:
        shown = format_report(report, form, TerminalStyle(on=False))
        assert all(char.isprintable() or char == "\n" for char in shown), form
        assert form in ("text", "markdown", "github") or json.loads(shown)
    assert format_changelog(compare()).replace("\n", "").isprintable()


def test_a_place_shared_by_several_tools_is_printed_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(unpack(CASES / "bound_relaxed_through_references", tmp_path))
    result = compare()
    assert sum(finding.rule.id == "BOUND_RELAXED" for finding in result.findings) == 2
    assert format_report(build_report(result), "text", TerminalStyle(on=False)).count("was before/shared.json") == 2


@pytest.mark.usefixtures("states")
def test_json_is_complete_for_programs() -> None:
    output = json.loads(format_report(build_report(compare()), "json", TerminalStyle(on=False)))
    finding = next(each for each in output["findings"] if each["rule"] == "BOUND_TIGHTENED")
    fingerprint = finding.pop("fingerprint")
    assert len(fingerprint) == 12
    assert finding == {
        "rule": "BOUND_TIGHTENED",
        "level": "breaking",
        "bump": "major",
        "contract": "shop/stock.json",
        "tool": "count",
        "direction": "input",
        "old": {"path": "before/shop/stock.json", "line": 14, "column": 102},
        "new": {"path": "after/shop/stock.json", "line": 14, "column": 102},
        "message": "argument /x: the maximum changed from 100 to 50",
        "cure": finding["cure"],
        "agents": [],
        "witness": {"value": {"name": "nail", "x": 100}, "accepted_by": "old", "rejected_by": "new"},
        "accepted": None,
    }
    assert output["against"] == "before"
    assert output["versions"][0] == {
        "contract": "shop/stock.json", "tool": None, "old": "1.2.3", "new": "1.2.3", "bump": "major", "least": "2.0.0",
    }  # fmt: skip


def test_github_gets_one_command_a_finding_that_no_text_can_end(states: Path) -> None:
    def hostile(contract: dict[str, Any]) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"]["pattern"] = "a\n::error::%0A,b:"

    edit(states / "after", hostile)
    lines = format_report(build_report(compare()), "github", TerminalStyle(on=False)).splitlines()
    assert all(
        line.startswith(("::error file=after/", "::warning file=after/", "::notice file=after/")) for line in lines
    )
    [finding] = [line for line in lines if ",title=BOUND_TIGHTENED::count: argument /x" in line]
    assert "%0Akeep accepting the old values; " in finding


@pytest.mark.usefixtures("states")
def test_sarif_names_rules_places_and_fingerprints() -> None:
    run = json.loads(format_report(build_report(compare()), "sarif", TerminalStyle(on=False)))["runs"][0]
    result = next(each for each in run["results"] if each["ruleId"] == "BOUND_TIGHTENED")
    assert result["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "after/shop/stock.json"},
        "region": {"startLine": 14, "startColumn": 102},
    }
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {each["ruleId"] for each in run["results"]}


def test_markdown_is_a_table_in_which_a_contract_cannot_write_markup(states: Path) -> None:
    def hostile(contract: dict[str, Any]) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"]["enum"] = ["|`<img src=x>`|\n# title"]

    edit(states / "after", hostile)
    page = format_report(build_report(compare()), "markdown", TerminalStyle(on=False))
    rows = [line for line in page.splitlines() if "ENUM_ADDED" in line]
    assert len(rows) == 1
    assert "<img" not in rows[0].replace("\\<img", "").split(" | ")[1]
    assert "- `count` needs major: 1.2.3 → 2.0.0" in page


@pytest.mark.parametrize("form", FORMATTERS)
def test_accepted_findings_are_in_every_format(form: str, states: Path) -> None:
    finding = next(each for each in compare().findings if each.rule.id == "BOUND_TIGHTENED")
    entry = {
        "rule": finding.rule.id,
        "fingerprint": finding.fingerprint,
        "reason": "Nobody asks",
        "date": "2026-11-21",
    }
    accept(states / "after", entry, entry | {"fingerprint": "0123456789ab"})
    output = format_report(build_report(compare()), form, TerminalStyle(on=False))
    assert "Nobody asks" in output
    assert "0123456789ab" in output
