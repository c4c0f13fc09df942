"""An attack on the memory of the cache."""

from __future__ import annotations

import asyncio

import httpx2

from tests.attack.lab import TOKEN, Lab
from tests.attack.records import Attack, Tally
from tests.servers.backends import RECENT, connect_database

_CALLS, _PAGE = 1100, 100
_LONGEST_REASONING = "x" * 10_000
"""As long as the contract admits."""
_INSERT = """
INSERT INTO agent_decisions (decision_id, symbol, action, confidence, reasoning)
SELECT gen_random_uuid(), 'CACHE/USD', 'HOLD', 0.5, $1 FROM generate_series(1, $2::int)
"""


def _attack(lab: Lab, tally: Tally) -> None:
    calls = lab.count(_CALLS)
    asyncio.run(_insert(lab.database, calls + _PAGE))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with (
        lab.server("tradestream.decisions", tally, {"DATABASE_URL": lab.database}) as server,
        httpx2.Client(base_url=server.url, headers=headers, timeout=60, trust_env=False) as client,
    ):
        for offset in range(calls):
            arguments = {"symbol": "CACHE/USD", "limit": _PAGE, "offset": offset}
            response = client.post(f"/mcp/tools/{RECENT}", json=arguments)
            is_page = response.status_code == 200 and len(response.content) > _PAGE * len(_LONGEST_REASONING)
            tally.check(is_page, f"offset {offset}: {response.text[:200]}")


async def _insert(url: str, number: int) -> None:
    """Save *number* decisions with the longest reasoning."""
    async with connect_database(url) as connection:
        await connection.execute(_INSERT, _LONGEST_REASONING, number)


ATTACKS = (
    Attack(
        "growing offsets",
        "1,100 valid calls for different pages of 1 MB are answered within 320 MiB, of which the cache has 64.",
        _attack,
        max_peak_mib=320,
        max_health_ms=100,
    ),
)
