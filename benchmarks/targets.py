"""What is held against which target: ratios within one round on one machine."""

from __future__ import annotations

from benchmarks import rounds
from benchmarks.contenders import FASTMCP, FASTMCP_CACHE, LOWLEVEL
from benchmarks.figures import Bound, Target

_CACHED = (FASTMCP, FASTMCP_CACHE)
_LESS, _MORE = Bound.AT_MOST, Bound.AT_LEAST

TARGETS = (
    Target("Start to the first `tools/list` answer, s", rounds.LISTED_S, (FASTMCP,), _LESS, 0.2),
    Target("The same, beside the SDK", rounds.LISTED_S, (LOWLEVEL,), _LESS, 0.4),
    Target("Pipelined calls over stdio from the cache, 1/s", rounds.PIPELINED_CACHED, _CACHED, _MORE, 30),
    Target("Pipelined calls over stdio that run a handler, 1/s", rounds.PIPELINED, (FASTMCP,), _MORE, 15),
    Target("Sequential call over stdio from the cache, p50, ms", rounds.CALL_CACHED_MS, _CACHED, _LESS, 0.15),
    Target("Sequential call over stdio that runs a handler, p50, ms", rounds.CALL_MS, (FASTMCP,), _LESS, 0.15),
    Target("Calls over HTTP from the cache, 1/s", rounds.HTTP_CACHED, _CACHED, _MORE, 4),
    Target("Calls over HTTP that run a handler, 1/s", rounds.HTTP, (FASTMCP,), _MORE, 4),
    Target("Page of 1,000 candles from the cache, p50, ms", rounds.PAGE_CACHED_MS, _CACHED, _LESS, 0.4),
    Target("Page of 1,000 candles that a handler makes, p50, ms", rounds.PAGE_MS, (FASTMCP,), _LESS, 0.4),
    Target("Resident memory of an idle server, MiB", rounds.IDLE_MIB, (FASTMCP,), _LESS, 0.65),
)
