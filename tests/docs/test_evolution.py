"""Prove the statements of docs/evolution.md on the release of a version."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from toolaccord_codegen.breaking.checker import check_changes
from toolaccord_codegen.breaking.rule import Level, Profile
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.snapshots import read_snapshot

PAGE = (Path(__file__).parents[2] / "docs/evolution.md").read_text(encoding="utf-8")


@pytest.fixture
def states(tmp_path: Path) -> dict[str, Path]:
    """The folders before and after, and one in which the old version is gone."""
    folders = {}
    for state, name, text in re.findall(r"```json (before|after)=(\S+)\n(.*?)```", PAGE, re.DOTALL):
        path = tmp_path / state / f"{name}.json"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        folders[state] = tmp_path / state
    return folders


def test_the_example_compiles_and_keeps_callers_of_the_old_version_working(states: dict[str, Path]) -> None:
    [server] = compile_folder(states["after"]).contracts
    assert [each.version for each in server.tools[0].versions] == ["1.1.0"]
    result = check_changes(read_snapshot(states["before"]), read_snapshot(states["after"]), Profile.DEFAULT)
    assert not result.fails
    warned = [each for each in result.findings if each.level is Level.WARNING]
    assert warned
    assert all("callers who name 1.1.0 are not affected" in each.message for each in warned)


def test_the_request_that_the_compiler_shows_is_that_of_the_page(states: dict[str, Path]) -> None:
    path = states["after"] / "shop" / "orders.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"maximum": 500', '"maximum": 50'), encoding="utf-8")
    with pytest.raises(ContractProblems) as raised:
        compile_folder(states["after"])
    lost = next(problem for problem in raised.value.problems if problem.rule == "REQUEST_LOST")
    [shown] = re.findall(r"`(1\.1\.0 accepts .*?)`", PAGE)
    assert lost.sentence.startswith(shown)


def test_a_kept_old_version_is_not_demanded_again(states: dict[str, Path]) -> None:
    result = check_changes(read_snapshot(states["before"]), read_snapshot(states["after"]), Profile.DEFAULT)
    cures = {
        each.cure for each in result.findings if "are not affected" in each.message and each.level.value == "warning"
    }
    assert cures == {"announce the change: callers who name no version get the newest one"}


@pytest.mark.parametrize("today,rule", [("2026-09-01", "OLDER_VERSION_REMOVED"), ("2026-09-02", "OLDER_VERSION_ENDED")])
def test_the_old_version_may_go_after_its_last_day(states: dict[str, Path], today: str, rule: str) -> None:
    before = read_snapshot(states["after"])
    path = states["after"] / "shop" / "orders.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r',\s*"versions": \[.*\n      \]', "", text, flags=re.DOTALL), encoding="utf-8")
    result = check_changes(before, read_snapshot(states["after"]), Profile.DEFAULT, date.fromisoformat(today))
    assert rule in {each.rule.id for each in result.findings}
