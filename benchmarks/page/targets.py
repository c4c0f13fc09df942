"""The targets: ratios within one round on one machine."""

from __future__ import annotations

from benchmarks import rounds
from benchmarks.contenders import FASTMCP, FASTMCP_CACHE, LOWLEVEL
from benchmarks.figures import Bound, Target

_CACHED = (FASTMCP, FASTMCP_CACHE)
_RIVALS = {True: _CACHED, False: (FASTMCP,)}
_FROM = {True: "from the cache", False: "that run a handler"}
_LESS, _MORE = Bound.AT_MOST, Bound.AT_LEAST

TARGETS = (
    Target(
        "Start to the first `tools/list` answer, s", rounds.LISTED_S, (FASTMCP,), _LESS, 0.2, rounds.START_PROCESSOR_S
    ),
    Target(
        "Start to the first `tools/list` answer, beside the SDK, s",
        rounds.LISTED_S,
        (LOWLEVEL,),
        _LESS,
        0.4,
        rounds.START_PROCESSOR_S,
    ),
    Target(
        "Pipelined calls over stdio from the cache, 1/s",
        rounds.PIPELINED_CACHED,
        _CACHED,
        _MORE,
        30,
        rounds.PROCESSOR_CACHED_US,
    ),
    Target(
        "Pipelined calls over stdio that run a handler, 1/s",
        rounds.PIPELINED,
        (FASTMCP,),
        _MORE,
        15,
        rounds.PROCESSOR_US,
    ),
    Target("Sequential call over stdio from the cache, p50, ms", rounds.CALL_CACHED_MS, _CACHED, _LESS, 0.15),
    Target("Sequential call over stdio that runs a handler, p50, ms", rounds.CALL_MS, (FASTMCP,), _LESS, 0.15),
    *(
        Target(
            f"Calls over HTTP {_FROM[cached]}, {era.value}, 1/s",
            measure,
            _RIVALS[cached],
            _MORE,
            4,
            rounds.HTTP_PROCESSOR_US[era, cached],
        )
        for (era, cached), measure in rounds.HTTP.items()
    ),
    Target("Page of 1,000 candles from the cache, p50, ms", rounds.PAGE_CACHED_MS, _CACHED, _LESS, 0.4),
    Target("Page of 1,000 candles that a handler makes, p50, ms", rounds.PAGE_MS, (FASTMCP,), _LESS, 0.4),
    Target("Resident memory of an idle server, MiB", rounds.IDLE_MIB, (FASTMCP,), _LESS, 0.65),
)
