"""One judgement in every format."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from codegen.breaking.checker import Judgement, judged
from codegen.breaking.report import report
from codegen.breaking.rule import Profile
from codegen.reporting.formats import FORMATS, format_report
from codegen.snapshots import read_snapshot
from tests.codegen.breaking.conftest import accept, edit
from tests.codegen.breaking.golden import CASES, unpack

SARIF = Path(__file__).parent / "sarif.schema.json"


def judge() -> Judgement:
    """The two states compared."""
    return judged(read_snapshot(Path("before")), read_snapshot(Path("after")), Profile.DEFAULT)


@pytest.mark.usefixtures("states")
def test_text_shows_both_places_with_a_caret_a_witness_and_the_cure() -> None:
    lines = format_report(report(judge()), "text", colour=False).splitlines()
    start = next(index for index, line in enumerate(lines) if "BOUND_TIGHTENED" in line)
    assert lines[start : start + 11] == [
        "after/shop/stock.json:14:102: breaking: BOUND_TIGHTENED: count: argument /x: a number at most 100 was allowed, now one at most 50 is",
        "   is after/shop/stock.json:14:102",
        ' 14 |         "properties": {"name": {"type": "string"}, "x": {"type": "integer", "minimum": 1, "maximum": 50}},',
        "    |                                                                                                      ^^",
        "   was before/shop/stock.json:14:102",
        ' 14 |         "properties": {"name": {"type": "string"}, "x": {"type": "integer", "minimum": 1, "maximum": 100}},',
        "    |                                                                                                      ^^^",
        '   = taken before, refused now: {"name": "nail", "x": 100}',
        "   = go on taking what was taken; else take the change back, or give the tool a new major version and keep the old one callable",
        "   = to accept: e54a0d7621bc",
        "",
    ]
    assert start == 0
    assert [line.split(": ")[2] for line in lines[11:-1:2]] == ["VERSION_NOT_BUMPED"] * 2
    assert lines[-1] == "against before: 3 breaking, 0 warning, 0 info"


@pytest.mark.usefixtures("states")
def test_colours_are_there_when_asked_for_and_change_nothing_else() -> None:
    plain, coloured = (
        format_report(report(judge()), "text", colour=False),
        format_report(report(judge()), "text", colour=True),
    )
    for code in ("\x1b[31;1m", "\x1b[31m", "\x1b[36m", "\x1b[33;1m", "\x1b[1m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


def test_a_contract_cannot_speak_to_the_terminal(states: Path) -> None:
    def hostile(contract: dict[str, Any]) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"]["enum"] = ["\x1b[2J\x07", "\u202e"]

    edit(states / "after", hostile)
    assert all(char.isprintable() or char == "\n" for char in format_report(report(judge()), "text", colour=False))


def test_one_place_that_several_tools_share_comes_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(unpack(CASES / "bound_relaxed_through_references", tmp_path))
    judgement = judge()
    assert sum(finding.rule.id == "BOUND_RELAXED" for finding in judgement.findings) == 2
    assert format_report(report(judgement), "text", colour=False).count("is after/shared.json") == 2


@pytest.mark.usefixtures("states")
def test_json_has_the_fields_that_other_programs_read() -> None:
    said = json.loads(format_report(report(judge()), "json", colour=False))
    finding = next(each for each in said["findings"] if each["rule"] == "BOUND_TIGHTENED")
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
        "message": "argument /x: a number at most 100 was allowed, now one at most 50 is",
        "cure": finding["cure"],
        "witness": {"value": {"name": "nail", "x": 100}, "accepted_by": "old", "rejected_by": "new"},
        "accepted": None,
    }
    assert said["against"] == "before"
    assert said["versions"][0] == {
        "contract": "shop/stock.json", "tool": None, "old": "1.2.3", "new": "1.2.3", "bump": "major", "least": "2.0.0",
    }  # fmt: skip


def test_github_gets_a_command_a_finding_with_nothing_in_it_that_ends_the_command(states: Path) -> None:
    def hostile(contract: dict[str, Any]) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"]["pattern"] = "a\n::error::%0A,b:"

    edit(states / "after", hostile)
    lines = format_report(report(judge()), "github", colour=False).splitlines()
    assert all(
        line.startswith(("::error file=after/", "::warning file=after/", "::notice file=after/")) for line in lines
    )
    [finding] = [line for line in lines if ",title=BOUND_TIGHTENED::count: argument /x" in line]
    assert "%0Ago on taking what was taken; " in finding


@pytest.mark.usefixtures("states")
def test_sarif_names_rules_places_and_fingerprints() -> None:
    run = json.loads(format_report(report(judge()), "sarif", colour=False))["runs"][0]
    result = next(each for each in run["results"] if each["ruleId"] == "BOUND_TIGHTENED")
    assert result["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "after/shop/stock.json"},
        "region": {"startLine": 14, "startColumn": 102},
    }
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {each["ruleId"] for each in run["results"]}


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_sarif_is_what_the_standard_asks_for(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(unpack(case, tmp_path))
    schema = json.loads(SARIF.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    assert list(validator.iter_errors(json.loads(format_report(report(judge()), "sarif", colour=False)))) == []


def test_markdown_is_a_table_in_which_a_contract_cannot_write_markup(states: Path) -> None:
    def hostile(contract: dict[str, Any]) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"]["enum"] = ["|`<img src=x>`|\n# title"]

    edit(states / "after", hostile)
    page = format_report(report(judge()), "markdown", colour=False)
    rows = [line for line in page.splitlines() if "ENUM_ADDED" in line]
    assert len(rows) == 1
    assert "<img" not in rows[0].replace("\\<img", "").split(" | ")[1]
    assert "- `count` needs major: 1.2.3 → 2.0.0" in page


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_accepted_is_said_in_every_format(form: str, states: Path) -> None:
    finding = next(each for each in judge().findings if each.rule.id == "BOUND_TIGHTENED")
    entry = {"rule": finding.rule.id, "fingerprint": finding.fingerprint, "reason": "Nobody asks", "date": "2026-11-21"}
    accept(states / "after", entry, entry | {"fingerprint": "0123456789ab"})
    said = format_report(report(judge()), form, colour=False)
    assert "Nobody asks" in said
    assert "0123456789ab" in said
