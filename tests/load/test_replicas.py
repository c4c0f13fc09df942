"""Prove that 200 clients behind a real proxy lose no call while one of three replicas stops.

`./run load` runs this; it takes a minute and both cores, so `.ci/run` leaves it out.
"""

from pathlib import Path

import pytest

from benchmarks.load import CLIENTS, SECONDS, run_load, table
from tests.conftest import Say
from tests.services.fetched import fetched

pytestmark = pytest.mark.load


async def test_two_hundred_clients_lose_no_call_while_a_replica_stops(tmp_path: Path, say: Say) -> None:
    run = await run_load(fetched("haproxy"), tmp_path)
    say("\n".join(table(run.record)))
    assert run.record.failures == []
    assert sum(map(len, run.record.latencies_s.values())) == CLIENTS * SECONDS
    assert run.exit_code == 0
