"""An attack on the memory of the cache."""

from __future__ import annotations

import httpx2

from sandbox import candles
from tests.attack.lab import TOKEN, Lab
from tests.attack.records import Attack, Tally

_PAGES, _PAGE = 1100, 1000


def _attack(lab: Lab, tally: Tally) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with (
        candles.serve() as store,
        lab.server("tradestream.market_data", tally, {"INFLUXDB_URL": store}) as server,
        httpx2.Client(base_url=server.url, headers=headers, timeout=60, trust_env=False) as client,
    ):
        for offset in range(lab.count(_PAGES)):
            arguments = {"symbol": "ETH/USD", "timeframe": "1m", "limit": _PAGE, "offset": offset}
            response = client.post("/mcp/tools/get_candles", json=arguments)
            is_page = response.status_code == 200 and len(response.json()["data"]["items"]) == _PAGE
            tally.check(is_page, f"offset {offset}: {response.text[:200]}")


ATTACKS = (
    Attack(
        "growing offsets",
        "1,100 valid calls with different pages of 1,000 candles are answered within 320 MiB, of which the cache has 64.",
        _attack,
        max_peak_mib=320,
    ),
)
