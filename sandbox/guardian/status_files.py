"""The status files of the Guardian's system, written as the real one writes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from sandbox.guardian import BACKTEST_STATUS, METRICS, STATUS
from sandbox.guardian.backtests import Result

LISP_EPOCH_S = 2_208_988_800
"""Seconds from 1900, when Lisp's universal time begins, to 1970."""
JAPAN = timezone(timedelta(hours=9))
HEAP_BYTES = 402_915_328
STRATEGY_COUNT = 64


@dataclass(slots=True)
class StatusFiles:
    """The status files in a folder; times are seconds since 1970."""

    folder: Path
    started: float
    ticks: int = 0
    results: int = 0

    def write_system(self, now: float) -> None:
        """Write the status and the metrics of the system, one tick later."""
        self.ticks += 1
        lines = {
            "TIME": f"{datetime.fromtimestamp(now, JAPAN):%Y-%m-%d %H:%M:%S}",
            "TICKS": self.ticks,
            "EQUITY": "100000.00",
            "PNL": "0.00",
            "MT5": "OFFLINE",
        }
        _write_lines(self.folder / STATUS, lines)
        metrics = {
            "schema_version": 1,
            "timestamp": int(now) + LISP_EPOCH_S,
            "heap_used_bytes": HEAP_BYTES,
            "heap_used_mb": HEAP_BYTES / (1 << 20),
            "strategy_count": STRATEGY_COUNT,
            "uptime_seconds": int(now - self.started),
        }
        # Lisp writes symbols of another package with its name.
        pairs = (f"(swimmy.school::{key} . {value})" for key, value in metrics.items())
        unfinished = self.folder / f"{METRICS}.tmp"
        unfinished.write_text(f"({' '.join(pairs)})", encoding="utf-8")
        unfinished.replace(self.folder / METRICS)

    def write_backtest(self, now: float, result: Result) -> None:
        """Write the status after one more *result*."""
        self.results += 1
        lines = {
            "timestamp": int(now) + LISP_EPOCH_S,
            "count": self.results,
            "pending": 0,
            "last_name": result.strategy_name,
            "last_sharpe": f"{result.sharpe:.4f}",
            "last_trades": result.trades,
            "last_request_id": result.request_id,
        }
        _write_lines(self.folder / BACKTEST_STATUS, lines)


def _write_lines(path: Path, lines: Mapping[str, object]) -> None:
    """Write *lines* in place, one after the other: a reader may find half of the file."""
    with path.open("w", encoding="utf-8", buffering=1) as file:
        for key, value in lines.items():
            file.write(f"{key}: {value}\n")
