"""A finding that is meant can be accepted, with a reason; an entry that accepts nothing is a fault."""

from pathlib import Path
from typing import Any

from codegen.breaking.checker import Judgement, judged
from codegen.breaking.rule import Profile
from codegen.snapshots import read_snapshot
from tests.codegen.breaking.conftest import accept, edit

ENTRY = {"rule": "BOUND_TIGHTENED", "reason": "No caller ever asked for more than 20", "date": "2026-11-21"}


def judge() -> Judgement:
    """The two states compared."""
    return judged(read_snapshot(Path("before")), read_snapshot(Path("after")), Profile.DEFAULT)


def of_the_bound(judgement: Judgement) -> Any:
    """The finding about the bound."""
    return next(finding for finding in judgement.findings if finding.rule.id == "BOUND_TIGHTENED")


def entry() -> dict[str, str]:
    """The entry that accepts the finding about the bound."""
    return ENTRY | {"fingerprint": of_the_bound(judge()).fingerprint}


def with_new_versions(contract: dict[str, Any]) -> None:
    """Write the versions that the bound asks for."""
    contract["server"]["version"] = contract["tools"][0]["version"] = "2.0.0"


def test_an_accepted_finding_stays_in_the_list_and_fails_no_more(states: Path) -> None:
    edit(states / "after", with_new_versions)
    assert judge().fails
    accept(states / "after", entry())
    judgement = judge()
    assert of_the_bound(judgement).accepted.reason == ENTRY["reason"]
    assert not judgement.fails


def test_that_a_break_is_meant_does_not_make_the_version_smaller(states: Path) -> None:
    accept(states / "after", entry())
    fails = [finding.rule.id for finding in judge().findings if finding.fails]
    assert fails == ["VERSION_NOT_BUMPED", "VERSION_NOT_BUMPED"]


def test_an_entry_that_matches_nothing_any_more_is_a_fault_at_its_place(states: Path) -> None:
    edit(states / "after", with_new_versions)
    accept(states / "after", entry(), ENTRY | {"fingerprint": "0123456789ab"})
    judgement = judge()
    assert judgement.fails
    assert list(map(str, judgement.problems)) == [
        "after/shop/stock.accepted.json:9:5: ACCEPTED_NOTHING: BOUND_TIGHTENED 0123456789ab is no finding any more; remove this entry"
    ]


def test_an_entry_does_not_outlive_a_further_change_of_the_same_place(states: Path) -> None:
    edit(states / "after", with_new_versions)
    accept(states / "after", entry())

    def lower(contract: dict[str, Any]) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"]["maximum"] = 40

    edit(states / "after", lower)
    judgement = judge()
    assert of_the_bound(judgement).fails
    assert [problem.rule for problem in judgement.problems] == ["ACCEPTED_NOTHING"]


def test_an_entry_that_stood_there_before_is_a_record_and_accepts_nothing_new(states: Path) -> None:
    edit(states / "after", with_new_versions)
    accept(states / "before", entry())
    accept(states / "after", entry())
    judgement = judge()
    assert judgement.problems == ()
    assert of_the_bound(judgement).fails
    accept(states / "after", entry(), entry() | {"date": "2026-11-22"})
    assert not judge().fails


def test_wording_and_lines_do_not_change_a_fingerprint(states: Path) -> None:
    first = of_the_bound(judge()).fingerprint

    def describe(contract: dict[str, Any]) -> None:
        contract["tools"][0]["description"] = "Count something else"
        contract["tools"][0]["parameters"]["properties"]["y"] = {"type": "string"}

    edit(states / "after", describe)
    assert of_the_bound(judge()).fingerprint == first
