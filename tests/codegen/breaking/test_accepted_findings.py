"""Accepted findings of intended changes, and stale entries."""

from pathlib import Path
from typing import Any

from tests.codegen.breaking.conftest import accept, edit
from toolaccord_codegen.breaking.checker import CheckResult, check_changes
from toolaccord_codegen.breaking.rule import Profile
from toolaccord_codegen.snapshots import read_snapshot

ENTRY = {"rule": "BOUND_TIGHTENED", "reason": "No caller ever asked for more than 20", "date": "2026-11-21"}


def compare() -> CheckResult:
    """Compare the two states."""
    return check_changes(read_snapshot(Path("before")), read_snapshot(Path("after")), Profile.DEFAULT)


def bound_finding(result: CheckResult) -> Any:
    """Return the finding about the bound."""
    return next(finding for finding in result.findings if finding.rule.id == "BOUND_TIGHTENED")


def entry() -> dict[str, str]:
    """Return the entry of the finding about the bound."""
    return ENTRY | {"fingerprint": bound_finding(compare()).fingerprint}


def bump_versions(contract: dict[str, Any]) -> None:
    """Write the versions that the changed bound requires."""
    contract["server"]["version"] = contract["tools"][0]["version"] = "2.0.0"


def test_an_accepted_finding_stays_listed_and_does_not_fail(states: Path) -> None:
    edit(states / "after", bump_versions)
    assert compare().fails
    accept(states / "after", entry())
    result = compare()
    assert bound_finding(result).accepted.reason == ENTRY["reason"]
    assert not result.fails


def test_accepting_a_break_does_not_lower_the_required_version(states: Path) -> None:
    accept(states / "after", entry())
    fails = [finding.rule.id for finding in compare().findings if finding.fails]
    assert fails == ["VERSION_NOT_BUMPED", "VERSION_NOT_BUMPED"]


def test_a_stale_entry_is_an_error_at_its_place(states: Path) -> None:
    edit(states / "after", bump_versions)
    accept(states / "after", entry(), ENTRY | {"fingerprint": "0123456789ab"})
    result = compare()
    assert result.fails
    assert list(map(str, result.problems)) == [
        "after/shop/stock.accepted.json:9:5: ACCEPTED_NOTHING: BOUND_TIGHTENED 0123456789ab is no finding any more; remove this entry"
    ]


def test_a_further_change_of_the_same_place_needs_another_entry(states: Path) -> None:
    edit(states / "after", bump_versions)
    accept(states / "after", entry())

    def lower(contract: dict[str, Any]) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"]["maximum"] = 40

    edit(states / "after", lower)
    result = compare()
    assert bound_finding(result).fails
    assert [problem.rule for problem in result.problems] == ["ACCEPTED_NOTHING"]


def test_an_entry_in_the_base_is_a_record_and_accepts_nothing_new(states: Path) -> None:
    edit(states / "after", bump_versions)
    accept(states / "before", entry())
    accept(states / "after", entry())
    result = compare()
    assert result.problems == ()
    assert bound_finding(result).fails
    accept(states / "after", entry(), entry() | {"date": "2026-11-22"})
    assert not compare().fails


def test_a_fingerprint_does_not_depend_on_wording_and_lines(states: Path) -> None:
    first = bound_finding(compare()).fingerprint

    def describe(contract: dict[str, Any]) -> None:
        contract["tools"][0]["description"] = "Count something else"
        contract["tools"][0]["parameters"]["properties"]["y"] = {"type": "string"}

    edit(states / "after", describe)
    assert bound_finding(compare()).fingerprint == first
