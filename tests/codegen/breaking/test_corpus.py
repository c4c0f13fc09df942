"""Compare the checker with a corpus of changes whose verdicts were written before it ran."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

import pytest

from tests.codegen.breaking.corpus.changes import Corpus, read_corpus
from tests.conftest import Say
from toolaccord_codegen.breaking.checker import LEVEL_ORDER, check_changes
from toolaccord_codegen.breaking.rule import Direction, Level, Profile
from toolaccord_codegen.snapshots import Snapshot, build_snapshot, require_valid

TODAY = date(2026, 12, 2)
SHARED = Path(__file__).parents[3] / "contracts" / "shared.json"


@pytest.mark.parametrize("part, least", [("schemas", 700), ("contracts", 500)])
def test_the_checker_agrees_with_every_verdict_of_the_corpus(part: str, least: int, say: Say) -> None:
    corpus = read_corpus(part, SHARED.read_bytes())
    wrong = list(wrong_verdicts(corpus))
    changes = {(verdict.group, verdict.change.partition(", as ")[0]) for verdict in corpus.verdicts}
    right = len(corpus.verdicts) - len(wrong)
    say(f"Corpus of {part}: {len(changes)} changes, {len(corpus.verdicts)} verdicts in their contexts, {right} right")
    assert len(changes) >= least
    assert wrong == []


def wrong_verdicts(corpus: Corpus) -> Iterator[str]:
    """Yield the changes on which the checker says otherwise."""
    old, new = (build(name, files) for name, files in (("old", corpus.old), ("new", corpus.new)))
    levels: defaultdict[tuple[str, str | None, Direction | None], set[Level]] = defaultdict(set)
    for finding in check_changes(old, new, Profile.DEFAULT, TODAY).findings:
        if not finding.is_about_versions:
            levels[finding.contract, finding.tool, finding.direction].add(finding.level)
            levels[finding.contract, None, None].add(finding.level)
    for verdict in corpus.verdicts:
        actual = worst(levels[verdict.contract, verdict.tool, verdict.direction])
        if actual not in verdict.expected:
            expected = " or ".join(sorted(verdict.expected))
            yield f"{verdict.group}: {verdict.change}: {expected}, found {actual}"


def build(name: str, files: Mapping[str, bytes]) -> Snapshot:
    """Return the snapshot of a folder's files."""
    documents = {path: content for path, content in files.items() if path.endswith(".json")}
    others = {path: content for path, content in files.items() if path not in documents}
    return require_valid(build_snapshot(name, documents, str, read_attachments=lambda names: others))


def worst(levels: set[Level]) -> str:
    """Return the verdict of a change's findings."""
    return min(levels, key=LEVEL_ORDER.__getitem__).value if levels else "none"
