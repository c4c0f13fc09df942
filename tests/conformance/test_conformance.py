"""Prove by MCP's official conformance suite that every server conforms, in both eras.

`./run conformance` runs this; the suite comes from npm, so `.ci/run` leaves it out.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.conformance import fixtures
from tests.conformance.suite import REVISIONS, Findings, judged, stale, unexplained
from tests.conftest import Say
from tests.contracts.reading import contracts
from tests.services.fetched import fetched
from tests.services.served import serving

pytestmark = pytest.mark.conformance

ROOT = Path(__file__).parents[2]
INAPPLICABLE = json.loads(Path(__file__).with_name("inapplicable.json").read_text(encoding="utf-8"))
SERVERS = sorted(name for name, contract in contracts().items() if "http" not in contract.get("access", {}))
"""The servers that ask loopback for no token: the suite sends none."""

Judge: TypeAlias = Callable[[str, str], Awaitable[dict[str, Findings]]]


def inapplicable(*groups: str) -> list[str]:
    """The checks that do not apply, by the groups of the list."""
    return [check for group in groups for each in INAPPLICABLE[group] for check in each["checks"]]


@pytest.fixture(scope="module")
def suite() -> Path:
    return fetched("conformance")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose one server has the tools that the suite calls by name."""
    folder = tmp_path_factory.mktemp("conformance")
    fixtures.write(folder)
    return folder


@pytest.fixture
def judge(suite: Path, tmp_path: Path, say: Say) -> Judge:
    """Runs the suite in every revision, and reports the counts at the end of the run."""

    async def judge(name: str, url: str) -> dict[str, Findings]:
        found = {
            revision: await judged(f"{url}/mcp", chosen, suite, tmp_path / revision)
            for revision, chosen in REVISIONS.items()
        }
        passed = ", ".join(f"{revision}: {each.passed} ({len(each.wanting)})" for revision, each in found.items())
        say(f"{name}: checks passed (and not applicable) {passed}")
        return found

    return judge


async def test_a_server_with_the_tools_of_the_suite_passes_all_that_applies(project: Path, judge: Judge) -> None:
    listed = inapplicable("every server")
    async with serving("suite.fixtures.everything", project) as served:
        found = await judge("everything", served.url)
    assert [unexplained(each, listed) for each in found.values()] == [[]] * len(REVISIONS)
    assert stale(found.values(), listed) == []


@pytest.mark.parametrize("server", SERVERS)
async def test_each_server_passes_all_that_applies(server: str, judge: Judge) -> None:
    listed = inapplicable(*INAPPLICABLE)
    async with serving(f"generated.{server}", ROOT, "--sandbox") as served:
        found = await judge(server, served.url)
    assert [unexplained(each, listed) for each in found.values()] == [[]] * len(REVISIONS)
    assert stale(found.values(), listed) == []
