"""Run the official conformance suite of MCP against a URL, and read its findings."""

import asyncio
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_S = 300
"""Seconds after which a run of the suite is given up; one takes about five."""
_FOUND_WANTING = {"FAILURE", "WARNING"}
_SCENARIO = re.compile(r"^\s*[✓✗] ([\w-]+)", re.MULTILINE)
"""A scenario in the summary."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of the protocol as one version of the suite judges it."""

    version: str
    """The folder of the suite: `stable` or `next`."""
    chosen: tuple[str, ...]
    """The arguments that choose its scenarios."""


REVISIONS: Mapping[str, Revision] = {
    "2025-11-25, stable suite": Revision("stable", ("--suite", "all")),
    "2025-11-25": Revision("next", ("--requirements", "2025-11-25")),
    "2026-07-28": Revision("next", ("--requirements", "2026-07-28")),
}


TASKS = {
    "tasks-lifecycle": 9,
    "tasks-capability-negotiation": 5,
    "tasks-wire-fields": 4,
    "tasks-request-state-removal": 3,
    "tasks-mrtr-input": 4,
    "tasks-request-headers": 5,
    "tasks-dispatch-and-envelope": 9,
    "tasks-required-task-error": 3,
    "tasks-mrtr-composition": 2,
    "tasks-status-notifications": 0,
}
"""The scenarios of tasks, which no revision scores, and the number of checks of each."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The report of a run of the suite."""

    required: frozenset[str]
    """The scenarios that the revision requires."""
    wanting: frozenset[str]
    """The checks that failed or drew a warning, each as `scenario:check`."""
    succeeded: frozenset[str]
    """The checks that succeeded, likewise."""

    @property
    def passed(self) -> frozenset[str]:
        """The required scenarios without a failure or a warning."""
        return self.required - {check.partition(":")[0] for check in self.wanting}


async def judged(url: str, revision: Revision, suite: Path, results: Path) -> Findings:
    """Run the scenarios of *revision*, installed in *suite*, against the server at *url*."""
    script = suite / revision.version / "dist/index.js"
    run = await asyncio.create_subprocess_exec(
        *[str(suite / "node/bin/node"), str(script), "server", "--url", url],
        *["--output-dir", str(results), *revision.chosen],
        env=os.environ | {"NO_COLOR": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(run.communicate(), MOST_S)
    found = list(_checks(results))
    assert found, f"the suite found nothing to check: {output.decode()[-2000:]}"
    summary, _, unscored = output.decode().partition("=== SUMMARY ===")[2].partition("Not scored for")
    return Findings(
        required=frozenset(_SCENARIO.findall(summary)) - frozenset(_SCENARIO.findall(unscored)),
        wanting=frozenset(_with_status(found, _FOUND_WANTING)),
        succeeded=frozenset(_with_status(found, {"SUCCESS"})),
    )


def _with_status(found: Iterable[tuple[str, Any]], statuses: set[str]) -> Iterable[str]:
    return (f"{scenario}:{check['id']}" for scenario, check in found if check["status"] in statuses)


def unexplained(findings: Findings, expected: Iterable[str]) -> list[str]:
    """Return the failed checks that are not expected, alone or by scenario."""
    named = set(expected)
    return sorted(check for check in findings.wanting if not {check, check.partition(":")[0]} & named)


def stale(findings: Iterable[Findings], expected: Iterable[str]) -> list[str]:
    """Return the entries of *expected* that no run of the suite bears out."""
    wanting = {name for each in findings for check in each.wanting for name in (check, check.partition(":")[0])}
    return sorted(set(expected) - wanting)


def _checks(results: Path) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield each check of each scenario from folders server-SCENARIO-YYYY-MM-DDThh-mm-ss-fffZ."""
    for file in sorted(results.glob("server-*/checks.json")):
        scenario = file.parent.name.removeprefix("server-").rsplit("-", 6)[0]
        for check in json.loads(file.read_text(encoding="utf-8")):
            yield scenario, check
