"""Prove that no write is lost or doubled while each part of a system is killed in turn.

This is the short form of `./run bench -- outages`. It checks writes and codes, and that nobody waits for long, so that
it holds on a busy machine.
"""

from pathlib import Path

import pytest

from benchmarks.outages import report
from benchmarks.outages.callers import PATIENCE_S
from benchmarks.outages.outage_run import Plan, run
from tests.conftest import Say
from tests.services.fetched import fetched

pytestmark = pytest.mark.load

SHORT = Plan(callers=50, seconds=8, first_s=0.5, every_s=1.2, down_s=0.5, quiet_s=0.3, rate=40)


async def test_each_acknowledged_write_is_stored_once_and_all_other_calls_have_a_declared_code(
    tmp_path: Path, say: Say
) -> None:
    done = await run(fetched("haproxy"), tmp_path, SHORT)
    say("\n".join(report.page(done)))
    assert list(report.find_breaches(done, allowance_s=PATIENCE_S)) == []
    assert len(done.outages) == 6
    assert any(call.outcome or len(call.attempts) > 1 for call in done.calls), "nothing was noticed"
