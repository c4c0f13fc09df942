"""The section on the method in docs/benchmarks.md."""

from __future__ import annotations

from benchmarks.messages import Era
from benchmarks.rounds import CALLERS, WINDOW

METHOD = f"""\
## How it is measured

**The tools.** One answers with five strategies (about 1.2 KB as data), one with a page of candles; both take their rows from memory, as a driver would
hand them over, with UUIDs and datetimes (made at first use, not at the start), and make their result from them on every call. A third and a fourth are the same with a cache in toolpact's
contract. So there is no I/O, and what remains is the server's own cost. Every result goes out twice, as structured content and as text.
Before anything is timed, each server's answers are parsed and compared with the rows.

**toolpact** is compiled from [a contract](../benchmarks/servers/contracts/bench/market.json) to a temporary folder and started like any server of it.
Arguments and results are validated against their schemas, answers are wrapped in the `tradestream` envelope, metrics are counted, and every call is a
line of the log, which goes through a pipe to a process that reads it: all of it by default. Handlers return their rows as they are, and so do those of the others. *toolpact, records* is the same server, whose
handlers make a Pydantic record of each row; no target is compared with it. Where there is a `toolpact --reference`, it is the first of the two on the SDK's path alone.

**What is cached.** *Cached*: the tool has `"cache": {{"ttl_s": 3600}}` in its contract, and every call after the first has the same arguments. They are decoded and validated, then looked up;
the handler does not run, and the cached result is not made again. The log, the metrics, and the part of the answer that says it is cached are made on every call. *Handler*: nothing is cached,
the handler runs on every call, and its result is validated, wrapped and encoded. What was made at generation or start serves all calls in both: the list of tools, validators, templates of envelopes.

**The others** have their fastest documented settings. Over HTTP that is `stateless_http=True` and `json_response=True`, which
[the SDK's documentation](https://github.com/modelcontextprotocol/python-sdk#streamable-http-transport) recommends for production and
[FastMCP's](https://gofastmcp.com/deployment/http) has too; no access log. FastMCP's telemetry, its banner and its look for newer versions are off; its other settings
(rich logging, names in camelCase) were tried and change nothing that is measured. The SDK's low-level server has schemas made by hand and validates neither arguments nor results;
MCPServer validates both with Pydantic; FastMCP validates the arguments. Tools are coroutines, since plain functions would be run in threads. FastMCP's tools
return plain dicts beside an explicit output schema, which it serialises faster than typed ones, and its schemas keep their references
([`dereference_schemas=False`](https://gofastmcp.com/python-sdk/fastmcp-server-middleware-dereference)), which halves what a stateless call costs it: the SDK lists the tools on each, to check its headers. They write nothing on a call, and keep no metrics. *FastMCP, its cache* is FastMCP with its own
`ResponseCachingMiddleware` on the cached tools; where toolpact answers from its cache, it is compared with the better of the two in each round. The low-level
server and MCPServer have no cache: in their columns *cached* is the same as *handler*. All servers run in one environment, one process each. Over HTTP all of them
run on uvicorn with the same settings: httptools, the loop of the standard library, no access log ([why](decisions/0006-http.md)).

**The client** is the same for all: one thread that writes bytes made beforehand and reads bytes, parsing none of them while it measures, over pipes or
persistent connections of HTTP/1.1. Over pipes it speaks {Era.HANDSHAKE.value}; over HTTP both eras, each compared with the same era of the others: {Era.HANDSHAKE.value}, which opens a connection
with `initialize`, and {Era.STATELESS.value}, in which every request carries its client and version itself. It shares the machine with the server. *Sequential*: the next call leaves when the answer has come.
*Pipelined*: {WINDOW} calls are on the way at any time. Over HTTP {CALLERS} callers call one after the other. *Start*: from the spawning of the process, its byte code
compiled, through `initialize` and its answer, to the answer of `tools/list`. *Memory*: the resident set two seconds after that answer.

**In turns.** All servers run at once, idle until their turn; in each round each has a turn at everything, and each round begins with the next server. Ratios
are those of one round. There are at least three, and as many more as fit into a given time. Processor time is the server's own, all threads together: it is the cost of a call on an otherwise idle machine.
"""
