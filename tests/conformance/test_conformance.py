"""Prove by MCP's official conformance suite that every server conforms, in both eras.

`./run conformance` runs this; the suite comes from npm, so `.ci/run` leaves it out. `expected_failures.json` explains
each check that fails: on the server `everything`, which has the tools that the suite calls by name, and on others.
"""

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.conformance.suite import REVISIONS, TASKS, Findings, Revision, judged, stale, unexplained
from tests.conftest import Say
from tests.contracts.reading import contracts
from tests.services.fetched import fetched
from tests.services.served import serving
from toolaccord.testing import nats, redis

pytestmark = pytest.mark.conformance

ROOT = Path(__file__).parents[2]
EXPECTED = json.loads(Path(__file__).with_name("expected_failures.json").read_text(encoding="utf-8"))
SERVERS = sorted(name for name, contract in contracts().items() if "http" not in contract.get("access", {}))
"""The servers that ask loopback for no token: the suite sends none."""

Judge: TypeAlias = Callable[[str, str], Awaitable[dict[str, Findings]]]


def expected(*groups: str) -> list[str]:
    """The checks that fail as expected, by the groups of the list."""
    return [check for group in groups for each in EXPECTED[group] for check in each["checks"]]


@pytest.fixture(scope="module")
def suite() -> Path:
    return fetched("conformance")


@pytest.fixture
def judge(suite: Path, tmp_path: Path, say: Say) -> Judge:
    """Runs the suite in every revision, and reports the counts at the end of the run."""

    async def judge(name: str, url: str) -> dict[str, Findings]:
        found = {
            revision: await judged(f"{url}/mcp", chosen, suite, tmp_path / revision)
            for revision, chosen in REVISIONS.items()
        }
        passed = (f"{revision}: {len(each.passed)}/{len(each.required)}" for revision, each in found.items())
        say(f"{name}: required scenarios passed without warnings: {', '.join(passed)}")
        return found

    return judge


async def test_a_server_with_all_that_the_suite_calls_fails_only_as_expected(judge: Judge) -> None:
    async with serving("tests.conformance.everything", ROOT, env={"MCP_SESSION_STREAM_S": "0.5"}) as served:
        found = await judge("everything", served.url)
    assert [unexplained(each, expected("everything")) for each in found.values()] == [[]] * len(REVISIONS)
    assert stale(found.values(), expected("everything")) == []
    assert not [check for check in found["2025-11-25"].wanting if check.startswith("server-sse-polling")]


@contextmanager
def in_memory() -> Iterator[str]:
    """Give no address of a store."""
    yield ""


@pytest.mark.parametrize("arguments", [(), ("--reference",)], ids=["fast path", "SDK"])
@pytest.mark.parametrize("store", [in_memory, redis.serve, nats.serve], ids=["memory", "Redis", "NATS"])
async def test_all_scenarios_of_tasks_pass_with_each_store(
    store: Callable[[], AbstractContextManager[str]], arguments: Sequence[str], suite: Path, tmp_path: Path
) -> None:
    found = {}
    with store() as url:
        async with serving("tests.conformance.everything", ROOT, *arguments, env={"TASK_STORE": url}) as served:
            for scenario in TASKS:
                chosen = Revision("next", ("--scenario", scenario))
                found[scenario] = await judged(f"{served.url}/mcp", chosen, suite, tmp_path / scenario)
    assert {scenario: each.wanting for scenario, each in found.items() if each.wanting} == {}
    assert {scenario: len(each.succeeded) for scenario, each in found.items()} == TASKS


@pytest.mark.parametrize("server", SERVERS)
async def test_each_server_fails_only_as_expected(server: str, judge: Judge) -> None:
    async with serving(f"generated.{server}", ROOT, "--sandbox") as served:
        found = await judge(server, served.url)
    assert [unexplained(each, expected(*EXPECTED)) for each in found.values()] == [[]] * len(REVISIONS)
    assert stale(found.values(), expected("fixtures")) == []
