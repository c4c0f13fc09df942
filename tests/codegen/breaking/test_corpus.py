"""Compare the checker with a corpus of changes whose verdicts were written before it ran."""

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from codegen.breaking.checker import LEVEL_ORDER, check_changes
from codegen.breaking.rule import Direction, Level, Profile
from codegen.snapshots import build_snapshot, require_valid
from tests.codegen.breaking.corpus.changes import Corpus, Verdict, group_names, read_corpus
from tests.conftest import Say

SHARED = Path(__file__).parents[3] / "contracts" / "shared.json"
KNOWN_WRONG: dict[str, str] = {}
"""Groups with wrong verdicts of the checker, and the reason.

Remove a group as soon as the checker is right: its test fails otherwise.
"""


@cache
def corpus() -> Corpus:
    """Read the corpus once for all tests."""
    return read_corpus(SHARED.read_bytes())


@cache
def wrong_verdicts() -> dict[str, list[str]]:
    """Return by group what the checker says otherwise."""
    old, new = (
        require_valid(build_snapshot(name, files, str))
        for name, files in (("old", corpus().old), ("new", corpus().new))
    )
    levels: defaultdict[tuple[str, str | None, Direction | None], set[Level]] = defaultdict(set)
    for finding in check_changes(old, new, Profile.DEFAULT).findings:
        if not finding.is_about_versions:
            levels[finding.contract, finding.tool, finding.direction].add(finding.level)
            levels[finding.contract, None, None].add(finding.level)
    wrong: defaultdict[str, list[str]] = defaultdict(list)
    for verdict in corpus().verdicts:
        actual = worst(levels[verdict.contract, verdict.tool, verdict.direction])
        if actual not in verdict.expected:
            wrong[verdict.group].append(f"{verdict.change}: {'|'.join(sorted(verdict.expected))}, found {actual}")
    return wrong


def worst(levels: set[Level]) -> str:
    """Return the verdict of a change's findings."""
    return min(levels, key=LEVEL_ORDER.__getitem__).value if levels else "none"


def groups() -> list[object]:
    """Return the groups as parameters; a group that is known to be wrong must fail."""
    return [
        pytest.param(name, marks=pytest.mark.xfail(reason=KNOWN_WRONG[name], strict=True))
        if name in KNOWN_WRONG
        else name
        for name in group_names()
    ]


@pytest.mark.parametrize("group", groups())
def test_the_checker_agrees_with_every_verdict_of_the_corpus(group: str) -> None:
    assert wrong_verdicts()[group] == []


def test_the_corpus_has_at_least_500_changes(say: Say) -> None:
    verdicts: tuple[Verdict, ...] = corpus().verdicts
    wrong = sum(map(len, wrong_verdicts().values()))
    changes = {(verdict.group, verdict.change.partition(", as ")[0]) for verdict in verdicts}
    say(f"Corpus: {len(changes)} changes, {len(verdicts)} verdicts in their contexts, {len(verdicts) - wrong} right")
    assert len(changes) >= 500
    assert set(KNOWN_WRONG) <= set(group_names()) == {verdict.group for verdict in verdicts}
