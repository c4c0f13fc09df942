"""What docs/benchmarks.md says about how its numbers come about."""

from __future__ import annotations

from benchmarks.rounds import CALLERS, WINDOW

METHOD = f"""\
## How it is measured

**The tools.** One answers with five strategies (about 1.2 KB as data), one with a page of candles; both take their rows from memory, as a driver would
hand them over, with UUIDs and datetimes, and make their result from them on every call. A third and a fourth are the same with a cache in toolpact's
contract. So there is no I/O, and what remains is the server's own cost. Every result goes out twice, as structured content and as text.
Before anything is timed, each server's answers are parsed and held against the rows.

**toolpact** is compiled from [a contract](../benchmarks/served/contracts/bench/market.json) to a temporary folder and started like any server of it.
Arguments and results are validated against their schemas, answers are wrapped in the `tradestream` envelope, metrics are counted, and every call is a
line of the log, which goes through a pipe to a process that reads it: all of it by default. Handlers make Pydantic models, which the others' do not.
*Cached* are the results of two tools, looked up after the arguments were validated; *handler* means that nothing is.
Where there is a `toolpact --reference`, it is the same server on the SDK's path alone.

**The others** have their fastest documented settings. The SDK's low-level server has schemas made by hand and validates neither arguments nor results;
MCPServer validates both with Pydantic; FastMCP validates the arguments. Tools are coroutines, since plain functions would be run in threads. FastMCP's tools
return plain dicts beside an explicit output schema, which it serialises faster than typed ones, and its telemetry is off. Over HTTP all of them are stateless, answer in JSON
rather than in events, and write no access log; they write nothing on a call, and keep no metrics. *FastMCP, its cache* is FastMCP with its own
`ResponseCachingMiddleware` on the cached tools; where toolpact answers from its cache, it is held against the better of the two in each round. The low-level
server and MCPServer have no cache: in their columns *cached* is the same as *handler*. All servers run in one environment, one process each, without uvloop.

**The client** is the same for all: one thread that writes bytes made beforehand and reads bytes, parsing none of them while it measures, over pipes or
kept connections of HTTP/1.1; it speaks 2025-11-25. It shares the machine with the server. *Sequential*: the next call leaves when the answer has come.
*Pipelined*: {WINDOW} calls are on the way at any time. Over HTTP {CALLERS} callers call one after the other. *Start*: from the spawning of the process, its byte code
compiled, through `initialize` and its answer, to the answer of `tools/list`. *Memory*: the resident set two seconds after that answer.

**In turns.** All servers run at once, idle until their turn; in each round each has a turn at everything, and each round begins with the next server. Ratios
are those of one round. Processor time is the server's own, all threads together: it says what a call costs on a machine with nothing else to do.
"""
